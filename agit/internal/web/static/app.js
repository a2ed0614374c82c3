// The live page, which replaces the one that the server painted.

import { begin, get, listen } from "./net.js";
import { h, show } from "./tree.js";
import { address, at, draw, fresh, go, moved, onDraw, page, project, readAddress, views, whenProjectChanges, whenStateArrives } from "./store.js";
import { clock, count, sentence } from "./words.js";
import { headline, overview } from "./overview.js";
import { board } from "./board.js";
import { graph } from "./graph.js";
import { conflicts } from "./conflicts.js";
import { timeline } from "./timeline.js";
import { memories } from "./memories.js";
import { sprint } from "./sprint.js";
import { records } from "./records.js";
import { close, panel } from "./panel.js";
import { byKey, dialog } from "./actions.js";
import { bell, on as rings, ring } from "./ring.js";

const drawn = { "": overview, board, graph, conflicts, timeline, memories, sprint, records };

const root = document.getElementById("app");
let help = false;
let announced = { text: "", at: 0 };

function render() {
  const s = page.state;
  const problem = page.lost || page.problem || s?.problem;
  document.title = (page.lost ? "stale · " : s?.needs.length ? "(" + s.needs.length + ") " : "") + "agit" + (s?.repos.length === 1 ? " · " + s.repos[0].name : "");
  show(root,
    h("a", { class: "skip", href: "#main", onclick: (e) => { e.preventDefault(); document.getElementById("main").focus(); } }, "Skip to the view"),
    h("header", { class: "top" },
      h("h1", { class: "headline" }, s ? headline(s) : "agit"),
      page.projects.length > 1 && h("label", { class: "choice project" }, h("span", { class: "hidden" }, "Project"),
        h("select", { value: project(), onchange: (e) => go({ project: e.target.value, open: "", epic: "" }) }, [["", "every project"], ...page.projects.map((p) => [p.id, p.name])].map(([value, text]) => h("option", { key: value, value, selected: value === project() }, text)))),
      page.known && bell(),
      h("p", { class: "live " + (page.live ? "good" : "bad"), role: "status" }, h("span", { "aria-hidden": "true", class: "mark" }, page.live ? "●" : "○"), page.live ? "live" : page.heard ? "stale since " + clock(page.heard) : "connecting"),
      h("p", { class: "hidden", "aria-live": "polite" }, announced.text)),
    h("nav", { class: "tabs", "aria-label": "Views" }, views.map(([path, name]) => h("a", { key: path, href: address({ open: null, part: null }, path), "data-go": "", "aria-current": path === at.view ? "page" : null }, name, path === "" && s?.needs.length > 0 && h("span", { class: "badge" }, s.needs.length), path === "conflicts" && s?.totals.conflicts > 0 && h("span", { class: "badge" }, s.totals.conflicts)))),
    problem && h("p", { class: "problem", role: "alert" }, sentence(problem)), // not in the view, which a panel covers on a phone
    h("div", { class: "stage" + (page.panel ? " split" : "") },
      h("main", { id: "main", tabindex: -1, key: "main " + at.view },
        h("h2", { class: "hidden" }, views.find(([path]) => path === at.view)[1]),
        s ? drawn[at.view]() || h("p", { class: "soft" }, "…") : !problem && h("p", { class: "soft" }, "…")),
      page.panel && s && panel()),
    help && keyHelp(), dialog());
  const tab = root.querySelector(".tabs [aria-current]");
  const tabs = tab?.parentElement;
  if (tab && inSight !== at.view + tabs.scrollWidth) { // a narrow window has no room for all tabs
    inSight = at.view + tabs.scrollWidth;
    tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  }
}

let inSight = ""; // the view whose tab was scrolled into sight, and the width of all tabs

const keyHelp = () => h("dialog", { key: "help", class: "help", "aria-labelledby": "help-title", made: (e) => requestAnimationFrame(() => e.isConnected && e.showModal()), oncancel: (e) => { e.preventDefault(); toggleHelp(); } },
  h("h2", { id: "help-title" }, "Keys"),
  h("dl", { class: "keys" }, [["1 to 8", "the views"], ["/", "filter"], ["j k ↑ ↓", "move in a list"], ["Enter", "open"], ["d l w", "diff, log, why, of what is open or first"], ["a b r m", "accept, return, release, merge, with --actions"], ["t T", "tell the open agent something, at its next turn or at once, with --actions"], ["a A b", "allow, always, deny what an agent asks, with --actions"], ["q Esc", "close"], ["?", "this help"]].map(([key, what]) => h("div", { key }, h("dt", null, key.split(" ").map((k, i) => [i > 0 && " ", h("kbd", null, k)])), h("dd", null, what)))),
  h("p", { class: "buttons" }, h("button", { type: "button", onclick: toggleHelp }, "Close")));

function toggleHelp() {
  help = !help;
  draw();
}

// chosenNeed is the subject of keys: the open panel, the focused card, or the first card.
function chosenNeed() {
  const needs = page.state?.needs || [];
  if (page.panel) return needs.find((n) => n[page.panel.kind] === page.panel.id) || { [page.panel.kind]: page.panel.id };
  const card = document.activeElement?.closest(".cards > li") || document.querySelector(".cards > li");
  return card ? needs.find((n) => n.key === card.dataset.need) : needs[0];
}

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog[open]")) {
    return;
  }
  const typing = event.target.closest?.("input, textarea, select");
  if (event.key === "Escape") {
    if (typing) typing.blur();
    else if (page.panel) leave();
    else return;
    return event.preventDefault();
  }
  if (typing) return;
  const need = chosenNeed();
  if (event.key === "/") document.querySelector("input.filter")?.focus();
  else if (event.key === "?") toggleHelp();
  else if (event.key === "q") leave();
  else if (/^[1-8]$/.test(event.key)) go({ open: null, part: null }, { view: views[event.key - 1][0] });
  else if ("aAbrmtT".includes(event.key) && byKey(event.key)) { /* asked */ }
  else if ((event.key === "d" || event.key === "l") && need?.worktree) go({ open: "worktree:" + need.worktree, part: event.key === "d" ? "" : "log" });
  else if (event.key === "w" && need?.task) go({ open: "task:" + need.task, part: "" });
  else if ((event.key === "j" || event.key === "k") && step(event.key === "j" ? 1 : -1)) { /* moved */ }
  else return;
  event.preventDefault();
}

// step moves the keyboard from one row to the next where rows are links.
function step(by) {
  const rows = [...document.querySelectorAll("main .cards a, main tbody th a")];
  if (!rows.length) return false;
  const now = rows.indexOf(document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, now + by))].focus();
  return true;
}

let openedFrom = null;

function leave() {
  if (!page.panel) return;
  close();
  requestAnimationFrame(() => requestAnimationFrame(() => (openedFrom?.isConnected ? openedFrom : document.getElementById("main")).focus()));
}

document.addEventListener("keydown", keys);
document.addEventListener("focusin", (event) => { if (event.target.closest("main")) openedFrom = event.target; });
document.addEventListener("click", (event) => {
  const a = event.target.closest("a[data-go]");
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", a.getAttribute("href"));
  moved();
});
window.addEventListener("popstate", moved);

// announce tells a screen reader the number of needs, at most every ten seconds, and only when it is known.
function announce() {
  const s = page.state;
  if (!s || (s.needs.length === 0 && s.totals.conflicts === null)) return;
  const n = s.needs.length;
  const text = n === 0 ? "Nothing waits for you." : count(n, "thing waits", "things wait") + " for you.";
  const wait = announced.at + 10000 - Date.now();
  if (text === announced.text) return;
  if (wait <= 0) announced = { text, at: Date.now() };
  else if (!speaking) speaking = setTimeout(() => { speaking = 0; announce(); draw(); }, wait);
}

let speaking = 0; // the timer of the next announcement

let ending = () => {};

function follow() {
  ending();
  ending = listen(project(), {
    wanted: rings,
    opened: () => { page.live = true; page.lost = ""; fresh(); },
    changed: fresh,
    lost: (error) => {
      page.live = false;
      page.lost = error.message + (error.hint ? "; " + error.hint : "");
      if (error.status === 401) page.known = false;
      draw();
    },
  });
}

onDraw(render);
whenStateArrives(() => {
  ring(page.state.needs);
  announce();
});
whenProjectChanges(follow);

page.known = await begin(() => {
  if (!page.state) return location.reload();
  page.known = true;
  follow();
});
if (page.known) {
  readAddress();
  moved();
  follow();
  try {
    page.projects = await get("projects");
  } catch { /* the state says what is wrong */ }
  draw();
  setInterval(() => { if (!document.hidden) draw(); }, 10000); // times grow older
} else {
  const live = document.querySelector(".live");
  if (live) live.textContent += ", not live: open the address that `agit web` printed";
  else {
    show(root, h("main", null, h("h1", null, "agit"), h("p", null, "Open the address that ", h("code", null, "agit web"), " printed: it holds the token of this page.")));
  }
}
