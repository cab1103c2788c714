// What the rubric says about the answer: the total, and one row for each group and criterion.
"use strict";

const Rows = (() => {
  const { bar, make, range } = Elements;
  const LEGEND = [
    ["passes", "✓", "passes"], ["fails", "✗", "fails"], ["graded", "●", "graded, no pass mark"],
    ["unknown", "?", "not known yet"], ["apart", "–", "does not apply"],
  ];

  const chip = (kind, sign, text) => [make("span", { "aria-hidden": "true", class: "sign" }, sign), text];

  function legend() {
    return make("ul", { class: "legend", "aria-label": "Signs" },
      ...LEGEND.map(([kind, sign, text]) => make("li", {}, make("span", { class: `chip ${kind}` }, ...chip(kind, sign, text)))));
  }

  // [kind, sign, words] of a part.
  function standing(member, part) {
    if (!part.applies) return ["apart", "–", "does not apply"];
    const known = part.low === part.high;
    if (known && member.role === "penalty") return part.low > 0 ? ["fails", "▼", "takes marks off"] : ["graded", "●", "takes nothing off"];
    if (known && member.role === "bonus") return part.low > 0 ? ["passes", "▲", "adds marks"] : ["graded", "●", "adds nothing"];
    if (part.passed === true) return ["passes", "✓", known ? "passes" : "passes either way"];
    if (part.passed === false) return ["fails", "✗", known ? "fails" : "fails either way"];
    return known ? ["graded", "●", "graded"] : ["unknown", "?", "not known yet"];
  }

  function row(member, above) {
    const chipBox = make("span", { class: "chip" });
    const score = make("span", { class: "score" });
    const strip = bar();
    const reason = make("p", { class: "reason" });
    const heading = make(above === 0 ? "h3" : above === 1 ? "h4" : "h5", { class: "name" }, member.title);
    const group = Groups.isGroup(member);
    const inner = group ? make("ul", {}) : null;
    const element = make("li", { class: group ? "row group" : "row" },
      make("div", { class: "top" }, heading, chipBox), make("div", { class: "measure" }, strip.element, score), reason, inner);
    const show = (part, grade) => {
      const [kind, sign, words] = standing(member, part);
      element.dataset.kind = kind;
      chipBox.className = `chip ${kind}`;
      chipBox.replaceChildren(...chip(kind, sign, words));
      strip.show(part.applies ? part.low : 0, part.applies ? part.high : 0);
      score.textContent = part.applies ? range(part.low, part.high) : "–";
      reason.textContent = grade?.reason ?? "";
      reason.hidden = group;
    };
    return { element, inner, show };
  }

  function rows(rubric) {
    const shown = new Map();
    const build = (group, above) => group.members.map((member) => {
      const made = row(member, above);
      shown.set(member.id, made);
      if (made.inner) made.inner.append(...build(member, above + 1));
      return made.element;
    });
    const element = make("ul", { class: "rows" }, ...build(rubric.root, 0));
    const show = (result) => {
      const grades = new Map(result.grades.map((grade) => [grade.criterion, grade]));
      for (const [id, made] of shown) made.show(result.parts[id], grades.get(id));
    };
    return { element, show };
  }

  function total() {
    const score = make("span", { class: "big" });
    const note = make("span", { class: "note" });
    const verdict = make("p", { class: "verdict" });
    const strip = bar();
    const element = make("section", { class: "total", "aria-labelledby": "total-title" },
      make("h2", { id: "total-title" }, "Score"),
      make("div", { role: "status", class: "said" }, make("p", { class: "figure" }, score, note), verdict), strip.element,
      make("p", { class: "ends", "aria-hidden": "true" }, make("span", {}, "0"), make("span", {}, "1")));
    const show = (result) => {
      const known = result.low === result.high;
      score.textContent = result.applies ? range(result.low, result.high) : "–";
      note.textContent = !result.applies ? "nothing in this rubric applies" : known ? "" : "it can still be anything in between";
      strip.show(result.applies ? result.low : 0, result.applies ? result.high : 0);
      verdict.hidden = result.verdict === null;
      const could = result.could_be.length > 0 ? make("span", { class: "could" }, ` could be: ${result.could_be.join(", ")}`) : null;
      verdict.replaceChildren("Verdict: ", make("strong", {}, result.verdict ?? ""), ...(could ? [could] : []));
    };
    return { element, show };
  }

  return { legend, rows, total };
})();
