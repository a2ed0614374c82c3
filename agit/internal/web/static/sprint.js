// Sprints, tickets and their acceptance criteria.

import { h } from "./tree.js";
import { grid } from "./grid.js";
import { open, page, param, stale } from "./store.js";
import { bar, count, day, since } from "./words.js";
import { columns, titleOf } from "./cells.js";
import { choice, filterBox, more } from "./filter.js";

export function sprint() {
  const backlog = page.documents.sprint;
  if (!backlog) return null;
  return h("div", { "aria-busy": stale("sprint") ? "true" : null },
    sync(backlog.sync),
    backlog.sprints.filter((s) => !param("sprint") || String(s.id) === param("sprint")).slice(0, 3).map(head),
    filterBox("tickets", choice("Sprint", "sprint", [["", "all"], ...backlog.sprints.map((s) => [String(s.id), s.name]), ["0", "none"]])),
    grid({
      id: "tickets", label: titleOf("tickets"), rows: backlog.tickets, key: (t) => t.id, open: (t) => open("ticket", t.id), height: 40,
      columns: columns("tickets"),
    }),
    more(backlog.tickets.length, backlog.count, "pmsync ticket list"));
}

function head(s) {
  const parts = ["done", "in_progress", "todo", "canceled"].map((name) => ({ name, n: s.counts[name] || 0 }));
  return h("section", { key: "sprint" + s.id, class: "sprint", "aria-labelledby": "sprint" + s.id },
    h("h2", { id: "sprint" + s.id }, s.name, " ", h("span", { class: "soft" }, s.status, s.starts && s.ends ? ", " + day(s.starts) + " to " + day(s.ends) : "")),
    s.goal && h("p", null, s.goal), bar(s.name, parts));
}

const sync = (s) => s && h("p", { class: "soft small" }, s.provider, s.pulled_at ? [", pulled ", since(s.pulled_at), " ago"] : ", never pulled", s.offline && " · offline",
  s.pending > 0 && " · " + count(s.pending, "change") + " to send", s.conflicts > 0 && h("b", { class: "bad" }, " · " + count(s.conflicts, "conflict")), s.failure && h("span", { class: "bad" }, " · " + s.failure));
