// The memories of agents: their verdicts and their decay.

import { h } from "./tree.js";
import { grid } from "./grid.js";
import { open, page, stale } from "./store.js";
import { bar } from "./words.js";
import { columns, titleOf } from "./cells.js";
import { choice, filterBox, more } from "./filter.js";

const order = ["valid", "stale", "unreadable", "unverified"];

export function memories() {
  const shelf = page.documents.memories;
  if (!shelf) return null;
  const states = Object.entries(shelf.states).map(([name, n]) => ({ name, n })).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const alive = states.reduce((sum, s) => sum + s.n, 0);
  const verdicts = Object.entries(shelf.verdicts).map(([name, n]) => ({ name, n }));
  return h("div", { "aria-busy": stale("memories") ? "true" : null },
    h("div", { class: "figures" },
      alive > 0 && h("section", null, h("h2", null, "Memories ", h("span", { class: "soft" }, alive)), bar("Memories", states)),
      verdicts.length > 0 && h("section", null, h("h2", null, "Citations by verdict"), bar("Citations", verdicts))),
    filterBox("memories",
      choice("Show", "state", [["", "all but archived"], ["valid", "valid"], ["stale", "stale"], ["unverified", "unverified"], ["fading", "fading"], ["archived", "archived"]]),
      choice("Type", "type", [["", "every type"], ...shelf.types.map((t) => [t, t])]),
      choice("Order", "by", [["", "broken first"], ["decay", "faded first"], ["used", "used last"], ["importance", "important first"]])),
    grid({
      id: "memories", label: titleOf("memories"), rows: shelf.memories, key: (m) => m.id, open: (m) => open("memory", m.id), height: 40,
      columns: columns("memories"),
    }),
    more(shelf.memories.length, shelf.count, "memoryd export"));
}
