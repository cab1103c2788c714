// Checks and conditions: evidence in; true, false or null (not known) out. The same as engine/rubric/closures.py.
"use strict";

const Checks = (() => {
  const listed = (value) => value ?? [];

  function every(values) {
    let known = true;
    for (const value of values) {
      if (value === false) return false;
      if (value === null) known = null;
    }
    return known;
  }

  function some(values) {
    let known = false;
    for (const value of values) {
      if (value === true) return true;
      if (value === null) known = null;
    }
    return known;
  }

  const other = (value) => value === null ? null : !value;

  function inside(range, number) {
    const low = range.low ?? -Infinity;
    const high = range.high ?? Infinity;
    if (range.low_open && range.high === undefined) return number > low;
    if (range.high_open && range.low === undefined) return number < high;
    return low <= number && number <= high;
  }

  // Whether every score, no score or only some score between two bounds lies in the range.
  function between(range, bounds) {
    if (bounds === null) return false;
    const [low, high] = bounds;
    if (low === high) return inside(range, low);
    if (inside(range, low) && inside(range, high)) return true;
    const under = range.low !== undefined && !(range.low_open ? high > range.low : high >= range.low);
    const over = range.high !== undefined && !(range.high_open ? low < range.high : low <= range.high);
    return under || over ? false : null;
  }

  const open = (bounds) => bounds !== null && bounds[0] !== bounds[1];

  const onText = (evidence, test) => evidence.folded === null ? null : test(evidence.folded);
  const counted = (range, number) => number === null ? null : inside(range, number);

  function contains(check, evidence) {
    const found = (text) => check.texts.filter((wanted) => text.includes(evidence.fold(wanted))).length;
    return onText(evidence, (text) => found(text) >= (check.at_least ?? 1));
  }

  function expected(check, evidence) {
    if (check.how === "is given") return Boolean(evidence.expected);
    if (evidence.folded === null || !evidence.expected) return null;
    return check.how === "equals" ? evidence.folded === evidence.expected : evidence.folded.includes(evidence.expected);
  }

  function validJson(check, evidence) {
    if (evidence.text === null) return null;
    const value = evidence.json;
    if (value === Texts.UNCHECKED) {
      evidence.unchecked = true;
      return null;
    }
    const fields = listed(check.fields);
    if (fields.length === 0) return value !== Texts.INVALID;
    const object = typeof value === "object" && value !== null && !Array.isArray(value);
    return object && fields.every((name) => Object.hasOwn(value, name));
  }

  function results(check, evidence) {
    if (evidence.sources === null) return null;
    const sources = check.top === undefined ? evidence.sources : evidence.sources.slice(0, check.top);
    const there = (wanted) => sources.some((source) => source.includes(evidence.fold(wanted)));
    return check.any_of ? check.sources.some(there) : check.sources.every(there);
  }

  function called(check, evidence) {
    const name = evidence.fold(check.tool);
    const calls = evidence.tools;
    return counted(check.range, calls && calls.filter((call) => evidence.fold(call.name) === name).length);
  }

  function inOrder(check, evidence) {
    if (evidence.tools === null) return null;
    const names = evidence.tools.map((call) => evidence.fold(call.name));
    const first = names.indexOf(evidence.fold(check.first));
    const second = names.indexOf(evidence.fold(check.second));
    return first >= 0 && second >= 0 && first < second;
  }

  function argument(check, evidence) {
    if (evidence.tools === null) return null;
    const [tool, name, text] = [check.tool, check.argument, check.text].map((each) => evidence.fold(each));
    return evidence.tools.some((call) => evidence.fold(call.name) === tool && Object.entries(call.arguments).some(
      ([key, value]) => evidence.fold(key) === name && evidence.fold(value).includes(text)));
  }

  function number(check, evidence) {
    const value = evidence.number(check.name);
    if (value === null || Number.isNaN(value)) return null;
    const ratio = evidence.sheet.quantities[check.name].kind === "ratio";
    return inside(check.range, ratio ? Numbers.halfUp(value) : value);
  }

  function oneOf(check, evidence) {
    const value = evidence.field(check.name);
    return value === null ? null : check.values.some((each) => evidence.fold(each) === evidence.fold(value));
  }

  function given(check, evidence) {
    if (evidence.sheet.words.includes(check.name)) return Boolean(evidence.field(check.name));
    return evidence.number(check.name) !== null;
  }

  const ABOUT_EXCHANGE = {
    Contains: contains,
    HasWord: (check, evidence) => onText(evidence, (text) => evidence.pattern(check, text)),
    Starts: (check, evidence) => onText(evidence, (text) => text.startsWith(evidence.fold(check.text))),
    Ends: (check, evidence) => onText(evidence, (text) => text.endsWith(evidence.fold(check.text))),
    Equals: (check, evidence) => onText(evidence, (text) => text === evidence.fold(check.text)),
    Expected: expected,
    IsEmpty: (check, evidence) => onText(evidence, (text) => text === ""),
    Matches: (check, evidence) => evidence.text === null ? null : evidence.pattern(check, evidence.text),
    LooksLike: (check, evidence) => evidence.text === null ? null : evidence.pattern(check, evidence.text),
    Length: (check, evidence) => counted(check.range, evidence.length(check.unit)),
    CitesSources: (check, evidence) => counted(check.range, evidence.cited && evidence.cited.length),
    CitesSource: (check, evidence) => {
      const wanted = evidence.fold(check.source);
      return evidence.cited && evidence.cited.some((source) => source.includes(wanted));
    },
    ValidJson: validJson,
    ToolCalled: called,
    ToolOrder: inOrder,
    ToolArgument: argument,
    ResultsContain: results,
    TopResult: (check, evidence) =>
      evidence.sources && (evidence.sources[0] ?? "").includes(evidence.fold(check.source)),
    NameNumber: number,
    NameIs: oneOf,
    NameGiven: given,
  };

  // `parts` answers what a condition asks about other parts of the rubric.
  function holds(check, evidence, parts) {
    const inner = (part) => holds(part, evidence, parts);
    switch (check.is) {
      case "All": return every(check.parts.map(inner));
      case "Any": return some(check.parts.map(inner));
      case "Not": return check.part.is === "RefPasses" ? parts.fails(check.part.ref) : other(inner(check.part));
      case "RefScore": {
        const found = between(check.range, parts.bounds(check.ref));
        return found && parts.maySkip(check.ref) ? null : found;
      }
      case "RefPasses": return parts.passes(check.ref);
      case "RefUngraded": return open(parts.bounds(check.ref));
      case "Score": return between(check.range, parts.total());
      case "ScoreUngraded": return open(parts.total());
      case "AnyMustFails": return parts.mustFails();
      default: return ABOUT_EXCHANGE[check.is](check, evidence);
    }
  }

  return { every, holds };
})();
