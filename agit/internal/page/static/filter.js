// The box above a list, and choices beside it. Both are in the address.

import { h } from "./tree.js";
import { go, param } from "./store.js";

export const filterBox = (what, ...more) => h("div", { class: "filters" },
  h("input", {
    type: "search", class: "filter", "aria-label": "Filter " + what, placeholder: "Filter " + what + "  /", value: param("q"), spellcheck: "false", autocomplete: "off",
    oninput: (event) => go({ q: event.target.value }, { replace: true }),
  }), more);

export const choice = (label, name, values) => h("label", { class: "choice" }, label, " ",
  h("select", { value: param(name), onchange: (event) => go({ [name]: event.target.value }) },
    values.map(([value, text]) => h("option", { key: value, value, selected: value === param(name) }, text))));
