// What the page knows, where it is, and when it is drawn again.

import { get, Refusal } from "./net.js";

export const views = [["", "Overview"], ["board", "Board"], ["graph", "Graph"], ["conflicts", "Conflicts"], ["timeline", "Timeline"],
  ["memories", "Memories"], ["sprint", "Sprint"], ["records", "Records"]];

// The document of each view besides the state, which all of them have.
const documents = { board: "board", graph: "plan", timeline: "timeline", memories: "memories", sprint: "sprint", records: "records" };

// What the server chooses the rows of a long list by, of what is in the address.
const filters = { plan: ["q", "epic", "done"], board: ["q", "epic", "sprint", "assignee", "state", "most"], sprint: ["q", "sprint", "most"], timeline: ["q", "span", "most"], memories: ["q", "state", "type", "by", "most"] };

export const page = {
  known: false, // there is a token
  actions: document.documentElement.dataset.actions === "yes",
  state: null,
  projects: [],
  documents: {}, // by name
  asked: {}, // what each of them was filtered by
  panel: null, // { kind, id, document, problem }
  live: false,
  heard: 0, // when the state was last known to be current
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

// project is the one shown: the address's, else that of the folder the page was started in.
export const project = () => (at.query.has("project") ? param("project") : document.documentElement.dataset.project || "");

// address is where a change of view or query leads; "" takes a name out. Another view
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

// draw asks for one drawing, whatever changed until then.
export function draw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    drawing();
  });
}

// go changes the address: typing replaces it, everything else can be gone back from.
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

// open shows something beside the view. It has an address of its own.
export const open = (kind, id, more = {}) => go({ open: kind + ":" + id, part: "", ...more });
export const link = (kind, id) => address({ open: kind + ":" + id, part: "" });

function openPanel() {
  const [kind, id] = [param("open").split(":", 1)[0], param("open").slice(param("open").indexOf(":") + 1)];
  if (!param("open")) page.panel = null;
  else if (page.panel?.kind !== kind || page.panel?.id !== id) page.panel = { kind, id, document: null, problem: "" };
}

// What a panel shows that no list has.
const details = { task: "task", bug: "bug", worktree: "worktree", memory: "memory", record: "record" };

let asking = false;
let again = false;
let last = 0;
const rest = 400; // between two questions: what is typed or written in one go is one change

// fresh asks for what is shown now, and once more when something changed meanwhile.
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

// filtered is what a document is filtered by now.
const filtered = (name) => Object.fromEntries((filters[name] || []).filter(param).map((each) => [each, param(each)]));

// stale tells a document that answers what was asked before the last change of the filters.
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

// whenStateArrives is told each state that came.
export function whenStateArrives(then) {
  arrived = then;
}

let following = 0;
const followEvery = 1000;

// followed asks for the logs of the worktree in a panel again, while it is open. Nothing else changes as a log grows.
export function followed(panel) {
  if (following) return;
  following = setTimeout(async () => {
    following = 0;
    if (page.panel !== panel || !panel.document) return;
    try {
      panel.document = { ...panel.document, logs: await get("logs", { id: panel.id }) };
    } catch {
      return; // the next change tells
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
