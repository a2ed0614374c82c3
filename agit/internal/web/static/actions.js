// The actions of a page that was started with --actions. The server does the same as the
// commands; a removal is confirmed twice.

import { h } from "./tree.js";
import { post } from "./net.js";
import { draw, fresh, page } from "./store.js";
import { brief, forget } from "./comments.js";

const atWork = (name) => page.state?.agents.some((a) => a.name === name && a.state !== "gone");

// The name of each action, when it is offered, and the question before it.
const actions = {
  allow: { text: "Allow", key: "a", on: (n) => n.question, ask: (n) => `Let ${n.who} do this once?`, shows: (n) => n.question.call },
  always: { text: "Always …", key: "A", on: (n) => n.question?.rules, ask: () => "Allow this, and calls like it, from now on? It adds to work.allow in your configuration:", shows: (n) => n.question.rules.join("\n") + "\n\n" + n.question.call },
  deny: { text: "Deny …", key: "b", on: (n) => n.question, ask: (n) => `Deny it? ${n.who} goes on without.`, shows: (n) => n.question.call, why: true, freely: true },
  tell: { text: "Tell …", key: "t", on: (n, where) => where === "agent" && n.agent, ask: (n) => `Tell ${n.agent} something. It hears it with its next turn.`, why: true },
  interrupt: { text: "Tell now …", key: "T", on: (n, where) => where === "agent" && n.agent, ask: (n) => `Cancel what ${n.agent} does now, and tell it:`, why: true },
  accept: { text: "Accept", key: "a", on: (n) => n.worktree && n.kind === "review", ask: (n) => `Accept ${n.what} and land it?` },
  return: { text: "Return …", key: "b", on: (n) => n.worktree && n.kind === "review", ask: (n) => `Return ${n.what}. What has to change?`, why: true, shows: (n) => brief(n.worktree), more: (n) => brief(n.worktree), done: (n) => forget(n.worktree) },
  merge: { text: "Merge", key: "m", on: (n, where) => n.worktree && where === "worktree" && n.kind !== "review", ask: (n) => `Merge ${n.what} into the default branch? A merge that is refused changes nothing.` },
  release: { text: "Release", key: "r", on: (n) => n.task && n.holder, ask: (n) => `Take ${n.what || n.task} from ${n.holder}, so that another one can take it?`, twice: (n) => atWork(n.holder) && `Release, though ${n.holder} is not gone` },
  reopen: { text: "Reopen", on: (n) => n.task && (n.state === "failed" || n.state === "completed"), ask: (n) => `Make ${n.what || n.task} ready again?` },
  cleanup: { text: "Remove …", on: (n, where) => n.worktree && where === "worktree", ask: (n) => `Remove the worktree ${n.what}? It goes to the trash for 30 days; work that is nowhere else stops it.`, twice: (n) => `Remove ${n.what} now` },
};

export function buttons(need, where = "need") {
  const list = page.actions ? Object.entries(actions).filter(([, a]) => a.on(need, where)) : [];
  return list.length > 0 && h("p", { class: "buttons" }, list.map(([name, a]) => h("button", { key: name, type: "button", "data-key": a.key, "aria-label": a.text.replace(" …", "") + " " + (need.question?.call || need.what || need.task || need.worktree || need.agent), onclick: () => ask(name, need) }, a.text)));
}

const unsaid = new Map(); // typed reasons by subject, until the action is done
const about = (need) => need.question?.id || need.worktree || need.agent;

// The open question and its result.
const asking = { name: "", need: null, why: "", second: false, busy: false, problem: "", from: null };

function ask(name, need) {
  const stood = need.stood || page.state?.tasks.list.find((t) => t.id === need.task)?.stood;
  Object.assign(asking, { name, need: { ...need, stood }, why: unsaid.get(about(need)) || "", second: false, busy: false, problem: "", from: document.activeElement });
  draw();
}

// byKey presses the button of a key: in the open panel, in the chosen card, or in the first one.
export function byKey(key) {
  const chosen = document.querySelector(".panel") || document.activeElement?.closest(".cards > li") || document.querySelector(".cards > li");
  const button = chosen?.querySelector(`.buttons [data-key="${key}"]`);
  button?.click();
  return Boolean(button);
}

const stop = () => {
  asking.name = "";
  asking.from?.focus?.();
  draw();
};

async function go() {
  const a = actions[asking.name];
  if (a.twice?.(asking.need) && !asking.second) {
    asking.second = true;
    return draw();
  }
  asking.busy = true;
  draw();
  try {
    const n = asking.need;
    await post({ do: asking.name, repo: n.repo || "", worktree: n.worktree || "", task: n.task || "", question: n.question?.id || "", commit: (asking.name === "merge" ? n.head : n.commit) || "", stood: n.stood, holder: n.holder || "", agent: ["tell", "interrupt"].includes(asking.name) ? n.agent : "", why: [asking.why.trim(), a.more?.(n)].filter(Boolean).join("\n\n"), confirmed: asking.second });
    if (a.why) unsaid.delete(about(n));
    a.done?.(n);
    stop();
  } catch (error) {
    asking.problem = error.message + (error.hint ? ": " + error.hint : "");
  }
  asking.busy = false;
  fresh();
  draw();
}

export function dialog() {
  if (!asking.name) return null;
  const a = actions[asking.name];
  return h("dialog", { key: "ask " + asking.name, "aria-labelledby": "asked", made: (element) => requestAnimationFrame(() => element.isConnected && element.showModal()), oncancel: (event) => { event.preventDefault(); stop(); } },
    h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); go(); } },
      h("p", { id: "asked" }, a.ask(asking.need)),
      a.shows?.(asking.need) && h("pre", { class: "call", tabindex: 0 }, a.shows(asking.need)),
      a.why && h("textarea", { "aria-label": "Why", rows: a.freely ? 2 : 5, required: !a.freely && !a.more?.(asking.need), placeholder: a.freely ? "A word to the agent, or none" : a.more?.(asking.need) ? "What else has to change; your comments above go with it" : null, value: asking.why, oninput: (event) => { asking.why = event.target.value; unsaid.set(about(asking.need), asking.why); } }),
      asking.problem && h("p", { class: "problem", role: "alert" }, asking.problem),
      h("p", { class: "buttons" }, h("button", { type: "submit", class: "main", disabled: asking.busy }, asking.second ? a.twice(asking.need) : a.text.replace(" …", "")), h("button", { type: "button", onclick: stop }, "Cancel"))));
}

const edits = new Map(); // typed texts by task

// editor changes a task's text, whose first line is its name, and its priority.
export function editor(task) {
  const text = task.description || task.name;
  const e = edits.get(task.id) || { text, was: text, priority: task.priority, had: task.priority, problem: "" };
  const change = (more) => edits.set(task.id, { ...(edits.get(task.id) || e), ...more });
  const save = async (event) => {
    event.preventDefault();
    const now = edits.get(task.id) || e;
    const said = now.text !== now.was; // fields that the person did not change keep the changes of others
    const ranked = now.priority !== now.had;
    try {
      if (said || ranked) await post({ do: "edit", task: task.id, text: said ? now.text : "", was: said ? now.was : "", priority: ranked ? now.priority : "" });
      edits.delete(task.id);
    } catch (error) {
      change({ problem: error.message + (error.hint ? ": " + error.hint : "") });
    }
    fresh();
    draw();
  };
  return h("details", { class: "editor" }, h("summary", null, "Edit"), h("form", { class: "edit", onsubmit: save },
    h("label", null, "Text, whose first line is the name", h("textarea", { rows: 6, value: e.text, required: true, oninput: (event) => change({ text: event.target.value }) })),
    h("label", null, "Priority", h("select", { value: e.priority, onchange: (event) => change({ priority: event.target.value }) }, ["critical", "high", "medium", "low", "none"].map((p) => h("option", { key: p, value: p, selected: p === e.priority }, p)))),
    e.problem && h("p", { class: "problem", role: "alert" }, e.problem),
    h("p", { class: "buttons" }, h("button", { type: "submit", class: "main" }, "Save"),
      edits.has(task.id) && h("button", { type: "button", onclick: () => { edits.delete(task.id); draw(); } }, "Discard"))));
}
