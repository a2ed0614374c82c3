// The first screen: needs, active agents, and landings.

import { h } from "./tree.js";
import { at, link, open, page, param, project } from "./store.js";
import { count, markOf, matches, name, sentence, since, state, taskStates } from "./words.js";
import { card, table, titleOf } from "./cells.js";
import { buttons } from "./actions.js";

// aim is the subject of a need, which opens.
export const aim = (need) => (need.worktree ? ["worktree", need.worktree] : need.task ? ["task", need.task] : ["agent", need.agent || need.who]);

export const needMarks = { answer: "waiting for you", review: "to review", landing: "returned", folder: "folder is gone", conflict: "conflict", trial: "trial red", blocked: "blocked", failed: "failed", halted: "halted" };

const opens = (kind, id) => (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open(kind, id);
};

// thing is a name that opens its subject.
export const thing = (kind, id, text, more = {}) => h("a", { href: link(kind, id), onclick: opens(kind, id), ...more }, h("bdi", null, text));

function needed(need) {
  const does = buttons(need);
  const [heading, meta] = card("needs", need, ["Why", ...(does ? ["What to do"] : [])]); // its buttons show that
  return h("li", { key: need.key, "data-need": need.key, class: "card " + markOf(needMarks[need.kind])[1] }, h("p", { class: "reason" }, heading), h("p", { class: "why" }, need.question ? "asks for permission" : sentence(need.reason || need.state)), need.question && h("pre", { class: "call", tabindex: 0 }, need.question.call), h("p", { class: "meta" }, meta), does);
}

// called is a name, with its repository when several are shown.
export const called = (repo, what) => (page.state.repos.length > 1 && repo && what ? repo + "/" + what : what);

// problems lists names with the reasons for which their conflicts are not known.
export const problems = (all) => all.length > 0 && h("ul", { class: "problems" }, all.map(([of, why]) => h("li", { key: of }, h("b", null, name(of)), ": ", why)));

// unread are the repositories that were not scanned, for problems.
export const unread = (s) => s.repos.filter((r) => r.problem).map((r) => [r.name, r.problem]);

export function overview() {
  const s = page.state;
  const filter = param("q");
  const trees = new Map(s.worktrees.map((w) => [w.worktree_id, w]));
  const needs = s.needs.filter((n) => matches(filter, n.who, n.reason, n.what, n.state, n.task_name || ""));
  const agents = s.agents.filter((a) => matches(filter, a.name, a.state, a.task_name || "", trees.get(a.worktree)?.name || ""));
  const one = (a) => a.name + (a.state === "seen" ? " " + a.worktree : ""); // an agent with several worktrees has as many rows
  const all = new Set(agents.map(one));
  const present = new Set(agents.filter((a) => a.state !== "gone").map(one));
  const held = new Set(agents.map((a) => a.worktree));
  const others = s.worktrees.filter((w) => !held.has(w.worktree_id) && matches(filter, w.name, w.by || "", w.state, w.task_name || ""));
  const under = (l) => ["queued", "running", "gate running"].includes(l.state);
  const moving = s.landings.filter(under);
  const over = s.landings.filter((l) => !under(l)).slice(0, 10);
  return h("div", { class: "columns" },
    h("section", { class: "needs", "aria-labelledby": "needs" },
      h("h2", { id: "needs" }, titleOf("needs") + " ", h("span", { class: "soft" }, needs.length)),
      problems(unread(s)),
      needs.length ? h("ul", { class: "cards" }, needs.map(needed)) : h("p", { class: "soft" }, "Nothing waits for you.")),
    h("div", { class: "rest" },
      agents.length > 0 && h("section", { "aria-labelledby": "agents" },
        h("h2", { id: "agents" }, titleOf("agents") + " ", h("span", { class: "soft" }, present.size, present.size < all.size && ", " + (all.size - present.size) + " gone")),
        table("agents", agents, (a) => a.name + " " + (a.worktree || ""), { class: "agents" })),
      others.length > 0 && h("section", { "aria-labelledby": "trees" },
        h("h2", { id: "trees" }, agents.length ? "Other worktrees " : "Worktrees ", h("span", { class: "soft" }, others.length)),
        table("worktrees", others, (w) => w.worktree_id)),
      moving.length > 0 && landings(titleOf("landings"), moving),
      tasks(s),
      over.length > 0 && landings("Last landings", over)));
}

const landings = (title, rows) => {
  const id = title.replace(" ", "-").toLowerCase();
  return h("section", { "aria-labelledby": id },
    h("h2", { id }, title),
    table("landings", rows, (l) => l.id));
};

function tasks(s) {
  const counts = taskStates.filter((word) => s.tasks.counts[word]);
  if (!counts.length) return h("section", null, h("h2", null, "Tasks"), h("p", { class: "soft" }, "No tasks yet: ", h("code", null, "agit tasks create REPO \"…\"")));
  return h("section", { "aria-labelledby": "tasks" }, h("h2", { id: "tasks" }, "Tasks"),
    h("ul", { class: "totals" }, counts.map((word) => h("li", { key: word }, h("a", { href: "/board?" + new URLSearchParams({ ...(at.query.has("project") ? { project: project() } : {}), state: word }), "data-go": "" }, state(word), " ", h("b", null, s.tasks.counts[word]))))));
}

export const headline = (s) => [
  s.repos.length <= 2 ? s.repos.map((r) => h("span", { key: r.name, class: "repo" }, h("b", null, r.name), " ", r.default_branch, " ", h("code", null, r.tip))) : h("b", null, count(s.repos.length, "repository", "repositories")),
  h("span", null, count(s.totals.agents, "agent")),
  h("span", { class: s.totals.conflicts ? "bad" : "" }, s.totals.conflicts === null ? "conflicts unknown" : count(s.totals.conflicts, "conflict")),
  s.totals.landings > 0 && h("span", null, count(s.totals.landings, "landing")),
  s.totals.spent_today && h("span", null, s.totals.spent_today, " today"),
  s.totals.tracker && h("span", { class: s.totals.tracker.offline ? "bad" : "" }, s.totals.tracker.provider, s.totals.tracker.pulled_at ? [" ", since(s.totals.tracker.pulled_at), " ago"] : " never pulled", s.totals.tracker.offline && ", offline"),
];
