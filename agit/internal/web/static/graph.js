// The dependencies, with the longest chain of tasks.

import { h } from "./tree.js";
import { draw, go, kept, open, page, param, stale } from "./store.js";
import { count, markOf } from "./words.js";
import { choice, filterBox } from "./filter.js";
import { card, table, titleOf } from "./cells.js";

const width = 190;
const height = 46;
const across = 250; // from layer to layer
const down = 60; // from slot to slot

// The only text that becomes the address of a script.
const policy = globalThis.trustedTypes?.createPolicy("agit", { createScriptURL: (url) => { if (url !== "/static/layout.js") throw new TypeError(url); return url; } });

let worker = null;
let asked = null; // the picture whose layout is running
let laid = null; // the last finished layout

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

// pictured is the drawn part, chosen by the server.
const pictured = kept((plan) => {
  const critical = new Map(plan.critical.map((step, i) => [step.id, i]));
  const onPath = new Set(plan.edges.filter(([a, b]) => critical.has(a) && critical.get(b) === critical.get(a) + 1).map((e) => e.join("\n")));
  return { number: ++number, nodes: plan.nodes, edges: plan.edges, onPath, byId: new Map(plan.nodes.map((node) => [node.id, node])) };
});

const view = { zoom: 1, active: "" };

const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

export function graph() {
  const plan = page.documents.plan;
  if (!plan) return null;
  const picture = pictured(plan);
  layOut(picture);
  const ready = laid?.picture === picture ? laid : null;
  return h("div", { class: "graph", "aria-busy": stale("plan") ? "true" : null },
    filterBox("tasks", plan.epics.length > 0 && choice("Epic", "epic", [["", "every epic"], ...plan.epics.map((e) => [e.id, e.name])]),
      h("label", { class: "choice" }, h("input", { type: "checkbox", checked: param("done") === "show", onchange: (e) => go({ done: e.target.checked ? "show" : "" }) }), " done tasks"),
      h("span", { class: "zoom", role: "group", "aria-label": "Size" }, zoomButton("−", "smaller", 0.8), zoomButton("+", "larger", 1.25))),
    path(plan),
    h("p", { class: "soft small" }, plan.grouped ? "More unfinished tasks than can be looked at: epics stand for theirs; choose one to see them. " : "", plan.left ? count(plan.left, "more task") + " not shown; a filter finds them. " : "", plan.folded ? count(plan.folded, "done task") + " not shown. " : "",
      picture.nodes.length > 0 && "Arrow keys follow the lines, Enter opens."),
    picture.nodes.length === 0 ? h("p", { class: "soft" }, "No unfinished task waits for another.")
      : h("div", { class: "canvas", key: "canvas", "aria-busy": ready ? null : "true" }, ready ? drawing(ready) : h("p", { class: "soft" }, "laying out " + count(picture.nodes.length, "task") + " …")),
    inWords(plan));
}

const zoomButton = (text, label, by) => h("button", { type: "button", "aria-label": label, onclick: () => { view.zoom = Math.min(2, Math.max(0.2, view.zoom * by)); draw(); } }, text);

function path(plan) {
  if (!plan.critical.length) return page.projects.length > 1 && !param("project") ? h("p", { class: "soft" }, "Choose a project for its critical path.") : null;
  return h("details", { class: "path", open: plan.steps <= 8 }, h("summary", null, titleOf("path") + ": ", count(plan.steps, "task")),
    h("ol", null, plan.critical.map((t) => h("li", { key: t.id }, card("path", t).flatMap((part) => [part, " "])))),
    plan.steps > plan.critical.length && h("p", { class: "soft small" }, "and ", count(plan.steps - plan.critical.length, "more task")));
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
    const says = n.kind === "epic" ? `Epic ${n.name}, ${count(n.tasks, "task")}` : `${n.kind === "bug" ? "Bug " : ""}${n.name}, ${n.kind === "bug" ? "open" : n.state}${n.critical ? ", on the critical path" : ""}`;
    return h("g", {
      key: n.id, class: "node " + colour + (n.critical ? " critical" : "") + (n.state === "done" ? " done" : ""), transform: `translate(${x} ${y})`, role: "button", "aria-label": says,
      tabindex: n.id === view.active ? 0 : -1, "data-node": n.id, onclick: () => pick(n), onfocus: () => { view.active = n.id; },
    },
      h("rect", { width, height, rx: 6 }),
      h("text", { class: "mark", x: 10, y: 19 }, mark),
      h("text", { class: "name", x: 27, y: 19 }, short(n.name, 23)),
      h("text", { class: "under", x: 27, y: 36 }, short(n.kind === "epic" ? count(n.tasks, "task") : n.id + (n.agent ? " · " + n.agent : ""), 26)),
      h("title", null, says));
  };
  return h("svg", { viewBox: `0 0 ${w} ${hgt}`, width: w * view.zoom, height: hgt * view.zoom, role: "group", "aria-label": "What waits for what", onkeydown: (event) => walk(event, picture, places) },
    h("g", { class: "edges", "aria-hidden": "true" }, picture.edges.filter((e) => !picture.onPath.has(e.join("\n"))).map(line), picture.edges.filter((e) => picture.onPath.has(e.join("\n"))).map(line)),
    picture.nodes.map(node));
}

function pick(n) {
  if (n.kind === "epic") go({ epic: n.epic });
  else open(n.kind, n.id);
}

// walk moves along lines with left and right, and within a layer with up and down.
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

// inWords describes the picture in words, up to a readable length.
const inWords = (plan) => h("details", { class: "words" }, h("summary", null, "The same as a table"),
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": titleOf("waiting") + ", as a table" }, table("waiting", plan.waiting, (t) => t.id)),
  plan.waits > plan.waiting.length && h("p", { class: "soft small" }, "and ", count(plan.waits - plan.waiting.length, "more task")));
