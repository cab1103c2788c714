// Groups: the outcomes of the members become one interval of scores. The same as engine/rubric/groups.py.
"use strict";

const Groups = (() => {
  const { fsum } = Numbers;
  const { apart, clip, extra, markOf, outcome, passes } = Outcomes;
  const EPSILON = 1e-9; // weights are decimals; their sums may miss a share such as 80% by the last digit
  const gate = (criterion) => criterion.role === "must" || criterion.role === "must not";
  const isGroup = (member) => member.is === "Group";
  const counts = (member) => isGroup(member) ? member.members.some(counts)
    : member.role !== "info" && (!gate(member) || member.weight !== undefined);
  const ownWeight = (member) => member.weight?.value ?? 1;

  // `of` gives the outcome of a member; `weight` its weight.
  function groupOutcome(group, of, weight) {
    const found = combined(group, of, weight);
    const mark = markOf(group);
    return mark === null || !found.applies ? found : { ...found, passed: passes(found, mark) };
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
      case "mean": return merged(group, counting, of, () => 1, mean);
      default: return merged(group, counting.filter(weight), of, weight, mean);
    }
  }

  // The members that apply, combined; with `minimum graded` those that are graded, when they are enough.
  function merged(group, members, of, weight, combine) {
    const found = members.map((member) => ({ ...of(member), member, weight: weight(member) }))
      .filter((each) => each.applies);
    if (found.length === 0) return apart();
    const settling = found.filter((each) => each.member.role !== "bonus");
    // left out of a mean it can move that as far as any score can
    if (settling.length > 0 && settling.every((each) => each.maySkip)) return outcome(0, 1, null, null, true);
    return combine(enoughGraded(found, group.minimum_graded ?? 1));
  }

  function enoughGraded(found, share) {
    if (share === 1) return found;
    const known = found.filter((each) => each.low === each.high);
    const whole = fsum(found.map((each) => each.weight));
    const carried = fsum(known.map((each) => each.weight));
    return known.length > 0 && carried >= share * whole - EPSILON ? known : found;
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

  return { counts, extra, gate, groupOutcome, isGroup, ownWeight };
})();
