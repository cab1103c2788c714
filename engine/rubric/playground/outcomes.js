// What a part of a rubric comes to, and how its grades are made. The same as engine/rubric/outcomes.py.
"use strict";

const Outcomes = (() => {
  const { rounded } = Numbers;
  const clip = (score, most = 1) => Math.min(Math.max(score, 0), most);
  // `maySkip`: not graded yet, and it may turn out not to apply.
  const outcome = (low, high, passed = null, grade = null, maySkip = false) =>
    ({ low, high, applies: true, passed, grade, maySkip });
  const apart = (grade = null) => ({ low: 0, high: 1, applies: false, passed: null, grade, maySkip: false });
  const extra = (member) => member.role === "penalty" || member.role === "bonus";

  const markOf = (criterion) => extra(criterion) ? null : criterion.pass_mark ?? null;

  function graded(criterion, found, reason) {
    const score = criterion.role === "must not" ? 1 - found : found;
    const shown = rounded(score);
    const mark = markOf(criterion);
    const passed = mark === null ? null : shown >= mark;
    return outcome(score, score, passed,
      { criterion: criterion.id, status: "graded", score: shown, low: shown, high: shown, passed, reason });
  }

  function ungraded(criterion, reason, { low = 0, high = 1, maySkip = false } = {}) {
    const [least, most, mark] = [rounded(low), rounded(high), markOf(criterion)];
    const told = mark !== null && !maySkip && !(least < mark && mark <= most);
    const passed = told ? least >= mark : null;
    const grade = { criterion: criterion.id, status: "ungraded", score: null, low: least, high: most, passed, reason };
    return outcome(low, high, passed, grade, maySkip);
  }

  function notApplicable(criterion, reason) {
    return apart({ criterion: criterion.id, status: "not-applicable", score: null, low: 0, high: 1,
      passed: null, reason });
  }

  return { apart, clip, extra, graded, notApplicable, outcome, ungraded };
})();
