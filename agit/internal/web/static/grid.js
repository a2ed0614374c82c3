// A list of any length: the document has only the visible rows and the active one, which
// the keyboard moves and a screen reader reads.

import { h } from "./tree.js";
import { draw } from "./store.js";

const kept = new Map(); // the state of each list between drawings, by its id

function memory(id) {
  if (!kept.has(id)) kept.set(id, { top: 0, height: 600, active: 0, chosen: null, first: null, element: null });
  return kept.get(id);
}

// follow keeps the chosen row when others come and go, and the scroll position: that of the
// chosen row while the list has the focus, otherwise that of the first visible row once the
// list was scrolled.
function follow(m, rows, key, height) {
  const place = (name, at) => (name === null || at < rows.length && key(rows[at]) === name ? at : rows.findIndex((row) => key(row) === name));
  const was = m.active;
  const now = place(m.chosen, was);
  if (now >= 0) m.active = now;
  m.active = Math.max(0, Math.min(m.active, rows.length - 1));
  if (m.chosen !== null && rows.length) m.chosen = key(rows[m.active]);
  const edge = Math.floor(m.top / height);
  const there = place(m.first, edge);
  const held = m.chosen !== null && m.element && m.element === document.activeElement;
  const moved = held ? m.active - was : m.top > 0 && there >= 0 ? there - edge : 0;
  if (moved !== 0) {
    m.top = Math.max(0, m.top + moved * height);
    queueMicrotask(() => { if (m.element) m.element.scrollTop = m.top; }); // once the list is drawn, before it is seen
  }
  const seen = rows[Math.floor(m.top / height)];
  m.first = seen ? key(seen) : null;
}

const narrow = matchMedia("(max-width: 60rem)");
narrow.addEventListener("change", draw);

const stackedHeight = 64; // of a row with two lines

const spare = 6; // rows beyond the edge, so that scrolling shows no gap

// grid shows rows of one height. columns are { name, cell(row), wide, n }: a wide one is
// left out on a narrow page, where the others use two lines, and n is right-aligned. key names a row, open handles Enter and
// clicks. A list of one column without headings shows cards.
export function grid({ id, label, rows, columns, key, open, height = 36, heads = true, className = "", move }) {
  const m = memory(id);
  const stacked = heads && narrow.matches;
  if (stacked) {
    height = stackedHeight;
    heads = false;
    className += " stacked";
  }
  const named = heads || stacked; // the first cell names its row
  follow(m, rows, key, height);
  const first = Math.max(0, Math.floor(m.top / height) - spare);
  const until = Math.min(rows.length, Math.ceil((m.top + m.height) / height) + spare);
  const seen = [];
  for (let i = first; i < until; i++) seen.push(i);
  if (rows.length && (m.active < first || m.active >= until)) seen.push(m.active);
  const rowId = (i) => id + "-" + i;

  const choose = (i) => {
    m.active = Math.max(0, Math.min(i, rows.length - 1));
    m.chosen = rows.length ? key(rows[m.active]) : null;
  };
  const to = (i) => {
    choose(i);
    const top = m.active * height;
    const room = m.element.clientHeight - (heads ? height : 0);
    if (top < m.element.scrollTop) m.element.scrollTop = top;
    else if (top + height > m.element.scrollTop + room) m.element.scrollTop = top + height - room;
    draw();
  };
  const keys = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = Math.max(1, Math.floor(m.height / height) - 1);
    const moves = { ArrowDown: m.active + 1, ArrowUp: m.active - 1, j: m.active + 1, k: m.active - 1, PageDown: m.active + step, PageUp: m.active - step, Home: 0, End: rows.length - 1 };
    if (event.key in moves) to(moves[event.key]);
    else if (event.key === "Enter" && rows.length) open(rows[m.active], event);
    else if (move && (event.key === "ArrowLeft" || event.key === "ArrowRight")) move(event.key === "ArrowLeft" ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const made = (element) => {
    m.element = element;
    element.scrollTop = m.top;
    new ResizeObserver(() => {
      if (element.clientHeight && element.clientHeight !== m.height) {
        m.height = element.clientHeight;
        draw();
      }
    }).observe(element);
  };
  const scrolled = () => {
    const top = m.element.scrollTop;
    const other = Math.floor(top / height) !== Math.floor(m.top / height);
    m.top = top;
    m.first = rows.length ? key(rows[Math.min(Math.floor(top / height), rows.length - 1)]) : null;
    if (other) draw();
  };
  const line = (i) => {
    const row = rows[i];
    return h("div", {
      key: key(row), id: rowId(i), role: "row", class: "row" + (i === m.active ? " active" : ""), "aria-rowindex": i + (heads ? 2 : 1),
      "aria-selected": i === m.active ? "true" : "false",
      style: { transform: "translateY(" + i * height + "px)", height: height + "px" }, onclick: (event) => { choose(i); open(row, event); },
    }, columns.map((c, n) => h("div", { key: c.name, role: n === 0 && named ? "rowheader" : "gridcell", class: cellClass(c) }, c.cell(row))));
  };
  return h("div", {
    key: id, id, class: "grid " + className, role: "grid", tabindex: 0, "aria-label": label, "aria-rowcount": rows.length + (heads ? 1 : 0), "aria-colcount": columns.length,
    "aria-activedescendant": rows.length ? rowId(m.active) : null, onkeydown: keys, onscroll: scrolled, made,
    style: { "--content": Math.max(1, rows.length) * height + (heads ? 34 : 0) + 18 + "px" },
  },
    heads && h("div", { class: "heads", role: "rowgroup" }, h("div", { class: "row head", role: "row", "aria-rowindex": 1 },
      columns.map((c) => h("div", { key: c.name, role: "columnheader", class: cellClass(c) }, c.name)))),
    rows.length > 0 && h("div", { class: "rows", role: "rowgroup", style: { height: rows.length * height + "px" } }, seen.sort((a, b) => a - b).map(line)),
    rows.length === 0 && h("div", { role: "rowgroup" }, h("div", { role: "row", class: "none soft" }, h("div", { role: "gridcell" }, "none"))));
}

const cellClass = (c) => "cell" + (c.wide ? " wide" : "") + (c.n ? " n" : "") + (c.size ? " " + c.size : "");

// focusGrid moves the keyboard to a list.
export const focusGrid = (id) => kept.get(id)?.element?.focus();

// activeRow is the place of the active row of the list that has the keyboard, or null.
export function activeRow() {
  for (const [id, m] of kept) if (m.element && m.element === document.activeElement) return { id, index: m.active };
  return null;
}
