// What waits for what, with the chain of tasks that takes longest.

import { h } from "./tree.js";
import { draw, go, kept, open, page, param } from "./store.js";
import { count, markOf, matches, state } from "./words.js";
import { choice, filterBox } from "./filter.js";
import { thing } from "./overview.js";

const width = 190;
const height = 46;
const across = 250; // from layer to layer
const down = 60; // from slot to slot
const most = 300; // nodes that a person can look at; beyond it, what is done is folded

// The one text that becomes the address of a script is this one.
const policy = globalThis.trustedTypes?.createPolicy("agit", { createScriptURL: (url) => { if (url !== "/static/layout.js") throw new TypeError(url); return url; } });

let worker = null;
let asked = null; // the picture that is being laid out
let laid = null; // the last one that is

function layOut(picture) {
  if (asked === picture || laid?.picture === picture) return;
  asked = picture;
  worker ||= new Worker(policy ? policy.createScriptURL("/static/layout.js") : "/static/layout.js");
  worker.onmessage = ({ data }) => {
    if (asked?.number !== data.id) return;
    laid = { picture: asked, ...data };
    asked = null;
    draw();
  };
  worker.postMessage({ id: picture.number, nodes: picture.nodes.map(({ id, critical }) => ({ id, weight: critical ? 1 : 0 })), edges: picture.edges });
}

let number = 0;

// pictured is what is drawn: unfinished tasks and what they wait for. Of more than a person can
// look at, finished ones are left out, then epics stand for their tasks.
const pictured = kept((plan, filter, epic, all) => {
  const critical = new Map(plan.critical.map((id, i) => [id, i]));
  const nodes = new Map();
  for (const t of plan.tasks) nodes.set(t.id, { id: t.id, kind: "task", name: t.name, state: t.state, epic: t.epic, agent: t.agent });
  for (const b of plan.bugs) nodes.set(b.id, { id: b.id, kind: "bug", name: b.name, state: "blocked", bug: true });
  const joined = new Set(plan.edges.flat());
  const wanted = (node) => (!epic || node.epic === epic || node.bug) && matches(filter, node.id, node.name, node.agent || "");
  let shown = [...nodes.values()].filter((node) => wanted(node) && (joined.has(node.id) || critical.has(node.id)));
  let folded = 0;
  let grouped = false;
  const unfinished = shown.filter((node) => node.state !== "done");
  if (shown.length > most || !all) {
    folded = shown.length - unfinished.length;
    shown = unfinished;
  }
  let edges = plan.edges.map(([waits, on]) => [on, waits]);
  let left = 0;
  if (shown.length > most && epic) {
    left = shown.length - most;
    const rank = (node) => (critical.has(node.id) ? -1 : telling.indexOf(node.state));
    shown = shown.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
  } else if (shown.length > most) {
    grouped = true;
    ({ shown, edges } = group(plan, shown, edges, critical));
  }
  const here = new Set(shown.map((node) => node.id));
  edges = edges.filter(([from, to]) => here.has(from) && here.has(to));
  shown.forEach((node) => { node.critical = node.critical || critical.has(node.id); });
  const onPath = new Set(edges.filter(([a, b]) => critical.has(a) && critical.get(b) === critical.get(a) + 1).map((e) => e.join("\n")));
  return { number: ++number, nodes: shown, edges, onPath, folded, left, grouped, byId: new Map(shown.map((node) => [node.id, node])) };
});

// The states of a group, the most telling first: it shows that of any of its tasks.
const telling = ["blocked", "failed", "in progress", "claimed", "ready", "waits", "done"];

// group lets an epic stand for its tasks, but for those of the critical path.
function group(plan, shown, edges, critical) {
  const names = new Map(plan.epics.map((e) => [e.id, e.name]));
  const stands = new Map();
  const groups = new Map();
  for (const node of shown) {
    if (critical.has(node.id)) continue;
    const id = "epic " + (node.epic || "");
    if (!groups.has(id)) groups.set(id, { id, kind: "epic", epic: node.epic, name: names.get(node.epic) || "in no epic", state: "waits", n: 0, counts: {} });
    const g = groups.get(id);
    g.n++;
    g.counts[node.state] = (g.counts[node.state] || 0) + 1;
    stands.set(node.id, id);
  }
  for (const g of groups.values()) g.state = telling.find((word) => g.counts[word]) || "waits";
  const seen = new Set();
  const joined = [];
  for (const [from, to] of edges) {
    const pair = [stands.get(from) || from, stands.get(to) || to];
    if (pair[0] === pair[1] || seen.has(pair.join("\n"))) continue;
    seen.add(pair.join("\n"));
    joined.push(pair);
  }
  return { shown: [...shown.filter((node) => critical.has(node.id)), ...groups.values()], edges: joined };
}

const view = { zoom: 1, active: "" };

const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

export function graph() {
  const plan = page.documents.plan;
  if (!plan) return null;
  const picture = pictured(plan, param("q"), param("epic"), param("done") === "show");
  layOut(picture);
  const ready = laid?.picture === picture ? laid : null;
  return h("div", { class: "graph" },
    filterBox("tasks", plan.epics.length > 0 && choice("Epic", "epic", [["", "every epic"], ...plan.epics.map((e) => [e.id, e.name])]),
      h("label", { class: "choice" }, h("input", { type: "checkbox", checked: param("done") === "show", onchange: (e) => go({ done: e.target.checked ? "show" : "" }) }), " done tasks"),
      h("span", { class: "zoom", role: "group", "aria-label": "Size" }, zoomButton("−", "smaller", 0.8), zoomButton("+", "larger", 1.25))),
    path(plan),
    h("p", { class: "soft small" }, picture.grouped ? "More than " + most + " unfinished tasks: epics stand for theirs; choose one to see them. " : "", picture.left ? "The first " + most + " are shown, " + count(picture.left, "more task") + " not; a filter finds them. " : "", picture.folded ? count(picture.folded, "done task") + " not shown. " : "",
      picture.nodes.length > 0 && "Arrow keys follow the lines, Enter opens."),
    picture.nodes.length === 0 ? h("p", { class: "soft" }, "No unfinished task waits for another.")
      : h("div", { class: "canvas", key: "canvas", "aria-busy": ready ? null : "true" }, ready ? drawing(ready) : h("p", { class: "soft" }, "laying out " + count(picture.nodes.length, "task") + " …")),
    table(plan, picture));
}

const zoomButton = (text, label, by) => h("button", { type: "button", "aria-label": label, onclick: () => { view.zoom = Math.min(2, Math.max(0.2, view.zoom * by)); draw(); } }, text);

function path(plan) {
  if (!plan.critical.length) return page.projects.length > 1 && !param("project") ? h("p", { class: "soft" }, "Choose a project for its critical path.") : null;
  const tasks = new Map(plan.tasks.map((t) => [t.id, t]));
  return h("details", { class: "path", open: plan.critical.length <= 8 }, h("summary", null, "Critical path: ", count(plan.critical.length, "task")),
    h("ol", null, plan.critical.map((id) => h("li", { key: id }, thing("task", id, tasks.get(id)?.name || id), " ", tasks.has(id) && state(tasks.get(id).state)))));
}

function drawing({ picture, places, layers, slots }) {
  const w = Math.max(0, layers - 1) * across + width + 8;
  const hgt = slots * down + 8;
  const at = (id) => [places[id][0] * across + 4, places[id][1] * down + 4];
  if (!picture.byId.has(view.active)) view.active = picture.nodes.find((n) => n.critical)?.id || picture.nodes[0].id;
  const line = ([from, to]) => {
    const [x1, y1] = at(from);
    const [x2, y2] = at(to);
    const a = [x1 + width, y1 + height / 2];
    const b = [x2, y2 + height / 2];
    const bend = Math.max(30, Math.abs(b[0] - a[0]) / 2);
    return h("path", { key: from + "\n" + to, class: "edge" + (picture.onPath.has(from + "\n" + to) ? " critical" : ""), d: `M${a[0]} ${a[1]}C${a[0] + bend} ${a[1]} ${b[0] - bend} ${b[1]} ${b[0]} ${b[1]}` });
  };
  const node = (n) => {
    const [x, y] = at(n.id);
    const [mark, colour] = markOf(n.state);
    const says = n.kind === "epic" ? `Epic ${n.name}, ${count(n.n, "task")}` : `${n.bug ? "Bug " : ""}${n.name}, ${n.bug ? "open" : n.state}${n.critical ? ", on the critical path" : ""}`;
    return h("g", {
      key: n.id, class: "node " + colour + (n.critical ? " critical" : "") + (n.state === "done" ? " done" : ""), transform: `translate(${x} ${y})`, role: "button", "aria-label": says,
      tabindex: n.id === view.active ? 0 : -1, "data-node": n.id, onclick: () => pick(n), onfocus: () => { view.active = n.id; },
    },
      h("rect", { width, height, rx: 6 }),
      h("text", { class: "mark", x: 10, y: 19 }, mark),
      h("text", { class: "name", x: 27, y: 19 }, short(n.name, 23)),
      h("text", { class: "under", x: 27, y: 36 }, short(n.kind === "epic" ? count(n.n, "task") : n.id + (n.agent ? " · " + n.agent : ""), 26)),
      h("title", null, says));
  };
  return h("svg", { viewBox: `0 0 ${w} ${hgt}`, width: w * view.zoom, height: hgt * view.zoom, role: "group", "aria-label": "What waits for what", onkeydown: (event) => walk(event, picture, places) },
    h("g", { class: "edges", "aria-hidden": "true" }, picture.edges.filter((e) => !picture.onPath.has(e.join("\n"))).map(line), picture.edges.filter((e) => picture.onPath.has(e.join("\n"))).map(line)),
    picture.nodes.map(node));
}

function pick(n) {
  if (n.kind === "epic") go({ epic: n.epic || "" });
  else open(n.kind, n.id);
}

// walk follows lines sideways and the layer up and down.
function walk(event, picture, places) {
  const id = event.target.closest("[data-node]")?.dataset.node;
  if (!id) return;
  if (event.key === "Enter" || event.key === " ") pick(picture.byId.get(id));
  else {
    const near = {
      ArrowRight: picture.edges.filter((e) => e[0] === id).map((e) => e[1]), ArrowLeft: picture.edges.filter((e) => e[1] === id).map((e) => e[0]),
      ArrowDown: beside(1), ArrowUp: beside(-1),
    }[event.key];
    if (!near) return;
    if (near.length) focus(near[0]);
  }
  event.preventDefault();
  event.stopPropagation();

  function beside(step) {
    const [layer, slot] = places[id];
    return picture.nodes.map((n) => n.id).filter((other) => places[other][0] === layer && Math.sign(places[other][1] - slot) === step)
      .sort((a, b) => Math.abs(places[a][1] - slot) - Math.abs(places[b][1] - slot));
  }
  function focus(other) {
    view.active = other;
    const element = event.currentTarget.querySelector(`[data-node="${CSS.escape(other)}"]`);
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    draw();
  }
}

const inWords = kept((plan, picture) => {
  const on = new Map();
  for (const [waits, what] of plan.edges) {
    if (!on.has(waits)) on.set(waits, []);
    on.get(waits).push(what);
  }
  const finished = new Set(plan.tasks.filter((t) => t.state === "done").map((t) => t.id));
  return plan.tasks.filter((t) => t.state !== "done" && on.has(t.id) && (picture.grouped || picture.byId.has(t.id)))
    .map((t) => ({ ...t, on: on.get(t.id).filter((id) => !finished.has(id)) })).filter((t) => t.on.length).slice(0, 200);
});

// table says the picture in words, as far as someone reads.
const table = (plan, picture) => h("details", { class: "words" }, h("summary", null, "The same as a table"),
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What waits for what, as a table" }, h("table", null, h("thead", null, h("tr", null, ["Task", "State", "Waits for"].map((x) => h("th", { scope: "col" }, x)))),
    h("tbody", null, inWords(plan, picture).map((t) => h("tr", { key: t.id }, h("th", { scope: "row" }, thing("task", t.id, t.name)), h("td", null, state(t.state)), h("td", null, t.on.join(", "))))))));

