// A rubric applied to one answer: grades, scores, caps and the verdict. The same as engine/rubric/grade.py.
"use strict";

const Grading = (() => {
  const { rounded } = Numbers;
  const OVERALL = "overall";
  const NOT_APPLICABLE = "not applicable";
  const mentionsMusts = (check) => check.is === "AnyMustFails" || (check.parts ?? []).some(mentionsMusts)
    || (check.is === "Not" && mentionsMusts(check.part));

  // Every member of a group with the conditions that it stands under, in the order they were written.
  function* everyMember(group, above = []) {
    for (const member of group.members) {
      const conditions = member.only_when === undefined ? above : [...above, member.only_when.holds];
      yield { member, conditions };
      if (Groups.isGroup(member)) yield* everyMember(member, conditions);
    }
  }

  class Run {
    constructor(sheet, recorded, votes, weights) {
      this.rubric = sheet.rubric;
      this.evidence = new Evidence.Exchange(sheet, recorded);
      this.votes = votes;
      this.weights = weights;
      this.known = new Map([...everyMember(this.rubric.root)].map((each) => [each.member.id, each]));
      this.memo = new Map();
      this.wholeMaySkip = false;
      this.whole = null; // the rounded score at both ends, as far as it is known by now
      this.holds = (check) => Checks.holds(check, this.evidence, this);
      this.caps = this.rubric.caps ?? [];
      this.verdicts = this.rubric.verdicts ?? [];
      this.musts = [...this.known.values()].map((each) => each.member)
        .filter((member) => !Groups.isGroup(member) && Groups.gate(member)).map((member) => member.id);
    }

    outcome(id) {
      if (!this.memo.has(id)) {
        const { member, conditions } = this.known.get(id);
        this.memo.set(id, Groups.isGroup(member) ? this.group(member)
          : Parts.criterionOutcome(member, conditions, this));
      }
      return this.memo.get(id);
    }

    group(group) {
      const weight = (member) => Evidence.own(this.weights, member.id) ?? Groups.ownWeight(member);
      return Groups.groupOutcome(group, (member) => this.outcome(member.id), weight);
    }

    // ---- what conditions ask ---------------------------------------------------------------------

    bounds(id) {
      const found = this.reported(id);
      return found.applies ? ends(found) : null;
    }

    passes(id) {
      const found = this.reported(id);
      if (!found.applies) return false;
      return found.passed && found.maySkip ? null : found.passed;
    }

    fails(id) {
      const found = this.reported(id);
      if (!found.applies) return false;
      return found.passed === null || (!found.passed && found.maySkip) ? null : !found.passed;
    }

    maySkip(id) { return this.outcome(id).maySkip; }

    total() { return this.whole; }

    mustFails() {
      const found = this.musts.map((id) => this.fails(id));
      if (found.includes(true)) return true;
      return found.includes(null) ? null : false;
    }

    // As reports show it and conditions see it: under its caps.
    reported(id) {
      const found = this.outcome(id);
      if (!found.applies || !this.caps.some((cap) => cap.ref === id)) return found;
      const mark = Outcomes.markOf(this.known.get(id).member);
      const lowered = { ...found, ...this.capped(found, id) };
      return { ...lowered, passed: mark === null ? null : Outcomes.passes(lowered, mark) };
    }

    // ---- the whole -------------------------------------------------------------------------------

    capped(found, id) {
      let { low, high } = found;
      for (const cap of this.caps) {
        if ((cap.ref ?? null) !== id) continue;
        const holds = this.holds(cap.when.holds);
        if (holds === true) high = Math.min(high, cap.at_most);
        if (holds !== false) low = Math.min(low, cap.at_most);
      }
      return { low, high };
    }

    result() {
      const raw = this.group(this.rubric.root);
      if (raw.applies) {
        this.wholeMaySkip = raw.maySkip;
        this.whole = ends(raw);
        this.whole = ends(this.capped(raw, null));
      }
      const order = [...this.known.values()].map((each) => each.member);
      const grades = order.filter((member) => !Groups.isGroup(member)).map((member) => this.outcome(member.id).grade);
      const scores = Object.create(null);
      for (const member of this.rubric.root.members) {
        if (!Groups.counts(member) || Groups.extra(member)) continue;
        const bounds = this.bounds(member.id);
        if (bounds !== null) scores[member.id] = bounds[0] === bounds[1] ? bounds[0] : null;
      }
      const [low, high] = this.whole ?? [0, 1];
      if (this.whole !== null) scores[OVERALL] = low === high ? low : null;
      const parts = Object.create(null);
      for (const member of order) {
        const { applies, passed } = this.reported(member.id);
        const bounds = this.bounds(member.id);
        parts[member.id] = { applies, passed, low: bounds?.[0] ?? 0, high: bounds?.[1] ?? 1 };
      }
      const applies = this.whole !== null;
      return { grades, scores, low, high, applies, parts, ...this.verdict() };
    }

    verdict() {
      if (this.verdicts.length === 0) return { verdict: null, could_be: [] };
      const lines = this.verdicts.filter((line) => line.when?.holds.is !== "ScoreUngraded");
      if (lines.length === 0) return { verdict: null, could_be: [] };
      const whenOpen = this.verdicts.find((line) => line.when?.holds.is === "ScoreUngraded")?.name ?? "ungraded";
      const saysMusts = this.verdicts.some((line) => line.when !== undefined && line.when !== null && mentionsMusts(line.when.holds));
      const otherwise = this.verdicts.find((line) => !line.when);
      const { whole } = this;
      const skips = whole === null || this.wholeMaySkip;
      const fails = this.mustFails();
      const possible = new Set();
      if (fails !== false && !saysMusts && otherwise !== undefined) possible.add(otherwise.name);
      if (skips && fails !== true) possible.add(NOT_APPLICABLE);
      // a must that fails is told, score or no score
      if (skips && fails !== false && saysMusts) this.walk(null, lines, possible);
      if (whole !== null && (saysMusts || fails !== true)) this.walk(whole, lines, possible);
      return possible.size === 1 ? { verdict: [...possible][0], could_be: [] }
        : { verdict: whenOpen, could_be: [...possible] };
    }

    // From top to bottom: a line that holds ends it, one that may hold adds a possibility.
    walk(whole, lines, possible) {
      this.whole = whole;
      for (const line of lines) {
        const holds = line.when ? this.holds(line.when.holds) : true;
        if (holds !== false) possible.add(line.name);
        if (holds === true) return;
      }
    }
  }

  function ends({ low, high }) {
    const first = rounded(low);
    return [first, high === low ? first : rounded(high)];
  }

  // `recorded` and `votes` are what is known about one answer; `weights` are tried instead of the rubric's own.
  const grade = (sheet, recorded, votes = {}, weights = {}) => new Run(sheet, recorded, votes, weights).result();

  return { everyMember, grade };
})();
