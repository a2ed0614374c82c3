// Tasks by epic and state: a table of numbers with links to the tasks, and the tasks with tickets beside them.

import { h } from "./tree.js";
import { grid, focusGrid } from "./grid.js";
import { address, go, open, page, param, stale } from "./store.js";
import { progress, state, taskStates } from "./words.js";
import { choice, filterBox, more } from "./filter.js";
import { card } from "./cells.js";

export function board() {
  const all = page.documents.board;
  if (!all) return null;
  const epic = param("epic");
  const only = param("state");
  const lane = (column) => "lane-" + column.state.replace(" ", "-");
  return h("div", { class: "board", "aria-busy": stale("board") ? "true" : null },
    filterBox("tasks and tickets", pick("Epic", "epic", all.choices.epics), pick("Sprint", "sprint", all.choices.sprints, [["0", "none"]]), pick("Assignee", "assignee", all.choices.assignees), only && h("a", { href: address({ state: "" }), "data-go": "" }, "every state")),
    epics(all, epic, only),
    h("div", { class: "lanes" }, all.columns.map((column, i) => h("section", { key: column.state, class: "lane", "aria-labelledby": "lane-" + i },
      h("h2", { id: "lane-" + i }, state(column.state), " ", h("span", { class: "soft" }, column.count)),
      grid({
        id: lane(column), label: column.state + ", tasks", rows: column.tasks, heads: false, height: 80, className: "tall", key: (t) => t.id, open: (t) => open("task", t.id),
        move: (step) => focusGrid(lane(all.columns[i + step] || column)),
        columns: [{ name: "task", cell: tile }],
      }),
      more(column.tasks.length, column.count, "agit tasks --all", { state: column.state }))),
    all.tickets.map((column) => h("section", { key: "tickets " + column.category, class: "lane beside", "aria-labelledby": "tickets-" + column.category },
      h("h2", { id: "tickets-" + column.category }, "Tickets ", state(column.category), " ", h("span", { class: "soft" }, column.count)),
      grid({
        id: "beside-" + column.category, label: column.category.replace("_", " ") + ", tickets", rows: column.tickets, heads: false, height: 80, className: "tall", key: (t) => t.id, open: (t) => (t.task ? open("task", t.task) : go({ open: "ticket:" + t.id, part: "" }, { view: "sprint" })),
        columns: [{ name: "ticket", cell: (t) => tile(t, "beside") }],
      }),
      more(column.tickets.length, column.count, "pmsync ticket list"))),
    all.columns.length + all.tickets.length === 0 && h("p", { class: "soft" }, "No task or ticket is like that.")));
}

// pick is a menu of the existing values, if there are any.
const pick = (label, name, values, none = []) => (values.length > 0 || param(name)) && choice(label, name, [["", "all"], ...values.map((c) => [c.value, c.name || c.value]), ...none]);

function tile(row, list = "lane") {
  const [title, meta] = card(list, row);
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

