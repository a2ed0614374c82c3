// The lists. Their columns come from the server, which paints the first page by the same tables.

import { h } from "./tree.js";
import { tables } from "./tables.js";
import { kept, page } from "./store.js";
import { ago, clock, count, day, name, progress, sentence, since, state } from "./words.js";
import { aim, called, needMarks, thing } from "./overview.js";

// sat is the last time that a session was active; "now" for an open one.
export const sat = (s) => (s.status === "active" ? Date.now() : Date.parse(s.ended_at || s.heard_at));

const depths = { merge: "will not merge", uses: "may break", lines: "same lines", file: "same file" };
export const depth = (word) => depths[word];

// meter shows how close a memory is to the archive.
export const meter = (m, threshold) => m.importance >= 5 ? h("span", { class: "soft" }, "never fades")
  : h("span", { class: "progress" }, h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill" + (m.decay > threshold * 0.8 ? " bad" : ""), style: { width: Math.min(100, (100 * m.decay) / threshold) + "%" } })), m.decay.toFixed(1));

const byRef = kept((trees) => new Map(trees.map((w) => [w.worktree_id, w])));
const tree = (agent) => byRef(page.state.worktrees).get(agent.worktree); // the worktree in which it works
const place = (of, ref) => (ref ? thing("worktree", ref, called(of.repo, of.name)) : called(of.repo, of.name));
const files = (w) => [state(w.state), w.notes?.length > 0 && h("p", { class: "soft small" }, w.notes.join(", "))];
const number = (n, word) => n > 0 && h("span", { class: "nowrap" }, n + " " + word);

// The ways to show a value; tables.go has the same ones by the same names.
const cells = {
  text: (v) => v ?? "",
  code: (v) => v && h("code", null, v),
  record: (v) => thing("record", v, v),
  faults: (v) => h("span", { class: v ? "bad" : "" }, v),
  decimal: (v) => v.toFixed(1),
  since: (v) => since(v),
  moment: (v) => day(v) + " " + clock(v),
  halted: (v) => (v ? state("halted") : ""),
  kept: (m) => (m.archived ? state("gone", m.archived) : state(m.state)),
  broken: (m) => (m.citations ? m.broken + " of " + m.citations : ""),
  faded: (m) => meter(m, page.documents.memories.threshold),
  used: (m) => [m.uses, " × ", since(m.used_at)],
  ticket: (t) => state(t.category, t.status || t.category),
  verified: (all) => (all.length ? progress(all.filter((c) => c.status === "verified").length, all.length) : ""),
  sitter: (v) => v || "no agent",
  outcome: (s) => (s.status === "active" ? state("active") : state(s.outcome || s.status)),
  lasted: (s) => ago(s.started_at, sat(s)),
  about: (s) => s.summary || s.title || "",
  heading: (n) => thing(...aim(n), heading(n)),
  reason: (n) => sentence(n.reason || n.state),
  need: (n) => [state(needMarks[n.kind], n.state), n.since && [" ", since(n.since)]],
  who: (n) => n.who !== n.task && n.who !== n.task_name && name(n.who),
  subject: (n) => subject(n) !== heading(n) && name(subject(n)),
  sentence: (v) => v && sentence(v),
  priority: (v) => v !== "medium" && v,
  task: (t) => thing("task", t.id, t.name),
  ids: (all) => all.join(", "),
  worker: (a) => [a.state === "seen" ? name(a.name) : thing("agent", a.name, a.name), a.host && h("span", { class: "soft" }, " on " + a.host)], // the suite has no agent of that name
  state: (v) => state(v),
  standing: (r) => [state(r.state), " ", since(r.since), r.halted && [" ", state("halted")], r.messages_waiting > 0 && [" ", count(r.messages_waiting, "message waits", "messages wait")]],
  work: (a) => [tree(a) ? place(tree(a), tree(a).worktree_id) : a.task ? thing("task", a.task, a.task_name || a.task) : "", a.note && h("p", { class: "soft small" }, a.note)],
  distance: (a) => tree(a) && [number(tree(a).ahead, "ahead"), " ", number(tree(a).behind, "behind")],
  tree: (a) => tree(a) && files(tree(a)),
  files: (w) => files(w),
  place: (r) => place(r, r.worktree_id || r.worktree),
  gate: (l) => l.reason || (l.gate && h("code", null, l.gate)) || (l.commit && h("code", null, l.commit)),
  file: (c) => h("code", null, called(c.repo, c.file)),
  sides: (all) => all.map((side, i) => [i > 0 && " × ", side.worktree ? thing("worktree", side.worktree, side.by ? [side.by, " ", name(side.name)] : side.name) : name(side.name)]),
  depth: (c) => (c.depth === "merge" ? state("conflict", depths.merge) : [depths[c.depth], c.why?.map((text) => h("p", { key: text, class: "soft small" }, text))]),
};

// subject is the subject of a need: a worktree, or a task's id.
const subject = (n) => (n.worktree ? called(n.repo, n.what) : n.what);

// heading is the name of a need's task, otherwise its worktree, otherwise its agent.
export const heading = (n) => n.task_name || subject(n) || n.who;

// columns are those of a list, for a grid.
export const columns = (list) => tables[list].columns.map((c) => ({ ...c, cell: (row) => cells[c.as || "text"](c.of ? row[c.of] : row) }));

// card is a row outside of a table: its name, and the other cells in a line, without the omitted columns.
export function card(list, row, without = []) {
  const [first, ...rest] = columns(list).filter((c) => !without.includes(c.name)).map((c) => c.cell(row)).filter(Boolean);
  return [first, rest.map((part, i) => [i > 0 && " · ", part])];
}

export const titleOf = (list) => tables[list].title;

const kind = (c) => [c.n && "n", c.wide && "wide"].filter(Boolean).join(" ") || null;

// table shows a short list as a table; key names a row.
export const table = (list, rows, key, properties = null) => h("table", properties,
  tables[list].note && h("caption", { class: "soft small" }, tables[list].note),
  h("thead", null, h("tr", null, tables[list].columns.map((c) => h("th", { key: c.name, scope: "col", class: kind(c) }, c.name)))),
  h("tbody", null, rows.map((row) => h("tr", { key: key(row) }, columns(list).map((c, i) => h(i ? "td" : "th", { key: c.name, class: kind(c), scope: i ? null : "row" }, c.cell(row)))))));
