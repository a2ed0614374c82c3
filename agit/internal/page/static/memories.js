// What agents know: whether it still holds, and how far it has faded.

import { h } from "./tree.js";
import { grid } from "./grid.js";
import { kept, open, page, param } from "./store.js";
import { bar, matches, since, state } from "./words.js";
import { choice, filterBox } from "./filter.js";

const chosen = kept((shelf, filter, which, type, by) => {
  const rows = shelf.memories.filter((m) => (which === "archived" ? m.archived : !m.archived && (!which || m.state === which || which === "fading" && fading(m, shelf))) && (!type || m.type === type) && matches(filter, m.id, m.title, m.type));
  const orders = {
    "": (a, b) => b.broken - a.broken || b.decay - a.decay,
    decay: (a, b) => b.decay - a.decay,
    used: (a, b) => b.used_at.localeCompare(a.used_at),
    importance: (a, b) => b.importance - a.importance || b.decay - a.decay,
  };
  return rows.sort(orders[by] || orders[""]);
});

const fading = (m, shelf) => m.importance < 5 && m.decay > shelf.threshold * 0.8;

// meter shows how much of the way to the archive a memory has gone.
export const meter = (m, threshold) => m.importance >= 5 ? h("span", { class: "soft" }, "never fades")
  : h("span", { class: "progress" }, h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill" + (m.decay > threshold * 0.8 ? " bad" : ""), style: { width: Math.min(100, (100 * m.decay) / threshold) + "%" } })), m.decay.toFixed(1));

export function memories() {
  const shelf = page.documents.memories;
  if (!shelf) return null;
  const rows = chosen(shelf, param("q"), param("which"), param("type"), param("by"));
  const alive = shelf.memories.filter((m) => !m.archived);
  const states = ["valid", "stale", "unreadable", "unverified"].map((name) => ({ name, n: alive.filter((m) => m.state === name).length }));
  const verdicts = Object.entries(shelf.verdicts).map(([name, n]) => ({ name, n }));
  return h("div", null,
    h("div", { class: "figures" },
      alive.length > 0 && h("section", null, h("h2", null, "Memories ", h("span", { class: "soft" }, alive.length)), bar("Memories", states)),
      verdicts.length > 0 && h("section", null, h("h2", null, "Citations by verdict"), bar("Citations", verdicts))),
    filterBox("memories",
      choice("Show", "which", [["", "all but archived"], ["valid", "valid"], ["stale", "stale"], ["unverified", "unverified"], ["fading", "fading"], ["archived", "archived"]]),
      choice("Type", "type", [["", "every type"], ...[...new Set(shelf.memories.map((m) => m.type))].sort().map((t) => [t, t])]),
      choice("Order", "by", [["", "broken first"], ["decay", "faded first"], ["used", "used last"], ["importance", "important first"]])),
    grid({
      id: "memories", label: "Memories", rows, key: (m) => m.id, open: (m) => open("memory", m.id), height: 40,
      columns: [
        { name: "Memory", size: "grow", cell: (m) => m.title },
        { name: "State", size: "m", cell: (m) => (m.archived ? state("gone", m.archived) : state(m.state)) },
        { name: "Broken", size: "s", n: true, cell: (m) => (m.citations ? m.broken + " of " + m.citations : "") },
        { name: "Decay", size: "m", cell: (m) => meter(m, shelf.threshold) },
        { name: "Type", size: "m", wide: true, cell: (m) => m.type },
        { name: "Used", size: "s", n: true, wide: true, cell: (m) => [m.uses, " × ", since(m.used_at)] },
      ],
    }));
}
