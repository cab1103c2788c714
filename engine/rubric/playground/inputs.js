// What a person types in: the answer, what was recorded about it, and what judges say.
"use strict";

const Inputs = (() => {
  const { fresh, make, number } = Elements;
  const MOST_POINTS = 21; // a scale with more points is typed

  // Every noun in a rubric.
  function* nouns(value) {
    if (Array.isArray(value)) for (const each of value) yield* nouns(each);
    else if (typeof value === "object" && value !== null) {
      if ("is" in value) yield value;
      yield* nouns(Object.values(value));
    }
  }

  // ---- fields of one kind ----------------------------------------------------------------------

  // A box for text. Nothing in it and the tick in place: not recorded, which is another thing than empty.
  function box({ label, hint, lines, value, none }, changed) {
    const [id, help] = [fresh("box"), fresh("help")];
    const unknown = make("input", { type: "checkbox", checked: value === null, onchange: changed });
    const area = make("textarea", { id, rows: lines, value: value ?? "", spellcheck: false, "aria-describedby": help });
    area.addEventListener("input", () => {
      unknown.checked = false;
      changed();
    });
    const element = make("div", { class: "field wide" },
      make("label", { for: id }, label), make("p", { class: "hint", id: help }, hint), area,
      make("label", { class: "tick" }, unknown, none));
    return { element, read: () => unknown.checked ? null : area.value };
  }

  function list(settings, changed) {
    const { element, read } = box({ ...settings, lines: 3, value: null }, changed);
    const lines = (text) => text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    return { element, read: () => { const text = read(); return text === null ? null : lines(text); } };
  }

  function typedNumber({ label, hint, low, high }, changed) {
    const [id, help] = [fresh("number"), fresh("help")];
    const input = make("input", { id, type: "number", step: "any", inputMode: "decimal", oninput: changed, "aria-describedby": help });
    if (low !== undefined) input.min = low;
    if (high !== undefined) input.max = high;
    const element = make("div", { class: "field" }, make("label", { for: id }, label), input,
      make("p", { class: "hint", id: help }, hint));
    return { element, read: () => Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : null };
  }

  function choice({ label, options, meaning }, changed) {
    const [id, help] = [fresh("choice"), fresh("help")];
    const hint = make("p", { class: "hint", id: help });
    const select = make("select", { id, "aria-describedby": help },
      ...options.map((option, at) => make("option", { value: String(at) }, option.text)));
    const read = () => options[Number(select.value)].value;
    const explain = () => { hint.textContent = meaning?.(read()) ?? ""; };
    select.addEventListener("change", () => { explain(); changed(); });
    explain();
    return { element: make("div", { class: "field" }, make("label", { for: id }, label), select, hint), read };
  }

  function word({ label, values }, changed) {
    if (values.length > 0) {
      const options = [{ text: "not recorded", value: null }, ...values.map((value) => ({ text: value, value }))];
      return choice({ label, options }, changed);
    }
    const id = fresh("word");
    const input = make("input", { id, type: "text", oninput: changed });
    const element = make("div", { class: "field" }, make("label", { for: id }, label), input,
      make("p", { class: "hint" }, "empty: not recorded"));
    return { element, read: () => input.value.trim() === "" ? null : input.value };
  }

  // ---- what was recorded -------------------------------------------------------------------------

  const NOT = "empty: not recorded";
  const LISTS = {
    results: { nouns: ["ResultsContain", "TopResult"], label: "Results", hint: "One source a line, best first.",
      none: "no list of results was recorded" },
    citations: { nouns: ["CitesSources", "CitesSource"], label: "Cited sources", hint: "One source a line.",
      none: "what it cites was not recorded" },
    tools: { nouns: ["ToolCalled", "ToolOrder", "ToolArgument"], label: "Tool calls",
      hint: "One call a line, in order: refund | order = A-17 | reason = late", none: "tool calls were not recorded" },
  };

  function call(line) {
    const [name, ...rest] = line.split("|").map((part) => part.trim());
    const pairs = rest.map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [part, ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    });
    return { name, arguments: Object.fromEntries(pairs) };
  }

  // The inputs that this rubric looks at, and a way to read them all.
  function evidence(sheet, changed) {
    const found = [...nouns(sheet.rubric)];
    const named = new Set(found.map((noun) => noun.is));
    const quantities = Object.entries(sheet.quantities);
    const declared = new Map((sheet.rubric.fields ?? []).map((field) => [field.name, field]));
    const answer = box({ label: "The answer", hint: "Paste or type it; everything below follows.", lines: 8,
      value: sheet.answer, none: "no written answer was recorded" }, changed);
    const [lists, texts, fields, numbers, measures] = [{}, {}, {}, {}, {}];
    if (named.has("Expected")) {
      texts.expected = box({ label: "The expected answer", hint: "What a good answer says.", lines: 3, value: null,
        none: "nobody wrote one" }, changed);
    }
    for (const [kind, settings] of Object.entries(LISTS)) {
      const counted = quantities.some(([, quantity]) => quantity.source === kind);
      if (counted || settings.nouns.some((name) => named.has(name))) lists[kind] = list(settings, changed);
    }
    const times = {};
    for (const [name, quantity] of quantities) {
      const unit = { time: "in seconds", money: "in dollars", ratio: "from 0 to 1" }[quantity.kind];
      const ends = quantity.kind === "ratio" ? { low: 0, high: 1 } : {};
      const settings = { label: quantity.name, hint: unit ? `${unit}; ${NOT}` : NOT, ...ends };
      if (quantity.source === "latency" || quantity.source === "cost") times[quantity.source] ??= typedNumber(settings, changed);
      if (quantity.source === "recorded") numbers[quantity.name] ??= typedNumber(settings, changed);
      if (quantity.source === "measured") measures[quantity.name] ??= typedNumber(settings, changed);
      if (quantity.source === "field") fields[name] ??= typedNumber(settings, changed);
    }
    for (const name of sheet.words) {
      const field = declared.get(name);
      fields[name] ??= field?.number ? typedNumber({ label: name, hint: NOT }, changed)
        : word({ label: name, values: field?.values ?? [] }, changed);
    }
    const read = (inputs) => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.read()]));
    const kept = [lists, texts, fields, times, numbers, measures].flatMap(Object.values);
    return {
      answer: answer.element,
      elements: kept.map((input) => input.element),
      read: () => {
        const known = read(lists);
        return { text: answer.read(), citations: known.citations ?? null, results: known.results ?? null,
          tools: known.tools?.map(call) ?? null, latency: times.latency?.read() ?? null, cost: times.cost?.read() ?? null,
          expected: texts.expected?.read() ?? null, fields: read(fields), numbers: read(numbers), measures: read(measures) };
      },
    };
  }

  // ---- what judges say ---------------------------------------------------------------------------

  function judges(panel) {
    const named = (panel?.judges ?? []).flatMap((judge) => Array.from({ length: judge.count ?? 1 }, (_, at) =>
      `${judge.name || judge.kind}${(judge.count ?? 1) > 1 ? ` ${at + 1}` : ""}`));
    return named.length > 0 ? named : ["Answer"];
  }

  const OPEN = { text: "not answered yet", value: null };

  function vote(label, { scale, skippable }, changed) {
    const skip = skippable ? [{ text: "does not apply (n/a)", value: Votes.NOT_APPLICABLE }] : [];
    const { low, high } = scale;
    if (low === undefined) {
      const levels = scale.levels ?? [];
      const options = levels.map((level) => ({ value: level.label,
        text: level.score === null || level.score === undefined ? `${level.label} (does not apply)` : `${level.label} (${number(level.score)})` }));
      const meaning = (said) => levels.find((level) => level.label === said)?.meaning ?? "";
      return choice({ label, options: [OPEN, ...options, ...skip], meaning }, changed);
    }
    const meaning = (said) => (scale.levels ?? []).find((level) => said !== null && level.low <= said && said <= level.high)?.meaning ?? "";
    if (Number.isInteger(low) && Number.isInteger(high) && high - low < MOST_POINTS) {
      const points = Array.from({ length: high - low + 1 }, (_, at) => ({ text: String(low + at), value: low + at }));
      return choice({ label, options: [OPEN, ...points, ...skip], meaning }, changed);
    }
    return typedNumber({ label, hint: `from ${low} to ${high}; empty: not answered yet`, low, high }, changed);
  }

  function question({ id, title, text, grading, bad }, changed) {
    const fields = judges(grading.panel).map((label) => vote(label, grading, changed));
    const warning = bad ? make("p", { class: "hint" }, "Asks for something bad: a yes goes against the answer.") : null;
    const element = make("fieldset", { class: "question" }, make("legend", {}, title),
      text === "" ? null : make("p", { class: "asked" }, text), warning, make("div", { class: "fields" }, ...fields.map((field) => field.element)));
    const read = () => fields.map((field) => field.read()).filter((said) => said !== null).map((said) => ({ said }));
    return { id, element, read };
  }

  // One block for every judged question of a criterion.
  function asked(criterion, changed) {
    const { grading, title } = criterion;
    const bad = criterion.role === "must not" || criterion.role === "penalty";
    if (grading.is === "Asked") return [question({ id: criterion.id, title, text: grading.question, grading, bad }, changed)];
    if (grading.is !== "Checklist") return [];
    return grading.items.map((item) => question({ id: `${criterion.id}/${item.id}`, title: `${title}: ${item.text}`,
      text: grading.question ?? "", grading, bad: bad || (item.weight ?? 1) < 0 }, changed));
  }

  function questions(rubric, changed) {
    const criteria = [...Grading.everyMember(rubric.root)].map((each) => each.member).filter((member) => !Groups.isGroup(member));
    const found = criteria.flatMap((criterion) => asked(criterion, changed));
    return {
      elements: found.map((each) => each.element),
      read: () => Object.fromEntries(found.map((each) => [each.id, each.read()]).filter(([, said]) => said.length > 0)),
    };
  }

  return { evidence, questions };
})();
