// Criteria and groups: each becomes an interval of scores, or does not apply.
// The same as engine/rubric/parts.py, checklists.py, groups.py and outcomes.py.
"use strict";

const Parts = (() => {
  const { fsum, general, rounded } = Numbers;
  const EPSILON = 1e-9; // weights are decimals; their sums may miss a share such as 80% by the last digit
  const clip = (score, most = 1) => Math.min(Math.max(score, 0), most);
  // `maySkip`: not graded yet, and it may turn out not to apply.
  const outcome = (low, high, passed = null, grade = null, maySkip = false) =>
    ({ low, high, applies: true, passed, grade, maySkip });
  const apart = (grade = null) => ({ low: 0, high: 1, applies: false, passed: null, grade, maySkip: false });
  const bad = (criterion) => criterion.role === "must not" || criterion.role === "penalty";
  const extra = (member) => member.role === "penalty" || member.role === "bonus";
  const gate = (criterion) => criterion.role === "must" || criterion.role === "must not";

  // ---- grades ----------------------------------------------------------------------------------

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

  // ---- criteria --------------------------------------------------------------------------------

  // `holds` decides a check; `evidence.unchecked` says that this page leaves one to Python.
  function criterionOutcome(criterion, conditions, { evidence, holds, votes }) {
    const applies = Checks.every(conditions.map(holds));
    if (applies === false) return notApplicable(criterion, "its condition does not hold");
    if (applies === null) return ungraded(criterion, "it is not known whether it applies", { maySkip: true });
    const { grading } = criterion;
    switch (grading.is) {
      case "Checks": return grading.partial ? partly(criterion, holds) : checked(criterion, evidence, holds);
      case "Measured": return measured(criterion, evidence);
      case "Asked": return asked(criterion, evidence, votes);
      default: return listed(criterion, evidence, votes);
    }
  }

  function checked(criterion, evidence, holds) {
    let result = null;
    for (const check of criterion.grading.checks) {
      evidence.unchecked = false;
      const found = holds(check.holds);
      if (found === false) return graded(criterion, 0, `not so: ${check.said}`);
      if (found === null) {
        const why = evidence.unchecked ? "not checked on this page" : "what this needs was not recorded";
        result ??= ungraded(criterion, `${why}: ${check.said}`);
      }
    }
    return result ?? graded(criterion, 1, criterion.grading.checks.map((check) => check.said).join("; "));
  }

  function partly(criterion, holds) {
    const found = criterion.grading.checks.map((check) => holds(check.holds));
    const yes = found.filter((each) => each === true).length;
    const unknown = found.filter((each) => each === null).length;
    const reason = `${yes} of ${found.length} checks hold`;
    if (unknown === 0) return graded(criterion, yes / found.length, reason);
    let [low, high] = [yes / found.length, (yes + unknown) / found.length];
    if (criterion.role === "must not") [low, high] = [1 - high, 1 - low];
    return ungraded(criterion, `${reason}, and ${unknown} cannot be told from what was recorded`, { low, high });
  }

  function measured(criterion, evidence) {
    const { name: written, full, none } = criterion.grading;
    const { name, kind } = evidence.sheet.quantities[written];
    const value = evidence.number(written);
    if (value === null || Number.isNaN(value)) return ungraded(criterion, `${name}: the number is not known`);
    const share = (value - none) / (full - none);
    const score = share < 0 ? 0 : Math.min(share, 1);
    const unit = { time: " seconds", money: " dollars" }[kind] ?? "";
    const shown = kind === "ratio" ? general(rounded(value), 4) : general(value, 6);
    const marks = none === 0 && full === 1 ? "" : ` (full marks at ${full}${unit}, no marks at ${none}${unit})`;
    return graded(criterion, score, `${name} is ${shown}${unit}${marks}`);
  }

  // A judge may say that the question does not apply.
  const skips = ({ skippable, scale }) => Boolean(skippable)
    || (scale.low === undefined && (scale.levels ?? []).some((level) => level.score === null));

  function asked(criterion, evidence, votes) {
    const maySkip = skips(criterion.grading);
    const found = Votes.settle(criterion.grading, Checks.own(votes, criterion.id) ?? [], bad(criterion), (text) => evidence.fold(text));
    if (found.skipped) return notApplicable(criterion, found.reason);
    return found.score === null ? ungraded(criterion, found.reason, { maySkip }) : graded(criterion, found.score, found.reason);
  }

  // ---- checklists ------------------------------------------------------------------------------

  const weightOf = (item) => item.weight ?? 1;

  function listed(criterion, evidence, votes) {
    const rows = criterion.grading.items.map((item) => {
      const said = Checks.own(votes, `${criterion.id}/${item.id}`) ?? [];
      const settled = said.length === 0 ? { score: null, skipped: false, reason: "" }
        : Votes.settle(criterion.grading, said, weightOf(item) < 0, (text) => evidence.fold(text));
      return { item, ...settled };
    }).filter((row) => !row.skipped);
    if (rows.length === 0) return notApplicable(criterion, "no item applies");
    const [low, high] = itemBounds(rows);
    const reason = itemReason(rows);
    if (low === high) return graded(criterion, low, reason);
    const maySkip = skips(criterion.grading) && rows.every((row) => row.score === null);
    return ungraded(criterion, reason, { low, high, maySkip });
  }

  // The lowest and the highest score that the answers still allow.
  function itemBounds(rows) {
    const good = fsum(rows.map((row) => Math.max(weightOf(row.item), 0)));
    const against = fsum(rows.map((row) => Math.max(-weightOf(row.item), 0)));
    const [lows, highs] = [[], []];
    let [ceiling, floorHolds] = [1, true];
    for (const { item, score } of rows) {
      const [least, most] = score === null ? [0, 1] : [score, score];
      if (item.must) {
        floorHolds &&= least === 1;
        if (most < 1) ceiling = 0;
      }
      const weight = weightOf(item);
      lows.push(weight * (weight >= 0 ? least : most));
      highs.push(weight * (weight >= 0 ? most : least));
    }
    const [total, start] = good ? [good, 0] : [against, against]; // only bad items: what they leave of 1
    if (!total) return [floorHolds ? 1 : 0, ceiling];
    const low = floorHolds ? clip(fsum([start, ...lows]) / total) : 0;
    return [low, clip(fsum([start, ...highs]) / total, ceiling)];
  }

  function itemReason(rows) {
    const wanted = rows.filter((row) => weightOf(row.item) >= 0);
    const there = rows.find((row) => weightOf(row.item) < 0 && row.score);
    const unmet = wanted.find((row) => row.score !== null && row.score < 1);
    const open = rows.filter((row) => row.score === null);
    const why = open.find((row) => row.reason !== "");
    return [
      wanted.length && `${wanted.filter((row) => row.score === 1).length} of ${wanted.length} items are met`,
      unmet && `the first that is not: ${unmet.item.text}`,
      there && `what ought not to be there is: ${there.item.text}`,
      open.length && `${open.length} are not answered yet${why ? ` (${why.reason})` : ""}`,
    ].filter(Boolean).join("; ");
  }

  // ---- groups ----------------------------------------------------------------------------------

  const isGroup = (member) => member.is === "Group";
  const counts = (member) => isGroup(member) ? member.members.some(counts)
    : member.role !== "info" && (!gate(member) || member.weight !== undefined);
  const ownWeight = (member) => member.weight?.value ?? 1;

  // `of` gives the outcome of a member; `weight` its weight.
  function groupOutcome(group, of, weight) {
    const found = combined(group, of, weight);
    const all = ["all", "any", "at least"].includes(group.combine);
    const mark = group.pass_mark ?? (all ? 1 : null);
    if (mark === null || !found.applies) return found;
    return { ...found, passed: rounded(found.low) >= mark ? true : rounded(found.high) < mark ? false : null };
  }

  function combined(group, of, weight) {
    const counting = group.members.filter(counts);
    const positive = counting.filter((member) => !extra(member));
    const gates = group.members.filter((member) => isGroup(member) || gate(member) || member.role === "criterion");
    if (counting.length === 0) return merged(group, gates, of, weight, sharePassed);
    switch (group.combine) {
      case "lowest": return merged(group, positive, of, weight, (found) => extreme(found, Math.min));
      case "highest": return merged(group, positive, of, weight, (found) => extreme(found, Math.max));
      case "all":
      case "any":
      case "at least": return merged(group, positive, of, weight, (found) => enough(group, found));
      case "mean": return averaged(group, counting, of, () => 1);
      default: return averaged(group, counting, of, weight);
    }
  }

  // The members that apply, combined; with `minimum graded` those that are graded, when they are enough.
  function merged(group, members, of, weight, combine) {
    const found = members.map((member) => ({ ...of(member), member, weight: weight(member) }))
      .filter((each) => each.applies);
    if (found.length === 0) return apart();
    const maySkip = found.filter((each) => each.member.role !== "bonus").every((each) => each.maySkip);
    return { ...combine(enoughGraded(found, group.minimum_graded ?? 1)), maySkip };
  }

  function enoughGraded(found, share) {
    if (share === 1) return found;
    const known = found.filter((each) => each.low === each.high);
    const whole = fsum(found.map((each) => each.weight));
    const carried = fsum(known.map((each) => each.weight));
    return known.length > 0 && carried >= share * whole - EPSILON ? known : found;
  }

  function averaged(group, members, of, weight) {
    const found = merged(group, members, of, weight, mean);
    const plain = (group.minimum_graded ?? 1) === 1 && !members.some(extra);
    return plain && found.low === found.high ? { ...found, maySkip: false } : found;
  }

  const extreme = (found, pick) => outcome(pick(...found.map((each) => each.low)), pick(...found.map((each) => each.high)));

  function tally(found) {
    const sure = found.filter((each) => each.passed === true).length;
    return [sure, found.length - found.filter((each) => each.passed === false).length];
  }

  function enough(group, found) {
    const need = { all: found.length, any: 1 }[group.combine] ?? group.need ?? 0;
    const [sure, possible] = tally(found);
    return outcome(Number(sure >= need), Number(possible >= need));
  }

  // A group of gates: the share that passes. It is shown, and never averaged with anything.
  function sharePassed(found) {
    const [sure, possible] = tally(found);
    return outcome(sure / found.length, possible / found.length);
  }

  // clip((Σ w·s - Σ w·b + Σ w·bonus) / Σ w, 0, 1), at both ends of what is still possible.
  function mean(found) {
    const positive = found.filter((each) => !extra(each.member));
    const total = fsum(positive.map((each) => each.weight));
    if (!total) return onlyPenalties(found);
    const ends = found.map(signedEnds);
    const [low, high] = [0, 1].map((side) => clip(fsum(ends.map((each) => each[side])) / total));
    const other = positive.every((each) => each.maySkip) ? onlyPenalties(found) : apart();
    if (!other.applies) return outcome(low, high);
    return outcome(Math.min(low, other.low), Math.max(high, other.high)); // marks may be taken away from 1 instead
  }

  // What the penalties leave of 1, where nothing else applies. A bonus alone makes no score.
  function onlyPenalties(found) {
    const total = fsum(found.filter((each) => each.member.role === "penalty").map((each) => each.weight));
    if (!total) return apart();
    const rest = found.filter((each) => extra(each.member)).map(signedEnds);
    const [low, high] = [0, 1].map((side) => clip(fsum([total, ...rest.map((each) => each[side])]) / total));
    return outcome(low, high);
  }

  function signedEnds({ member, weight, low, high }) {
    return member.role === "penalty" ? [-weight * high, -weight * low] : [weight * low, weight * high];
  }

  return { counts, criterionOutcome, extra, gate, groupOutcome, isGroup, ownWeight };
})();
