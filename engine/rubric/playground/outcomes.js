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

  // The score from which a criterion or a group passes; null when it neither passes nor fails.
  function markOf(member) {
    if (extra(member)) return null;
    return member.pass_mark ?? (["all", "any", "at least"].includes(member.combine) ? 1 : null);
  }

  // Whether a score between two ends reaches the mark; null when only some of them do.
  const passes = ({ low, high }, mark) => rounded(low) >= mark ? true : rounded(high) < mark ? false : null;

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
    const passed = mark === null || maySkip ? null : passes({ low, high }, mark);
    const grade = { criterion: criterion.id, status: "ungraded", score: null, low: least, high: most, passed, reason };
    return outcome(low, high, passed, grade, maySkip);
  }

  function notApplicable(criterion, reason) {
    return apart({ criterion: criterion.id, status: "not-applicable", score: null, low: 0, high: 1,
      passed: null, reason });
  }

  return { apart, clip, extra, graded, markOf, notApplicable, outcome, passes, ungraded };
})();
