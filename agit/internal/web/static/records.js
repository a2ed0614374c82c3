// The scores of agents.

import { h } from "./tree.js";
import { page, param } from "./store.js";
import { matches } from "./words.js";
import { filterBox } from "./filter.js";
import { table, titleOf } from "./cells.js";

export function records() {
  const all = page.documents.records;
  if (!all) return null;
  const rows = all.filter((r) => matches(param("q"), r.agent)).toSorted((a, b) => b.sp - a.sp || b.xp - a.xp || a.agent.localeCompare(b.agent));
  return h("div", null,
    filterBox("agents"),
    rows.length === 0 && h("p", { class: "soft" }, "No agent is registered."),
    rows.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": titleOf("records") }, table("records", rows, (r) => r.agent, { class: "records" })));
}
