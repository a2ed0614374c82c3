// What agents have earned.

import { h } from "./tree.js";
import { page, param } from "./store.js";
import { matches, since, state } from "./words.js";
import { filterBox } from "./filter.js";
import { thing } from "./overview.js";

export function records() {
  const all = page.documents.records;
  if (!all) return null;
  const rows = all.filter((r) => matches(param("q"), r.agent)).toSorted((a, b) => b.sp - a.sp || b.xp - a.xp || a.agent.localeCompare(b.agent));
  return h("div", null,
    filterBox("agents"),
    rows.length === 0 && h("p", { class: "soft" }, "No agent is registered."),
    rows.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Records" }, h("table", { class: "records" }, h("caption", { class: "soft small" }, "SP score points, XP experience, CS communication score; bugs were found in the agent's work."),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Agent"), ["SP", "XP", "CS", "Commits", "Bugs"].map((x) => h("th", { scope: "col", class: "n" }, x)), h("th", { scope: "col" }, "State"), h("th", { scope: "col", class: "wide" }, "Changed"))),
      h("tbody", null, rows.map((r) => h("tr", { key: r.agent }, h("th", { scope: "row" }, thing("record", r.agent, r.agent)),
        h("td", { class: "n" }, r.sp), h("td", { class: "n" }, r.xp.toFixed(1)), h("td", { class: "n" }, r.cs), h("td", { class: "n" }, r.commits), h("td", { class: "n" + (r.bugs ? " bad" : "") }, r.bugs),
        h("td", null, r.halted ? state("halted") : ""), h("td", { class: "wide" }, since(r.updated))))))));
}
