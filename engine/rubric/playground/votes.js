// What judges said, to one score. The same as engine/rubric/votes.py.
"use strict";

const Votes = (() => {
  const SKIP = "skip"; // a vote for "does not apply"
  const NOT_APPLICABLE = "n/a";
  const NOBODY = "nobody answered this question yet (no judge)";
  const EPSILON = 1e-9;

  const size = (panel) => (panel?.judges ?? []).reduce((sum, judge) => sum + (judge.count ?? 1), 0) || 1;
  const needed = (panel) => panel?.quorum ?? Math.floor(size(panel) / 2) + 1;
  const text = (said) => typeof said === "number" ? Numbers.general(said, 6) : String(said);

  // One vote: a score from 0 to 1, SKIP, or null for anything off the menu.
  function score(scale, skippable, said, fold) {
    if (scale.low !== undefined && scale.high !== undefined) {
      if (typeof said === "string") return skippable && fold(said) === NOT_APPLICABLE ? SKIP : null;
      return typeof said === "number" && scale.low <= said && said <= scale.high
        ? (said - scale.low) / (scale.high - scale.low) : null;
    }
    if (typeof said !== "string") return null;
    const level = (scale.levels ?? []).findLast((each) => fold(each.label) === fold(said));
    if (level) return level.score ?? SKIP;
    return skippable && fold(said) === NOT_APPLICABLE ? SKIP : null;
  }

  const SETTLE = {
    median: (scores) => {
      const ordered = [...scores].sort((a, b) => a - b);
      const half = Math.floor(ordered.length / 2);
      return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
    },
    mean: (scores) => Numbers.fsum(scores) / scores.length,
    majority: (scores, bad) => {
      const times = (wanted) => scores.filter((each) => each === wanted).length;
      const most = Math.max(...scores.map(times));
      const tied = scores.filter((each) => times(each) === most);
      return bad ? Math.max(...tied) : Math.min(...tied);
    },
    lowest: (scores) => Math.min(...scores),
    highest: (scores) => Math.max(...scores),
  };

  const settled = (score, reason, skipped = false) => ({ score, skipped, reason });

  // `grading` has the scale and the panel; with `bad`, a high score goes against the answer.
  function settle(grading, votes, bad, fold) {
    const { scale, panel, skippable } = grading;
    if (votes.length === 0) return settled(null, NOBODY);
    const found = votes.map((vote) => ({ ...vote, score: score(scale, skippable, vote.said, fold) }))
      .filter((vote) => vote.score !== null);
    if (found.length < needed(panel)) return settled(null, tooFew(votes, found.length, panel));
    const scores = found.map((vote) => vote.score).filter((each) => each !== SKIP);
    const skips = found.length - scores.length;
    if (skips > found.length / 2) {
      return settled(null, `${skips} of ${found.length} judges say that it does not apply`, true);
    }
    const said = found.map((vote) => text(vote.said)).join(", ");
    const limit = panel?.disagreement;
    if (limit !== undefined && Math.max(...scores) - Math.min(...scores) > limit + EPSILON) {
      return settled(null, `the judges disagree: ${said}`);
    }
    const how = panel?.settle ?? "median";
    const one = scores.length === 1 ? scores[0] : SETTLE[how](scores, bad);
    if (found.length > 1 || size(panel) > 1) return settled(one, `${how} of ${said}`);
    return settled(one, found[0].reason ? `${said}: ${found[0].reason}` : `judged ${said}`);
  }

  function tooFew(votes, usable, panel) {
    if (votes.length === 1 && usable === 0) {
      const { said } = votes[0];
      return said === null ? "the judge gave no usable answer" : `the judge's answer is not on the scale: ${said}`;
    }
    const asked = Math.max(votes.length, size(panel));
    return `${usable} of ${asked} judges gave a usable answer, and ${needed(panel)} are needed`;
  }

  return { NOBODY, NOT_APPLICABLE, settle, size };
})();
