// How texts are compared and counted: the same as engine/rubric/fold.py and engine/rubric/evidence.py.
"use strict";

const Texts = (() => {
  const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const WORD = "\\p{L}\\p{N}_";
  const BLANKS = new RegExp(`[${BLANK}]+`, "u");
  const WORDS = new RegExp(`[${WORD}]+(?:['’.@-][${WORD}]+)*`, "gu");
  const HAS_WORD = new RegExp(`[${WORD}]`, "u");
  const STOP = ".!?。！？";
  const SENTENCES = new RegExp(`[^${STOP}\\n]+[${STOP}]*`, "gu");
  const LINE_ENDS = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/u;
  const NOT_BLANK = new RegExp(`[^${BLANK}]`, "u");
  const FENCE = new RegExp(
    `^[${BLANK}]*\`\`\`(?:[jJ][sS\\u017f][oO][nN])?[ \\t]*\\n([\\s\\S]*?)\\n?\`\`\`[${BLANK}]*(?![\\s\\S])`, "u");
  const ALIKE = new Map([..."‘’‚‛“”„«»‐‑‒–—−"].map((char, at) => [char, at < 4 ? "'" : at < 9 ? '"' : "-"]));
  const DEEPEST = 500; // Python gives up on deep nesting at a depth that depends on its version
  const LONGEST_INTEGER = 4300; // Python reads no longer one
  const INVALID = Symbol("not JSON");
  const UNCHECKED = Symbol("cannot be told here");

  // `casefold` maps each character whose case-folded form is not its lower-case form.
  function fold(text, casefold) {
    let folded = "";
    for (const char of text.normalize("NFKC")) {
      const plain = ALIKE.get(char) ?? char;
      folded += Object.hasOwn(casefold, plain) ? casefold[plain] : plain.toLowerCase();
    }
    return folded.split(BLANKS).filter((part) => part !== "").join(" ");
  }

  const matches = (text, pattern) => text.match(pattern) ?? [];

  // Runs with a word in them; a full stop that no blank follows, as in 3.5, ends none.
  function sentences(text) {
    const whole = ([run], end) => HAS_WORD.test(run) && (end === text.length || BLANKS.test(text[end]));
    return [...text.matchAll(SENTENCES)].filter((found) => whole(found, found.index + found[0].length)).length;
  }

  const LENGTH = {
    words: (text) => matches(text, WORDS).length,
    characters: (text) => [...text].length,
    sentences,
    lines: (text) => text.split(LINE_ENDS).filter((line) => NOT_BLANK.test(line)).length,
  };

  // The value; INVALID when the text is no JSON; UNCHECKED where Python's answer depends on its version.
  function json(text) {
    const inner = FENCE.exec(text)?.[1] ?? text;
    let depth = 0;
    let deepest = 0;
    let inText = false;
    for (let at = 0; at < inner.length; at += 1) {
      const char = inner[at];
      if (inText) {
        if (char === "\\") at += 1;
        else if (char === '"') inText = false;
      } else if (char === '"') inText = true;
      else if (char === "[" || char === "{") deepest = Math.max(deepest, depth += 1);
      else if (char === "]" || char === "}") depth -= 1;
    }
    if (deepest > DEEPEST) return UNCHECKED;
    try {
      const value = JSON.parse(inner);
      return integersFit(inner) ? value : INVALID;
    } catch {
      return INVALID;
    }
  }

  function integersFit(text) {
    if (text.length <= LONGEST_INTEGER) return true;
    const outside = text.replace(/"(?:\\[\s\S]|[^"\\])*"/gu, '""');
    return matches(outside, /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu)
      .every((number) => /[.eE]/u.test(number) || number.replace("-", "").length <= LONGEST_INTEGER);
  }

  return { fold, json, INVALID, UNCHECKED, length: (unit, text) => LENGTH[unit](text), slice: (text, most) =>
    text.length <= most ? text : [...text].slice(0, most).join("") };
})();
