// The structure of the rubric, and what other weights would do. Nothing of it is kept.
"use strict";

const Weights = (() => {
  const { fresh, make, number, percent } = Elements;
  const COMBINED = {
    mean: "all count alike", lowest: "the lowest score counts", highest: "the highest score counts",
    all: "all have to pass", any: "one has to pass", "at least": "enough have to pass",
  };
  const ROLES = { must: "must", "must not": "must not", penalty: "penalty", bonus: "bonus", info: "for information" };

  const weighed = (group) => (group.combine ?? "weighted mean") === "weighted mean";
  const written = (member, value) => member.weight?.percent ? `${number(value * 100)} %` : number(value);

  function decimals(value) { return (String(value).split(".")[1] ?? "").length; }

  function slider(member, brothers, tried, changed) {
    const own = brothers.map(Groups.ownWeight);
    const most = 2 * Math.max(...own, Groups.ownWeight(member)) || 2;
    const step = 10 ** Math.min(Math.floor(Math.log10(most)) - 1, -Math.max(...own.map(decimals)));
    const id = fresh("weight");
    const value = make("output", { for: id, class: "value" });
    const input = make("input", { id, type: "range", min: 0, max: most, step });
    const show = () => {
      const now = tried[member.id] ?? Groups.ownWeight(member);
      input.value = now;
      value.textContent = written(member, now);
      input.setAttribute("aria-valuetext", `weight ${written(member, now)}`);
    };
    input.addEventListener("input", () => {
      const now = Number(Number(input.value).toFixed(6));
      if (now === Groups.ownWeight(member)) delete tried[member.id];
      else tried[member.id] = now;
      changed();
    });
    const element = make("span", { class: "slider" },
      make("label", { for: id, class: "apart" }, `Weight of ${member.title}`), input, value);
    return { element, show };
  }

  // Each member's part of the whole score if all of them apply: {id: share}.
  function shares(rubric, tried) {
    const found = Object.create(null);
    const weight = (member) => Evidence.own(tried, member.id) ?? Groups.ownWeight(member);
    const walk = (group, whole) => {
      const counting = group.members.filter(Groups.counts);
      const alike = group.combine === "mean";
      const of = (member) => alike ? 1 : weight(member);
      const positive = counting.filter((member) => !Groups.extra(member));
      const total = (positive.length > 0 ? positive : counting).reduce((sum, member) => sum + of(member), 0);
      for (const member of counting) {
        const known = (weighed(group) || alike) && whole !== null && total > 0;
        found[member.id] = known ? whole * of(member) / total : null;
        if (Groups.isGroup(member)) walk(member, found[member.id]);
      }
    };
    walk(rubric.root, 1);
    return found;
  }

  function shareText(member, share) {
    if (!Groups.counts(member)) return Groups.gate(member) ? "decides the verdict, no part of the score" : "no part of the score";
    if (share === null) return "no fixed share";
    if (member.role === "penalty") return `takes off up to ${percent(share)}`;
    return member.role === "bonus" ? `adds up to ${percent(share)}` : `${percent(share)} of the score`;
  }

  function structure(rubric, changed) {
    const tried = {};
    const rows = [];
    const update = () => {
      const now = shares(rubric, tried);
      for (const row of rows) row.show(now[row.id] ?? null);
      const count = Object.keys(tried).length;
      reset.disabled = count === 0;
      state.textContent = count === 0 ? "These are the weights in the rubric’s file."
        : `What if: ${count} ${count === 1 ? "weight differs" : "weights differ"} from the file. Nothing is saved.`;
      state.classList.toggle("trying", count > 0);
    };
    const touched = () => { update(); changed(); };
    const reset = make("button", { type: "button", onclick: () => {
      for (const id of Object.keys(tried)) delete tried[id];
      touched();
    } }, "Back to the file’s weights");
    const state = make("p", { class: "state", role: "status" });

    function item(member, group) {
      const brothers = group.members.filter(Groups.counts);
      const movable = Groups.counts(member) && weighed(group);
      const control = movable ? slider(member, brothers, tried, touched) : null;
      const share = make("span", { class: "share" });
      const kind = ROLES[member.role];
      const how = Groups.isGroup(member) && member.combine ? COMBINED[member.combine] : undefined;
      rows.push({ id: member.id, show: (now) => { control?.show(); share.textContent = shareText(member, now); } });
      return make("li", { class: Groups.isGroup(member) ? "group" : "criterion" },
        make("div", { class: "line" }, make("span", { class: "name" }, member.title),
          kind ? make("span", { class: "role" }, kind) : null, how ? make("span", { class: "role" }, how) : null, share),
        control?.element,
        Groups.isGroup(member) ? make("ul", {}, ...member.members.map((each) => item(each, member))) : null);
    }

    const list = make("ul", { class: "tree" }, ...rubric.root.members.map((member) => item(member, rubric.root)));
    const elements = [state, reset, list, decisions(rubric)];
    update();
    return { elements, tried };
  }

  function decisions(rubric) {
    const titles = new Map([...Grading.everyMember(rubric.root)].map(({ member }) => [member.id, member.title]));
    const caps = (rubric.caps ?? []).map((cap) => make("li", {},
      `${cap.ref ? titles.get(cap.ref) : "The score"} is at most ${number(cap.at_most)} when ${cap.when.said}`));
    const verdicts = (rubric.verdicts ?? []).map((verdict) => make("li", {}, make("strong", {}, verdict.name),
      verdict.when ? ` when ${verdict.when.said}` : " otherwise"));
    const list = (title, rows, kind) => rows.length === 0 ? null
      : make("div", {}, make("h3", {}, title), make(kind, { class: "plain" }, ...rows));
    return make("div", { class: "decisions" }, list("Ceilings", caps, "ul"), list("Verdicts: the first that fits", verdicts, "ol"));
  }

  return { structure };
})();
