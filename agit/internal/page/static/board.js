// Tasks by epic and state: a table of numbers that leads to the tasks, and the tasks.

import { h } from "./tree.js";
import { grid, focusGrid } from "./grid.js";
import { address, kept, open, page, param } from "./store.js";
import { matches, progress, since, state, taskStates } from "./words.js";
import { filterBox } from "./filter.js";

const none = "-"; // tasks in no epic

const sorted = kept((plan) => {
  const groups = new Map(plan.epics.map((e) => [e.id, { ...e, counts: {} }]));
  const loose = { id: none, name: "in no epic", counts: {}, tasks: 0, done: 0 };
  for (const task of plan.tasks) {
    const group = groups.get(task.epic) || loose;
    group.counts[task.state] = (group.counts[task.state] || 0) + 1;
    if (group === loose) {
      loose.tasks++;
      if (task.state === "done") loose.done++;
    }
  }
  const all = [...groups.values()];
  if (loose.tasks || !all.length) all.push(loose);
  return all;
});

const weight = { critical: 4, high: 3, medium: 2, low: 1, none: 0 };

const chosen = kept((plan, filter, epic) => {
  const by = Object.fromEntries(taskStates.map((word) => [word, []]));
  for (const task of plan.tasks) {
    if (epic && (task.epic || none) !== epic || !matches(filter, task.id, task.name, task.agent || "")) continue;
    by[task.state]?.push(task);
  }
  for (const word of taskStates) {
    const newest = word === "done" || word === "failed";
    by[word].sort((a, b) => (newest ? b.changed.localeCompare(a.changed) : (weight[b.priority] || 0) - (weight[a.priority] || 0)));
  }
  return by;
});

export function board() {
  const plan = page.documents.plan;
  if (!plan) return null;
  const epic = param("epic");
  const only = param("state");
  const by = chosen(plan, param("q"), epic);
  const shown = only ? [only] : taskStates.filter((word) => by[word].length);
  return h("div", { class: "board" },
    filterBox("tasks", epic && h("a", { href: address({ epic: "" }), "data-go": "" }, "every epic"), only && h("a", { href: address({ state: "" }), "data-go": "" }, "every state")),
    epics(plan, epic, only),
    h("div", { class: "lanes" }, shown.map((word, i) => h("section", { key: word, class: "lane", "aria-labelledby": "lane-" + i },
      h("h2", { id: "lane-" + i }, state(word), " ", h("span", { class: "soft" }, by[word].length)),
      grid({
        id: "lane-" + word.replace(" ", "-"), label: word + ", tasks", rows: by[word], heads: false, height: 80, className: "tall", key: (t) => t.id, open: (t) => open("task", t.id),
        move: (step) => focusGrid("lane-" + (shown[i + step] || word).replace(" ", "-")),
        columns: [{ name: "task", cell: (t) => [h("span", { class: "title" }, t.name), h("span", { class: "meta" }, h("code", null, t.id), t.priority !== "medium" && " · " + t.priority, t.agent && " · " + t.agent, " · ", since(t.changed))] }],
      }))), shown.length === 0 && h("p", { class: "soft" }, "No task is like that.")));
}

function epics(plan, epic, only) {
  const groups = sorted(plan);
  if (groups.length < 2 && groups[0].id === none) return null;
  const shown = groups.filter((g) => !epic || g.id === epic);
  return h("details", { class: "epics", open: !epic && !only && groups.length <= 12 }, h("summary", null, "By epic and state"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tasks by epic and state" }, h("table", { class: "matrix" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Epic"), taskStates.map((word) => h("th", { scope: "col", class: "n" }, word)), h("th", { scope: "col" }, "Done"))),
      h("tbody", null, shown.map((g) => h("tr", { key: g.id },
        h("th", { scope: "row" }, h("a", { href: address({ epic: g.id }), "data-go": "" }, g.name)),
        taskStates.map((word) => h("td", { class: "n" }, g.counts[word] ? h("a", { href: address({ epic: g.id, state: word }), "data-go": "", "aria-label": g.counts[word] + " " + word + " in " + g.name }, g.counts[word]) : "")),
        h("td", null, progress(g.done, g.tasks))))))));
}

