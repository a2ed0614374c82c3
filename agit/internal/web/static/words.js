// Words, marks and times, the same in every view.

import { h } from "./tree.js";

// ago says how long ago a time was: 6m, 3h, 2d.
export function ago(time, now = Date.now()) {
  if (!time) return "";
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 60) return seconds + "s";
  if (seconds < 3600) return Math.floor(seconds / 60) + "m";
  if (seconds < 86400) return Math.floor(seconds / 3600) + "h";
  return Math.floor(seconds / 86400) + "d";
}

// since is a time in words, with the exact time as a tooltip.
export const since = (time) => time && h("time", { datetime: time, title: new Date(time).toLocaleString() }, ago(time));

export const clock = (time) => new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

export const day = (time) => new Date(time).toLocaleDateString([], { day: "numeric", month: "short" });

export const count = (n, one, many = one + "s") => n + " " + (n === 1 ? one : many);

// A mark, a colour and the word itself: no state is shown by colour alone.
const marks = {
  working: ["●", "good"], "waiting for you": ["◐", "warn"], idle: ["○", "quiet"], gone: ["✕", "quiet"], seen: ["◌", "quiet"], unknown: ["·", "quiet"],
  ready: ["○", "accent"], waits: ["◌", "quiet"], blocked: ["■", "bad"], claimed: ["◔", "info"], "in progress": ["◑", "good"],
  failed: ["✕", "bad"], done: ["✓", "quiet"],
  "folder is gone": ["✕", "bad"], clean: ["✓", "quiet"], conflict: ["✕", "bad"], "trial red": ["✕", "bad"], merged: ["✓", "good"], "to review": ["◇", "warn"], halted: ["■", "bad"],
  queued: ["○", "quiet"], "gate running": ["◑", "good"], running: ["◑", "good"], landed: ["✓", "good"], returned: ["↩", "bad"], cancelled: ["✕", "quiet"],
  valid: ["✓", "good"], stale: ["✕", "bad"], unverified: ["·", "quiet"], unreadable: ["✕", "bad"], unchecked: ["·", "quiet"],
  moved: ["→", "accent"], renamed: ["→", "info"], changed: ["≈", "warn"], ambiguous: ["≈", "warn"], outside: ["✕", "bad"], unverifiable: ["·", "quiet"],
  pending: ["○", "quiet"], verified: ["✓", "good"], in_progress: ["◑", "good"], todo: ["○", "quiet"], canceled: ["✕", "quiet"],
  active: ["●", "good"], completed: ["✓", "good"], abandoned: ["✕", "quiet"], interrupted: ["✕", "warn"],
  success: ["✓", "good"], partial: ["◑", "warn"],
};

export function markOf(word) {
  if (marks[word]) return marks[word];
  if (/^conflict/.test(word)) return marks.conflict;
  if (/changed$/.test(word)) return ["±", "warn"];
  return ["·", "quiet"];
}

// state is a word with its mark.
export function state(word, shown = word) {
  const [mark, colour] = markOf(word);
  return h("span", { class: "state " + colour + (shown.length > 24 ? " long" : "") }, h("span", { "aria-hidden": "true", class: "mark" }, mark), shown.replaceAll("_", " "));
}

// name is a text that people or agents chose, isolated from the text beside it, which a
// right-to-left name would reverse.
export const name = (text) => text && h("bdi", null, text);

// sentence is a text with commands between backquotes.
export const sentence = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", null, part) : part));

export const taskStates = ["ready", "waits", "blocked", "claimed", "in progress", "failed", "done"];

// matches reports whether a text contains each word of a filter.
export function matches(filter, ...texts) {
  if (!filter) return true;
  const text = texts.join(" ").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

// bar shows parts of a whole side by side, with a legend of the numbers.
export function bar(label, parts) {
  const all = parts.reduce((sum, part) => sum + part.n, 0);
  if (all === 0) return null;
  let x = 0;
  const shapes = parts.filter((part) => part.n > 0).map((part) => {
    const width = (100 * part.n) / all;
    const shape = h("rect", { class: markOf(part.name)[1], x: x.toFixed(3), y: 0, width: width.toFixed(3), height: 10 });
    x += width;
    return shape;
  });
  return h("figure", { class: "bar" },
    h("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label + ": " + parts.filter((p) => p.n > 0).map((p) => p.n + " " + p.name).join(", ") }, shapes),
    h("figcaption", null, parts.filter((part) => part.n > 0).map((part) => h("span", { key: part.name }, state(part.name), " ", h("b", null, part.n)))));
}

// progress shows a share, also as numbers.
export const progress = (done, of) => h("span", { class: "progress" },
  h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill", style: { width: (of ? (100 * done) / of : 0) + "%" } })), done + " of " + of);
