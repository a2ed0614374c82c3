// Comments on the lines of a difference. They are kept in this tab until the work is returned with them.

import { h } from "./tree.js";
import { draw } from "./store.js";
import { count } from "./words.js";

const stored = "agit.comments";
const all = new Map(Object.entries(JSON.parse(sessionStorage.getItem(stored) || "{}"))); // by worktree, by place

const of = (tree) => all.get(tree) || {};

function put(tree, place, comment) {
  const here = { ...of(tree) };
  if (comment) here[place] = comment;
  else delete here[place];
  if (Object.keys(here).length) all.set(tree, here);
  else all.delete(tree);
  sessionStorage.setItem(stored, JSON.stringify(Object.fromEntries(all)));
}

// forget drops the comments of a worktree.
export const forget = (tree) => { all.set(tree, {}); put(tree, "", null); };

// written are the non-empty comments of a worktree, in the order of files and lines.
const written = (tree) => Object.values(of(tree)).filter((c) => c.text.trim()).sort((a, b) => a.file - b.file || a.hunk - b.hunk || a.row - b.row);

// commented is the number of comments of a return in words; "" for none.
export const commented = (tree) => { const n = written(tree).length; return n ? count(n, "comment") : ""; };

// brief formats the comments for the agent: each with its place and its line.
export const brief = (tree) => written(tree).map((c) => c.path + ":" + c.line + (c.sign === "-" ? " (removed)" : "") + ": " + c.text.trim() + "\n  " + c.sign + c.code).join("\n\n");

// numbered gives each line of a hunk its number: in the new file, or in the old one for a removed line.
export function numbered(hunk) {
  const [, from, to] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(hunk.at) || [0, 1, 1];
  let before = Number(from);
  let after = Number(to);
  return hunk.lines.map((line) => {
    if (line[0] === "-") return before++;
    if (line[0] === "+") return after++;
    if (line[0] === "\\") return 0; // no line: "No newline at end of file"
    before++;
    return after++;
  });
}

// move goes to the number of the line above or below, with the arrows.
function move(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const buttons = [...event.currentTarget.closest(".body").querySelectorAll(".at-line")];
  buttons[buttons.indexOf(event.currentTarget) + by]?.focus();
  event.preventDefault();
}

// line is a line of a difference with its number, which opens a box for a comment. The Tab key stops at the first number of a hunk.
export function line(tree, { path, file, hunk, row, number, text, kind }) {
  const place = [path, hunk, row].join("\n");
  const comment = of(tree)[place];
  const change = (now) => { put(tree, place, now === null ? null : { path, file, hunk, row, line: number, sign: text[0], code: text.slice(1), text: now }); draw(); };
  return [
    h("span", { key: "l" + row, class: "line " + kind },
      number > 0 ? h("button", { type: "button", class: "at-line", tabindex: row === 0 ? 0 : -1, "aria-label": "Comment on line " + number + " of " + path, "aria-expanded": comment ? "true" : "false", onkeydown: move, onclick: () => change(comment ? null : "") }, number) : h("span", { class: "at-line" }),
      text + "\n"),
    comment && h("span", { key: "c" + row, class: "comment" }, h("textarea", { rows: 2, "aria-label": "Comment on line " + number + " of " + path, placeholder: "What has to change here", value: comment.text, made: (e) => e.focus(), oninput: (e) => change(e.target.value) })),
  ];
}
