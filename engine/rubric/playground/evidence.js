// What checks look at: one exchange as it was recorded. The same as engine/rubric/evidence.py and names.py.
"use strict";

const Evidence = (() => {
  const own = (values, name) => Object.hasOwn(values, name) ? values[name] : null; // a name may be "toString"
  const onlyNumber = (value) => typeof value === "number" ? value : null;

  // The pattern; null in an old browser that cannot read it.
  function compiled(source) {
    try {
      return new RegExp(source, "u");
    } catch {
      return null;
    }
  }

  // One exchange as checks see it; every feature of its text is computed at most once.
  class Exchange {
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
        case "citations": return this.cited && this.cited.length;
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
      return typeof value === "number" ? Numbers.plain(value) : value;
    }

    pattern(check, text) {
      const key = `${check.is}:${check.any_case ? "i" : ""}:${check.pattern ?? check.shape ?? check.text}`;
      const found = this.sheet.patterns[key];
      const pattern = found.source === null ? null : this.once(key, () => compiled(found.source));
      if (pattern === null) {
        this.unchecked = true;
        return null;
      }
      const start = Texts.slice(text, found.reach);
      return pattern.test(start) ? true : start.length < text.length ? null : false;
    }
  }

  return { Exchange, own };
})();
