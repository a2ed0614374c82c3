// One thing in full, beside the view. Escape closes it.

import { h } from "./tree.js";
import { address, followed, go, page, param } from "./store.js";
import { ago, clock, count, day, markOf, sentence, since, state } from "./words.js";
import { called, thing } from "./overview.js";
import { meter } from "./cells.js";
import { buttons, editor } from "./actions.js";
import { commented, line, numbered } from "./comments.js";

const facts = (...rows) => h("dl", { class: "facts" }, rows.filter((row) => row && row[1] !== null && row[1] !== undefined && row[1] !== "" && row[1] !== false).map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))));

const items = (ids, kind = "task") => ids?.length > 0 && ids.map((id, i) => [i > 0 && ", ", thing(kind, id, id)]);

const outside = (url) => /^https?:\/\//i.test(url);

export function panel() {
  const p = page.panel;
  const [title, body] = (kinds[p.kind] || kinds.none)(p);
  return h("aside", { key: "panel " + p.kind + " " + p.id, class: "panel", "aria-labelledby": "panel-title", made: (element) => element.querySelector("h2").focus() },
    h("header", null, h("h2", { id: "panel-title", tabindex: -1 }, title), h("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "✕")),
    p.problem && h("p", { class: "problem", role: "alert" }, p.problem),
    h("div", { class: "body" }, body));
}

export function close() {
  go({ open: "", part: "" });
}

const loading = h("p", { class: "soft" }, "…");

// holderOf is the agent that holds a task, if the task is listed.
const holderOf = (id) => page.state?.tasks.list.find((t) => t.id === id && ["claimed", "in progress", "blocked"].includes(t.state))?.agent;

// waits shows the reason of a need and the next step.
const waits = (n) => h("div", { key: n.key, class: "note " + markOf(n.state)[1] }, h("p", null, state(n.state), ": ", n.question ? "asks for permission" : sentence(n.reason)), n.question && h("pre", { class: "call", tabindex: 0 }, n.question.call), n.next && h("p", { class: "soft" }, "What to do: ", sentence(n.next), "."), n.question && buttons(n));

// rest is a need without its question, which has its own buttons.
const rest = (n) => ({ ...n, question: undefined });

const notListed = (what) => h("p", { class: "soft" }, "This " + what + " is not among those that are listed: choose another filter, or show more.");

const kinds = {
  none: (p) => ["Nothing", h("p", { class: "soft" }, "There is no " + p.kind + " to show.")],

  worktree(p) {
    const w = page.state?.worktrees.find((x) => x.worktree_id === p.id);
    const d = p.document;
    const part = param("part") || "diff";
    const need = page.state?.needs.filter((n) => n.worktree === p.id) || [];
    const logs = d?.logs || [];
    return [w?.name || p.id, [
      w && facts(["Agent", w.agent && thing("agent", w.agent, w.agent)], ["Made by", w.main_checkout ? "the main checkout" : w.maker], ["State", state(w.state)], ["Notes", (w.notes || []).join(", ")], ["Task", w.task && thing("task", w.task, w.task_name || w.task)],
        ["Branch", h("code", null, w.branch)], ["Commits", [w.ahead !== null && w.ahead + " ahead", w.behind > 0 && ", " + w.behind + " behind"]], ["Folder", w.path && h("code", null, w.path)], ["Problem", w.problem && h("span", { class: "bad" }, sentence(w.problem))]),
      need.map(waits),
      w && buttons({ ...rest(need[0]), worktree: p.id, repo: w.repo, task: w.task, what: w.name, head: w.head, holder: holderOf(w.task), state: need[0]?.state || "" }, "worktree"),
      h("nav", { class: "parts", "aria-label": "Parts" }, [["diff", "Diff", d && count(d.difference.files.length, "file")], ...logs.map((l) => [l.kind, l.kind === "gate" ? "Gate log" : "Log", null])].map(([name, text, more]) =>
        h("a", { key: name, href: address({ part: name === "diff" ? "" : name }), "data-go": "", "aria-current": part === name ? "true" : null }, text, more && h("span", { class: "soft" }, " ", more)))),
      !d ? loading : part === "diff" ? difference(d, page.actions && need.some((n) => n.kind === "review") && p.id) : log(p, logs.find((l) => l.kind === part || part === "log")),
    ]];
  },

  task(p) {
    const t = p.document;
    if (!t) return [p.id, !p.problem && loading];
    const all = page.state?.needs.filter((n) => n.task === t.id) || [];
    const need = all[0] || { kind: "", task: t.id, what: t.name, repo: t.repo };
    return [t.name, [
      facts(["Task", h("code", null, t.id)], ["State", state(shownState(t))], ["Agent", t.agent && thing("agent", t.agent, t.agent)], ["Priority", t.priority], ["Epic", t.epic], ["Worktree", t.worktree && thing("worktree", t.worktree, t.worktree)],
        ["Waits for", items(t.depends_on)], ["Blocked by", items(t.blocked_by, "bug")], ["Waited for by", items(t.blocks)], ["Made from", t.origin], ["Estimate", t.estimated_duration], ["Took", t.actual_duration], ["Made", since(t.created_at)]),
      buttons({ ...rest(need), state: t.status, holder: ["claimed", "in_progress", "blocked"].includes(t.status) && t.agent, stood: ["completed", "failed"].includes(t.status) && t.completed_at }, "task"),
      all.map(waits),
      h("section", { id: "why" }, h("h3", null, t.why.ready ? "Why it can be begun" : "Why it is not ready"),
        t.why.reasons.length ? h("ul", null, t.why.reasons.map((r) => h("li", { key: r.why }, r.sentence))) : h("p", { class: "soft" }, t.why.ready ? "Nothing stands in its way." : "")),
      t.description && t.description !== t.name && h("section", null, h("h3", null, "Text"), h("pre", { class: "text" }, t.description)),
      t.result && h("section", null, h("h3", null, "Result"), h("pre", { class: "text" }, t.result)),
      page.actions && editor(t),
      t.history?.length > 0 && h("section", null, h("h3", null, "History"), h("ol", { class: "history" }, t.history.toReversed().map((e, i) => h("li", { key: i }, since(e.at || e.time), " ", eventText(e))))),
    ]];
  },

  bug(p) {
    const b = p.document;
    if (!b) return [p.id, !p.problem && loading];
    return [b.title, [facts(["Bug", h("code", null, b.bugId)], ["Status", b.status], ["Severity", b.severity], ["Found by", b.foundBy], ["Found in", b.foundInTask && items([b.foundInTask])], ["Blocks", items(b.blockedTasks)], ["Reported", since(b.created)]),
      b.description && h("pre", { class: "text" }, b.description)]];
  },

  agent(p) {
    const places = page.state?.agents.filter((x) => x.name === p.id) || [];
    const a = places.find((x) => holderOf(x.task) === p.id) || places[0]; // a held task has actions
    if (!a) return [p.id, h("p", { class: "soft" }, "This agent holds no worktree and no task here. ", thing("record", p.id, "Its record"))];
    const trees = page.state.worktrees.filter((w) => w.agent === a.name);
    const all = page.state.needs.filter((n) => n.agent === a.name);
    const need = all[0];
    return [a.name, [facts(["State", [state(a.state), " ", since(a.since)]], ["Says", a.note], ["Told by", a.source], ["Task", a.task && thing("task", a.task, a.task_name || a.task)], ["Heard of", since(a.last_seen)],
      ["Claims end", a.freed_at && clock(a.freed_at)], ["Record", thing("record", a.name, "score and events")]),
    buttons({ ...rest(need), task: a.task, what: a.task_name || "", repo: a.repo, state: need?.state || a.state, holder: holderOf(a.task), agent: a.name }, "agent"),
    all.map(waits),
    trees.length > 0 && h("section", null, h("h3", null, "Worktrees"), h("ul", null, trees.map((w) => h("li", { key: w.worktree_id }, thing("worktree", w.worktree_id, called(w.repo, w.name)), " ", state(w.state)))))]];
  },

  session(p) {
    const s = page.documents.timeline?.sessions.find((x) => x.id === p.id);
    if (!s) return [p.id, page.documents.timeline ? notListed("session") : loading];
    return ["Session " + s.id, [facts(["Agent", s.agent], ["Status", state(s.status)], ["Outcome", s.outcome && state(s.outcome)], ["Worked on", s.item && [s.item, " ", s.title]], ["Client", s.client], ["Started", day(s.started_at) + " " + clock(s.started_at)],
      ["Ended", s.ended_at && day(s.ended_at) + " " + clock(s.ended_at)], ["Lasted", ago(s.started_at, Date.parse(s.ended_at || s.heard_at))], ["Memories made", s.memories || ""]),
    s.summary && h("pre", { class: "text" }, s.summary)]];
  },

  memory(p) {
    const m = p.document;
    if (!m) return [p.id, !p.problem && loading];
    return [m.title, [facts(["Memory", h("code", null, m.id)], ["State", m.archived ? state("gone", m.archived) : state(m.state)], ["Type", m.type], ["Confidence", Math.round(100 * m.confidence) + " %"], ["Importance", m.importance + " of 5"],
      ["Decay", [meter(m, page.documents.memories?.threshold || 30)]], ["Used", [m.uses, " times, last ", since(m.used_at), " ago"]], ["By", m.agent], ["Expires", m.expires_at && day(m.expires_at)]),
    h("pre", { class: "text" }, m.content),
    m.cited.length > 0 && h("section", null, h("h3", null, "Citations"), h("ul", { class: "cited" }, m.cited.map((c, i) => h("li", { key: i }, state(c.verdict), " ", h("code", null, c.path + (c.line ? ":" + c.line : "")), c.found && [" → ", h("code", null, c.found)], c.at && [" ", h("span", { class: "soft" }, since(c.at), " ago")]))))]];
  },

  ticket(p) {
    const t = page.documents.sprint?.tickets.find((x) => x.id === p.id);
    if (!t) return [p.id, page.documents.sprint ? notListed("ticket") : loading];
    return [t.title, [facts(["Ticket", h("code", null, t.id)], ["Status", state(t.category, t.status)], ["Assignee", t.assignee], ["Priority", t.priority], ["Due", t.due], ["Tracker", outside(t.url) && h("a", { href: t.url, rel: "noreferrer noopener", target: "_blank" }, new URL(t.url).host)]),
      h("section", null, h("h3", null, "Criteria"), t.criteria.length ? h("ul", { class: "criteria" }, t.criteria.map((c, i) => h("li", { key: i }, state(c.status), " ", c.text))) : h("p", { class: "soft" }, "None were found in its text."))]];
  },

  record(p) {
    const r = p.document;
    if (!r) return [p.id, !p.problem && loading];
    return [r.agent, [facts(["Score points", r.sp], ["Experience", r.xp.toFixed(1)], ["Communication score", r.cs], ["Commits", r.commits], ["Bugs found", r.bugs], ["State", r.halted && state("halted")]),
      h("section", null, h("h3", null, "Last events"), r.events.length ? h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "When"), h("th", { scope: "col" }, "What"), ["SP", "XP", "CS"].map((x) => h("th", { scope: "col", class: "n" }, x)))),
        h("tbody", null, r.events.map((e, i) => h("tr", { key: i }, h("td", null, since(e.at)), h("td", null, e.kind.replace("_", " "), e.times > 1 && " × " + e.times, e.commit && [" ", h("code", null, e.commit)], e.note && h("span", { class: "soft" }, " ", e.note)), h("td", { class: "n" }, signed(e.sp)), h("td", { class: "n" }, signed(e.xp)), h("td", { class: "n" }, signed(e.cs)))))) : h("p", { class: "soft" }, "None yet."))]];
  },
};

const signed = (n) => (n > 0 ? "+" + n : n === 0 ? "" : n);

function shownState(t) {
  if (t.status === "pending") return t.why.ready ? "ready" : "waits";
  return { in_progress: "in progress", completed: "done" }[t.status] || t.status;
}

const eventText = (e) => [[e.agent || e.actor, e.field === "status" ? null : e.field, e.old && e.new ? e.old + " → " + e.new : e.new || ""].filter(Boolean).join(" "), e.why && h("span", { class: "soft" }, " ", e.why)];

const linesShown = 3000; // of a difference; `agit diff` shows longer ones

// difference shows a worktree's changes. Its lines take comments if reviewed names the worktree, whose review is open.
function difference(d, reviewed) {
  if (d.problem) return h("p", { class: "problem" }, sentence(d.problem));
  const diff = d.difference;
  let room = linesShown;
  return [
    h("p", { class: "soft small" }, diff.files.length ? [count(diff.files.length, "file"), ", ", h("b", { class: "good" }, "+" + diff.added), " ", h("b", { class: "bad" }, "−" + diff.removed), " since ", h("code", null, diff.base), diff.cut && ", and more than is shown", diff.later && [". Since it was shown for review ", count(diff.later.length, "file"), " changed, and will not land with it: ", diff.later.slice(0, 5).join(", "), diff.later.length > 5 && ", …"], diff.settings_changed && [". ", h("b", { class: "bad" }, "It changes the project's settings: ", diff.settings_changed.join(", "))]] : ["Nothing differs from ", h("code", null, diff.base), "."]),
    reviewed && diff.files.length > 0 && h("p", { class: "soft small", role: "status" }, commented(reviewed) ? [commented(reviewed), " for its agent: Return sends ", commented(reviewed) === "1 comment" ? "it" : "them", " with the next brief."] : "The number of a line opens a comment for its agent."),
    diff.files.map((f, file) => {
      const shown = room > 0;
      room -= f.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
      return h("details", { key: f.path, class: "file", open: shown && diff.files.length <= 12 }, h("summary", null, h("code", null, f.from ? f.from + " → " + f.path : f.path), " ", f.change !== "modified" && h("span", { class: "soft" }, f.change + " "), h("span", { class: "good" }, f.added ? "+" + f.added : ""), " ", h("span", { class: "bad" }, f.removed ? "−" + f.removed : "")),
        f.binary ? h("p", { class: "soft" }, "binary") : shown ? f.hunks.map((hunk, i) => h("div", { key: i, class: "hunk" }, h("p", { class: "at" }, hunk.at), h("pre", null, reviewed ? commentable(reviewed, f, file, hunk, i) : hunk.lines.map(diffLine)))) : h("p", { class: "soft" }, "too long to show here"));
    }),
  ];
}

const lineKind = (text) => (text[0] === "+" ? "add" : text[0] === "-" ? "del" : "same");

const diffLine = (text, i) => h("span", { key: i, class: lineKind(text) }, text + "\n");

function commentable(tree, f, file, hunk, at) {
  const numbers = numbered(hunk);
  return hunk.lines.map((text, row) => line(tree, { path: f.path, file, hunk: at, row, number: numbers[row], text, kind: lineKind(text) }));
}

// log is the end of a log. An open log is requested again, and stays scrolled to its end.
const log = (p, l) => {
  if (!l) return h("p", { class: "soft" }, "Nothing was logged.");
  if (l.open) followed(p);
  return [h("p", { class: "soft small" }, "begun ", since(l.begun), " ago; ", l.open ? "it goes on" : "the last lines"), h("pre", { class: "log", tabindex: 0, "aria-label": "Log", made: toEnd }, l.lines.join("\n"))];
};

const toEnd = (e) => {
  e.scrollTop = e.scrollHeight;
  let atEnd = true;
  e.addEventListener("scroll", () => { atEnd = e.scrollTop + e.clientHeight >= e.scrollHeight - 4; });
  new MutationObserver(() => { if (atEnd) e.scrollTop = e.scrollHeight; }).observe(e, { characterData: true, childList: true, subtree: true });
};
