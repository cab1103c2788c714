// Elements of the page. Whatever comes from the rubric or the answer becomes text, never markup.
"use strict";

const Elements = (() => {
  // make("p", {class: "note"}, "text", element …): properties of the element, `class`, `aria-…`, `data-…`, `on…`.
  function make(tag, settings = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (name === "class") element.className = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name.includes("-") || name === "for" || name === "role") element.setAttribute(name, value);
      else element[name] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  let last = 0;
  const fresh = (name) => `${name}-${last += 1}`;

  // A score or a weight with at most four decimals, without zeros at the end.
  const number = (value) => String(Math.round(value * 10000) / 10000);
  const percent = (share) => `${(Math.round(share * 1000) / 10).toFixed(1)} %`;

  // A bar from 0 to 1: what is sure is filled, what is still possible is hatched.
  function bar() {
    const sure = make("span", { class: "sure" });
    const open = make("span", { class: "open" });
    const element = make("span", { class: "bar", "aria-hidden": "true" }, sure, open);
    const show = (low, high) => {
      sure.style.setProperty("inline-size", `${low * 100}%`);
      open.style.setProperty("inline-size", `${(high - low) * 100}%`);
    };
    return { element, show };
  }

  const range = (low, high) => low === high ? number(low) : `${number(low)} – ${number(high)}`;

  return { bar, fresh, make, number, percent, range };
})();
