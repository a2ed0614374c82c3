// Sessions as bars over time, a lane for each agent, and as a list.

import { h } from "./tree.js";
import { grid } from "./grid.js";
import { kept, open, page, param, stale } from "./store.js";
import { ago, clock, count, day } from "./words.js";
import { columns, sat, titleOf } from "./cells.js";
import { choice, filterBox, more } from "./filter.js";

const spans = { "": ["one day", 24], week: ["one week", 24 * 7], month: ["one month", 24 * 30] };
const lane = 30;
const left = 110;
const wide = 1000;

const chosen = kept((sessions, from) => sessions.filter((s) => Date.parse(s.heard_at) >= from)); // time goes on after they were sent

export function timeline() {
  const all = page.documents.timeline;
  if (!all) return null;
  const hours = (spans[param("span")] || spans[""])[1];
  const until = Math.ceil(Date.now() / 60000) * 60000;
  const from = until - hours * 3600000;
  const shown = chosen(all.sessions, from);
  return h("div", { "aria-busy": stale("timeline") ? "true" : null },
    filterBox("sessions", choice("Last", "span", Object.entries(spans).map(([value, [text]]) => [value, text]))),
    shown.length === 0 ? h("p", { class: "soft" }, all.last ? (param("q") ? "No session in this time is like that; the last one was " : "No session in this time; the last one was ") + ago(all.last) + " ago." : "No sessions yet: memoryd keeps them.")
      : [picture(shown, from, until, hours), list(shown), more(all.sessions.length, all.count, "memoryd session list --limit " + all.count)]);
}

function picture(shown, from, until, hours) {
  const agents = [...new Set(shown.map((s) => s.agent || "no agent"))].sort();
  const x = (t) => left + ((wide - left) * (Math.max(t, from) - from)) / (until - from);
  const step = hours <= 24 ? 3 * 3600000 : hours <= 168 ? 86400000 : 5 * 86400000;
  const ticks = [];
  const offset = new Date(until).getTimezoneOffset() * 60000;
  for (let t = Math.ceil((from - offset) / step) * step + offset; t <= until; t += step) ticks.push(t);
  const height = agents.length * lane + 22;
  return h("div", { class: "scroll", key: "picture" + hours, made: (e) => { e.scrollLeft = e.scrollWidth; }, tabindex: 0, role: "region", "aria-label": "Sessions over time" },
    h("svg", { class: "lanes-svg", viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": `${count(shown.length, "session")} of ${agents.join(", ")}; the list below says the same` },
      ticks.map((t) => h("g", { key: t }, h("line", { class: "tick", x1: x(t), x2: x(t), y1: 0, y2: height - 20 }), h("text", { class: "tick", x: x(t), y: height - 6, "text-anchor": "middle" }, hours <= 24 ? clock(t) : day(t)))),
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
