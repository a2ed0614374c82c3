// Sessions as bars over time, a lane for each agent, and as a list.

import { h } from "./tree.js";
import { grid } from "./grid.js";
import { go, kept, open, page, param, stale } from "./store.js";
import { ago, clock, count, day } from "./words.js";
import { columns, sat, titleOf } from "./cells.js";
import { choice, filterBox, more } from "./filter.js";

const spans = { hour: ["hour", 1], shift: ["six hours", 6], "": ["day", 24], week: ["week", 24 * 7], month: ["month", 24 * 30] };
const order = Object.keys(spans);
const steps = [1, 5, 15, 60, 180, 720, 1440, 7200].map((minutes) => minutes * 60000); // between two lines of the picture
const lane = 30;
const left = 110;
const wide = 1000;

const chosen = kept((sessions, from) => sessions.filter((s) => Date.parse(s.heard_at) >= from)); // time has passed since they were sent

export function timeline() {
  const all = page.documents.timeline;
  if (!all) return null;
  const hours = (spans[param("span")] || spans[""])[1];
  const until = Math.ceil(Date.now() / 60000) * 60000;
  const from = until - hours * 3600000;
  const shown = chosen(all.sessions, from);
  return h("div", { "aria-busy": stale("timeline") ? "true" : null },
    filterBox("sessions", choice("Last", "span", order.map((value) => [value, spans[value][0]])),
      h("span", { class: "zoom" }, zoom("−", "A longer time", 1), zoom("+", "A shorter time", -1))),
    shown.length === 0 ? h("p", { class: "soft" }, all.last ? (param("q") ? "No session in this time is like that; the last one was " : "No session in this time; the last one was ") + ago(all.last) + " ago." : "No sessions yet: memoryd keeps them.")
      : [picture(shown, from, until, hours), list(shown), more(all.sessions.length, all.count, "memoryd session list --limit " + all.count)]);
}

// zoom is a button for the next longer or shorter period.
function zoom(text, label, by) {
  const next = order[order.indexOf(spans[param("span")] ? param("span") : "") + by];
  return h("button", { type: "button", "aria-label": label, disabled: next === undefined, onclick: () => go({ span: next }) }, text);
}

// scale joins the periods with sessions: a long stretch without one is cut to a mark with its length.
export function scale(sessions, from, until, width) {
  const room = (until - from) / 48; // around sessions
  const parts = [];
  for (const [a, b] of sessions.map((s) => [Math.max(from, Date.parse(s.started_at) - room), Math.min(until, Math.max(sat(s), Date.parse(s.started_at)) + room)]).sort((one, other) => one[0] - other[0])) {
    const last = parts.at(-1);
    if (last && a <= last.to + 2 * room) last.to = Math.max(last.to, b);
    else parts.push({ from: a, to: b });
  }
  if (parts.length && until - parts.at(-1).to <= 2 * room) parts.at(-1).to = until;
  if (parts.length && parts[0].from - from <= 2 * room) parts[0].from = from;
  const gaps = [];
  let at = from;
  for (const part of [...parts, { from: until, to: until }]) {
    if (part.from > at) gaps.push({ from: at, to: part.from });
    at = part.to;
  }
  const mark = 46; // of a gap
  const shown = parts.reduce((sum, part) => sum + part.to - part.from, 0);
  const perTime = shown ? Math.max(0, width - gaps.length * mark) / shown : 0;
  const x = (time) => {
    const t = Math.min(until, Math.max(from, time));
    let sum = 0;
    for (const part of parts) sum += Math.max(0, Math.min(t, part.to) - part.from) * perTime;
    for (const gap of gaps) sum += mark * Math.max(0, Math.min(1, (t - gap.from) / (gap.to - gap.from)));
    return sum;
  };
  return { x, parts, gaps, perTime };
}

function picture(shown, from, until, hours) {
  const agents = [...new Set(shown.map((s) => s.agent || "no agent"))].sort();
  const { x: along, parts, gaps, perTime } = scale(shown, from, until, wide - left);
  const x = (t) => left + along(t);
  const step = steps.find((each) => each * perTime >= 64) || steps.at(-1);
  const ticks = [];
  const offset = new Date(until).getTimezoneOffset() * 60000;
  for (const part of parts) for (let t = Math.ceil((part.from - offset) / step) * step + offset; t <= part.to; t += step) if (x(t) <= wide - 24 && (ticks.length === 0 || x(t) - x(ticks.at(-1)) >= 64)) ticks.push(t);
  const height = agents.length * lane + 22;
  return h("div", { class: "scroll", key: "picture" + hours, made: (e) => { e.scrollLeft = e.scrollWidth; }, tabindex: 0, role: "region", "aria-label": "Sessions over time" },
    h("svg", { class: "lanes-svg", viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": `${count(shown.length, "session")} of ${agents.join(", ")}; the list below says the same` },
      gaps.map((g) => h("g", { key: "gap" + g.from, class: "gap" }, h("rect", { x: x(g.from) + 2, width: Math.max(0, x(g.to) - x(g.from) - 4), y: 0, height: height - 20 }), h("text", { class: "tick", x: (x(g.from) + x(g.to)) / 2, y: (height - 14) / 2, "text-anchor": "middle" }, ago(new Date(g.from).toISOString(), g.to)), h("title", null, "no session for " + ago(new Date(g.from).toISOString(), g.to)))),
      ticks.map((t) => h("g", { key: t }, h("line", { class: "tick", x1: x(t), x2: x(t), y1: 0, y2: height - 20 }), h("text", { class: "tick", x: x(t), y: height - 6, "text-anchor": "middle" }, step < 86400000 ? clock(t) : day(t)))),
      agents.map((agent, i) => h("g", { key: agent }, h("line", { class: "base", x1: 0, x2: wide, y1: (i + 1) * lane, y2: (i + 1) * lane }), h("text", { class: "who", x: 4, y: i * lane + 20 }, agent.length > 14 ? agent.slice(0, 13) + "…" : agent))),
      shown.map((s) => {
        const a = x(Date.parse(s.started_at));
        const b = Math.max(x(sat(s)), a + 4);
        const word = s.status === "active" ? "active" : s.outcome || s.status;
        return h("g", { key: s.id, class: "bar " + kindOf(word), onclick: () => open("session", s.id) },
          h("rect", { x: a, y: agents.indexOf(s.agent || "no agent") * lane + 6, width: b - a, height: lane - 12, rx: 4 }), h("title", null, [s.id, word, s.title, s.summary].filter(Boolean).join(" · ")));
      })));
}

const kindOf = (word) => ({ active: "good", success: "accent", completed: "accent", partial: "warn", blocked: "bad", failed: "bad", interrupted: "warn" })[word] || "quiet";

const list = (shown) => grid({
  id: "sessions", label: titleOf("sessions"), rows: shown, key: (s) => s.id, open: (s) => open("session", s.id), height: 40,
  columns: columns("sessions"),
});
