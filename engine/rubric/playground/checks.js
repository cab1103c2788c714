// Checks and conditions: evidence in; true, false or null (not known) out. The same as engine/rubric/closures.py.
"use strict";

const Checks = (() => {
  const listed = (value) => value ?? [];
  const own = (values, name) => Object.hasOwn(values, name) ? values[name] : null; // a name may be "toString"
  const onlyNumber = (value) => typeof value === "number" ? value : null;

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

  // One exchange as checks see it; every feature of its text is computed at most once.
  class Evidence {
    constructor(sheet, recorded) {
      this.sheet = sheet;
      this.recorded = recorded;
      this.unchecked = false; // a check was met that this page leaves to Python
      this.kept = new Map();
      this.texts = new Map();
    }

    once(name, make) {
      if (!this.kept.has(name)) this.kept.set(name, make());
      return this.kept.get(name);
    }

    fold(text) {
      if (!this.texts.has(text)) this.texts.set(text, Texts.fold(text, this.sheet.casefold));
      return this.texts.get(text);
    }

    get text() { return this.recorded.text; }
    get folded() { return this.text === null ? null : this.fold(this.text); }
    get expected() { return this.recorded.expected === null ? null : this.fold(this.recorded.expected); }
    get json() { return this.once("json", () => Texts.json(this.text ?? "")); }
    get tools() { return this.recorded.tools; }

    get cited() {
      return this.recorded.citations && [...new Set(this.recorded.citations.map((each) => this.fold(each)))];
    }

    get sources() {
      return this.recorded.results && this.recorded.results.map((each) => this.fold(each));
    }

    length(unit) {
      return this.text === null ? null : this.once(unit, () => Texts.length(unit, this.text));
    }

    // A recorded number by the name that the rubric gives it; null when it is not known.
    number(name) {
      const found = this.sheet.quantities[name];
      const count = (list) => list === null ? null : list.length;
      switch (found?.source) {
        case undefined: return null;
        case "results": return count(this.recorded.results);
        case "tools": return count(this.recorded.tools);
        case "citations": return this.recorded.citations && new Set(this.recorded.citations).size;
        case "latency": return this.recorded.latency;
        case "cost": return this.recorded.cost;
        case "field": return onlyNumber(own(this.recorded.fields, name) ?? own(this.recorded.numbers, name));
        case "recorded": return this.share(found, own(this.recorded.numbers, found.name));
        default: return own(this.recorded.measures, found.name);
      }
    }

    // A recorded ratio that lies outside 0 to 1 is not known.
    share(found, value) { return found.kind === "ratio" && !(value >= 0 && value <= 1) ? null : value; }

    // A word about the query; null when it is not known.
    field(name) {
      const value = own(this.recorded.fields, name);
      return typeof value === "number" ? Numbers.general(value, 6) : value;
    }

    pattern(check, text) {
      const key = `${check.is}:${check.any_case ? "i" : ""}:${check.pattern ?? check.shape ?? check.text}`;
      const found = this.sheet.patterns[key];
      if (found.source === null) {
        this.unchecked = true;
        return null;
      }
      const pattern = this.once(key, () => new RegExp(found.source, "u"));
      const start = Texts.slice(text, found.reach);
      return pattern.test(start) ? true : start.length < text.length ? null : false;
    }
  }

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

  return { Evidence, every, holds, own };
})();
