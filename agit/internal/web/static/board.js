// Tasks by epic and state: a table of numbers that leads to the tasks, and the tasks.

import { h } from "./tree.js";
import { grid, focusGrid } from "./grid.js";
import { address, open, page, param, stale } from "./store.js";
import { progress, state, taskStates } from "./words.js";
import { filterBox, more } from "./filter.js";
import { card } from "./cells.js";

export function board() {
  const all = page.documents.board;
  if (!all) return null;
  const epic = param("epic");
  const only = param("state");
  const lane = (column) => "lane-" + column.state.replace(" ", "-");
  return h("div", { class: "board", "aria-busy": stale("board") ? "true" : null },
    filterBox("tasks", epic && h("a", { href: address({ epic: "" }), "data-go": "" }, "every epic"), only && h("a", { href: address({ state: "" }), "data-go": "" }, "every state")),
    epics(all, epic, only),
    h("div", { class: "lanes" }, all.columns.map((column, i) => h("section", { key: column.state, class: "lane", "aria-labelledby": "lane-" + i },
      h("h2", { id: "lane-" + i }, state(column.state), " ", h("span", { class: "soft" }, column.count)),
      grid({
        id: lane(column), label: column.state + ", tasks", rows: column.tasks, heads: false, height: 80, className: "tall", key: (t) => t.id, open: (t) => open("task", t.id),
        move: (step) => focusGrid(lane(all.columns[i + step] || column)),
        columns: [{ name: "task", cell: tile }],
      }),
      more(column.tasks.length, column.count, "agit tasks --all", { state: column.state }))), all.columns.length === 0 && h("p", { class: "soft" }, "No task is like that.")));
}

function tile(task) {
  const [title, meta] = card("lane", task);
  return [h("span", { class: "title" }, title), h("span", { class: "meta" }, meta)];
}

function epics({ epics: groups }, epic, only) {
  if (groups.length < 2 && groups[0].id === "-") return null; // all tasks are in no epic
  const shown = groups.filter((g) => !epic || g.id === epic);
  return h("details", { class: "epics", open: !epic && !only && groups.length <= 12 }, h("summary", null, "By epic and state"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tasks by epic and state" }, h("table", { class: "matrix" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Epic"), taskStates.map((word) => h("th", { scope: "col", class: "n" }, word)), h("th", { scope: "col" }, "Progress"))),
      h("tbody", null, shown.map((g) => h("tr", { key: g.id },
        h("th", { scope: "row" }, h("a", { href: address({ epic: g.id }), "data-go": "" }, g.name)),
        taskStates.map((word) => h("td", { class: "n" }, g.counts[word] ? h("a", { href: address({ epic: g.id, state: word }), "data-go": "", "aria-label": g.counts[word] + " " + word + " in " + g.name }, g.counts[word]) : "")),
        h("td", null, progress(g.counts.done || 0, g.tasks))))))));
}

