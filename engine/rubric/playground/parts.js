// Criteria: each becomes an interval of scores, or does not apply. The same as engine/rubric/parts.py, checklists.py.
"use strict";

const Parts = (() => {
  const { fsum, general, rounded } = Numbers;
  const { clip, graded, notApplicable, ungraded } = Outcomes;
  const bad = (criterion) => criterion.role === "must not" || criterion.role === "penalty";

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
    const found = Votes.settle(criterion.grading, Evidence.own(votes, criterion.id) ?? [], bad(criterion), (text) => evidence.fold(text));
    if (found.skipped) return notApplicable(criterion, found.reason);
    return found.score === null ? ungraded(criterion, found.reason, { maySkip }) : graded(criterion, found.score, found.reason);
  }

  // ---- checklists ------------------------------------------------------------------------------

  const weightOf = (item) => item.weight ?? 1;

  function listed(criterion, evidence, votes) {
    const rows = criterion.grading.items.map((item) => {
      const said = Evidence.own(votes, `${criterion.id}/${item.id}`) ?? [];
      const settled = said.length === 0 ? { score: null, skipped: false, reason: "" }
        : Votes.settle(criterion.grading, said, weightOf(item) < 0, (text) => evidence.fold(text));
      return { item, ...settled };
    }).filter((row) => !row.skipped);
    if (rows.length === 0) return notApplicable(criterion, "no item applies");
    const open = rows.every((row) => weightOf(row.item) <= 0 || row.score === null);
    const [low, high] = skips(criterion.grading) && open ? withoutTheGood(rows) : itemBounds(rows);
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

  // No good item is answered, and none may apply in the end: then it is what the bad ones leave of 1.
  function withoutTheGood(rows) {
    const [low, high] = itemBounds(rows);
    const rest = rows.filter((row) => weightOf(row.item) < 0);
    if (rest.length === 0) return [low, high];
    const [least, most] = itemBounds(rest);
    return [Math.min(low, least), Math.max(high, most)];
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

  return { criterionOutcome };
})();
