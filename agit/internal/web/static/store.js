// The page's data, its address, and when it is drawn again.

import { get, Refusal } from "./net.js";

export const views = [["", "Overview"], ["board", "Board"], ["graph", "Graph"], ["conflicts", "Conflicts"], ["timeline", "Timeline"],
  ["memories", "Memories"], ["sprint", "Sprint"], ["records", "Records"]];

// The document of each view besides the state, which all of them have.
const documents = { board: "board", graph: "plan", timeline: "timeline", memories: "memories", sprint: "sprint", records: "records" };

// The parameters of the address by which the server selects rows of a long list.
const filters = { plan: ["q", "epic", "done"], board: ["q", "epic", "sprint", "assignee", "state", "most"], sprint: ["q", "sprint", "most"], timeline: ["q", "span", "most"], memories: ["q", "state", "type", "by", "most"] };

export const page = {
  known: false, // there is a token
  actions: document.documentElement.dataset.actions === "yes",
  state: null,
  projects: [],
  documents: {}, // by name
  asked: {}, // the filters of each document
  panel: null, // { kind, id, document, problem }
  live: false,
  heard: 0, // when the state was last confirmed
  problem: "",
  lost: "", // why changes do not arrive
};

// Where the page is: the path is the view, the query is everything else.
export const at = { view: "", query: new URLSearchParams() };

export function readAddress() {
  const path = location.pathname.replace(/^\//, "");
  at.view = views.some(([name]) => name === path) ? path : "";
  at.query = new URLSearchParams(location.search);
}

export const param = (name) => at.query.get(name) || "";

// project is the shown project: the address's, otherwise that of the folder in which the page was started.
export const project = () => (at.query.has("project") ? param("project") : document.documentElement.dataset.project || "");

// address is the address after a change of view or query; "" removes a name. Another view
// starts without the filters of this one.
export function address(changes, view = at.view) {
  const query = new URLSearchParams(view === at.view ? at.query : at.query.has("project") ? { project: param("project") } : {});
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" && name !== "project" || value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return "/" + view + (text ? "?" + text : "");
}

let drawing = () => {};
let pending = false;

export function onDraw(draw) {
  drawing = draw;
}

// draw schedules one drawing for all changes until then.
export function draw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    drawing();
  });
}

// go changes the address: typing replaces it, every other change adds to the history.
export function go(changes, { view = at.view, replace = false } = {}) {
  const to = address(changes, view);
  if (to === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  moved();
}

// moved follows the address.
export function moved() {
  const before = { project: project(), view: at.view };
  readAddress();
  openPanel();
  if (before.project !== project()) {
    page.state = null;
    page.documents = {};
    page.asked = {};
    onProject();
  }
  if (before.view !== at.view) page.problem = "";
  fresh();
  draw();
}

let onProject = () => {};
export const whenProjectChanges = (then) => { onProject = then; };

// open opens a panel beside the view, with an address of its own.
export const open = (kind, id, more = {}) => go({ open: kind + ":" + id, part: "", ...more });
export const link = (kind, id) => address({ open: kind + ":" + id, part: "" });

function openPanel() {
  const [kind, id] = [param("open").split(":", 1)[0], param("open").slice(param("open").indexOf(":") + 1)];
  if (!param("open")) page.panel = null;
  else if (page.panel?.kind !== kind || page.panel?.id !== id) page.panel = { kind, id, document: null, problem: "" };
}

// The documents that only a panel shows.
const details = { task: "task", bug: "bug", worktree: "worktree", memory: "memory", record: "record" };

let asking = false;
let again = false;
let last = 0;
const rest = 400; // between two requests: continuous typing or writing is one change

// fresh requests the shown documents, and once more if something changed meanwhile.
export async function fresh() {
  if (!page.known) return;
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  do {
    again = false;
    const pause = last + rest - Date.now();
    if (pause > 0 && page.state) await new Promise((resolve) => setTimeout(resolve, pause));
    last = Date.now();
    await ask();
  } while (again);
  asking = false;
}

// filtered is the present filters of a document.
const filtered = (name) => Object.fromEntries((filters[name] || []).filter(param).map((each) => [each, param(each)]));

// stale reports whether a document was requested before the last change of the filters.
export const stale = (name) => page.asked[name] !== JSON.stringify(filtered(name));

async function ask() {
  const of = { project: project() };
  const name = documents[at.view];
  const by = name && filtered(name);
  const panel = page.panel;
  try {
    const [state, document] = await Promise.all([get("state", of), name && get(name, { ...of, ...by })]);
    if (of.project !== project()) return void (again = true);
    page.state = state;
    page.heard = Date.now();
    arrived();
    if (name) {
      page.documents[name] = document;
      page.asked[name] = JSON.stringify(by);
    }
    page.problem = "";
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) page.known = false;
    page.problem = error.message + (error.hint ? "; " + error.hint : "");
  }
  draw();
  if (panel && details[panel.kind]) {
    try {
      panel.document = await get(details[panel.kind], { id: panel.id });
      panel.problem = "";
    } catch (error) {
      panel.problem = error.message;
    }
    draw();
  }
}

let arrived = () => {};

// whenStateArrives is called with each new state.
export function whenStateArrives(then) {
  arrived = then;
}

let following = 0;
const followEvery = 1000;

// followed requests the logs of a panel's worktree again while it is open. Nothing else changes as a log grows.
export function followed(panel) {
  if (following) return;
  following = setTimeout(async () => {
    following = 0;
    if (page.panel !== panel || !panel.document) return;
    try {
      panel.document = { ...panel.document, logs: await get("logs", { id: panel.id }) };
    } catch {
      return; // the next change tries again
    }
    draw();
  }, followEvery);
}

// kept remembers what a function made of documents while these are the same objects.
export function kept(make) {
  let inputs = null;
  let made;
  return (...now) => {
    if (!inputs || inputs.length !== now.length || inputs.some((input, i) => input !== now[i])) {
      inputs = now;
      made = make(...now);
    }
    return made;
  };
}
