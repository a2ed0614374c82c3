// The box above a list, and choices beside it. Both are in the address.

import { h } from "./tree.js";
import { address, go, param } from "./store.js";

export const filterBox = (what, ...more) => h("div", { class: "filters" },
  h("input", {
    type: "search", class: "filter", "aria-label": "Filter " + what, placeholder: "Filter " + what + "  /", value: param("q"), spellcheck: "false", autocomplete: "off",
    oninput: (event) => go({ q: event.target.value }, { replace: true }),
  }), more);

export const choice = (label, name, values) => h("label", { class: "choice" }, label, " ",
  h("select", { value: param(name), onchange: (event) => go({ [name]: event.target.value }) },
    values.map(([value, text]) => h("option", { key: value, value, selected: value === param(name) }, text))));

const step = 500; // rows that "more" adds

// more is a link to the rows of a long list that were not sent, or, beyond the server's limit, the command that lists all;
// changes are extra changes of the address.
export function more(shown, count, command, changes = {}) {
  if (shown >= count) return false;
  const most = Number(document.documentElement.dataset.mostRows);
  return h("p", { class: "soft more" }, "The first ", shown, " of ", count, ". ",
    shown >= most ? ["The page shows no more: choose with the filter, or list them with ", h("code", null, command), "."]
      : h("a", { href: address({ ...changes, most: Math.min(shown + step, most) }), "data-go": "" }, "Show ", Math.min(step, count - shown, most - shown), " more"));
}
