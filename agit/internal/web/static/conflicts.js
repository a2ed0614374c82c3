// Which worktrees collide, and on which lines.

import { h } from "./tree.js";
import { go, kept, page, param } from "./store.js";
import { count, matches } from "./words.js";
import { filterBox } from "./filter.js";
import { called, problems, unread } from "./overview.js";
import { depth, table, titleOf } from "./cells.js";

const order = { merge: 0, uses: 1, lines: 2, file: 3 };

const sideKey = (side) => side.worktree || "branch " + side.name;

const matrix = kept((conflicts) => {
  const sides = new Map();
  const cells = new Map();
  for (const c of conflicts) {
    for (const s of c.sides) sides.set(sideKey(s), s);
    for (let i = 0; i < c.sides.length; i++) {
      for (let j = i + 1; j < c.sides.length; j++) {
        const pair = [sideKey(c.sides[i]), sideKey(c.sides[j])];
        for (const key of [pair.join("\n"), pair.reverse().join("\n")]) {
          if (!cells.has(key)) cells.set(key, []);
          cells.get(key).push(c);
        }
      }
    }
  }
  const keys = [...sides.keys()].sort((a, b) => (a.startsWith("branch ") - b.startsWith("branch ")) || sides.get(a).name.localeCompare(sides.get(b).name));
  return { sides, cells, keys };
});

const titled = (side) => [side.name, side.by && h("span", { class: "soft small block" }, side.by)];

export function conflicts() {
  const s = page.state;
  const filter = param("q");
  const pair = param("pair");
  const m = matrix(s.conflicts);
  const rows = s.conflicts.filter((c) => matches(filter, c.file, ...c.sides.flatMap((side) => [side.name, side.agent || ""])) && (!pair || pair.split("~").every((key) => c.sides.some((side) => sideKey(side) === key))))
    .toSorted((a, b) => order[a.depth] - order[b.depth]);
  return h("div", null,
    filterBox("conflicts", pair && h("a", { href: "#", onclick: (e) => { e.preventDefault(); go({ pair: "" }); } }, "every pair")),
    problems([...unread(s), ...s.worktrees.filter((w) => w.problem).map((w) => [called(w.repo, w.name), w.problem])]),
    s.conflicts.length === 0 && h("p", { class: "soft" }, s.totals.conflicts === null ? "Not every repository was scanned yet." : "No worktree is in another's way."),
    m.keys.length > 0 && h("section", { "aria-labelledby": "matrix" }, h("h2", { id: "matrix" }, "Who with whom"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "matrix" }, h("table", { class: "matrix pairs" },
        h("thead", null, h("tr", null, h("td", null), m.keys.map((k) => h("th", { scope: "col", key: k }, titled(m.sides.get(k)))))),
        h("tbody", null, m.keys.filter((k) => !k.startsWith("branch ")).map((a) => h("tr", { key: a }, h("th", { scope: "row" }, titled(m.sides.get(a))),
          m.keys.map((b) => cell(m, a, b)))))))),
    rows.length > 0 && h("section", { "aria-labelledby": "files" }, h("h2", { id: "files" }, titleOf("files") + " ", h("span", { class: "soft" }, rows.length)),
      table("files", rows.slice(0, 500), (c) => c.repo + c.file + c.depth + c.sides.map(sideKey).join())));
}

function cell(m, a, b) {
  if (a === b) return h("td", { key: b, class: "self" });
  const list = m.cells.get(a + "\n" + b);
  if (!list) return h("td", { key: b });
  const worst = list.toSorted((x, y) => order[x.depth] - order[y.depth])[0];
  const label = `${count(list.length, "file")} between ${m.sides.get(a).name} and ${m.sides.get(b).name}, ${depth(worst.depth)}`;
  return h("td", { key: b, class: worst.depth === "merge" ? "hit bad" : "hit warn" },
    h("button", { type: "button", "aria-label": label, onclick: () => go({ pair: a + "~" + b }) },
      h("b", null, worst.depth === "merge" ? "✕ " : "≈ ", list.length), list.slice(0, 2).map((c) => h("span", { key: c.file, class: "small block" }, c.file.split("/").at(-1), " ", c.lines || "")),
      list.length > 2 && h("span", { class: "small block" }, `and ${list.length - 2} more`)));
}
