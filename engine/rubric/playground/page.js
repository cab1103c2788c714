// Puts the page together, and grades again whenever something in it changes.
"use strict";

(() => {
  const { make } = Elements;
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const { rubric } = sheet;

  let waiting = false;
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; update(); });
  };

  const evidence = Inputs.evidence(sheet, changed);
  const questions = Inputs.questions(rubric, changed);
  const structure = Weights.structure(rubric, changed);
  const rows = Rows.rows(rubric);
  const total = Rows.total();

  function update() {
    const result = Grading.grade(sheet, evidence.read(), questions.read(), structure.tried);
    total.show(result);
    rows.show(result);
  }

  const facts = [rubric.version ? `version ${rubric.version}` : "", rubric.owner ?? ""].filter((each) => each !== "").join(" · ");
  document.getElementById("head").append(
    make("p", { class: "kind" }, "Rubric playground"), make("h1", {}, rubric.title),
    facts === "" ? "" : make("p", { class: "facts" }, facts), rubric.about ? make("p", { class: "about" }, rubric.about) : "");

  const narrow = matchMedia("(max-width: 60rem)").matches;
  document.getElementById("rubric").append(make("details", { open: !narrow },
    make("summary", {}, make("h2", { id: "rubric-title" }, "What counts, and how much")), ...structure.elements));

  const section = (title, ...parts) => make("section", {}, make("h2", {}, title), ...parts);
  const inputs = evidence.elements.length === 0 ? "" : section("What was recorded", make("div", { class: "fields" }, ...evidence.elements));
  const judged = questions.elements.length === 0 ? "" : section("What judges say", ...questions.elements);
  document.getElementById("bench").append(total.element, make("section", {}, make("h2", { class: "apart" }, "Answer"), evidence.answer),
    inputs, judged, section("One by one", Rows.legend(), rows.element));
  update();
})();
