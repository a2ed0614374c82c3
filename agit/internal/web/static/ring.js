// The bell: whoever wants it is told by the system when something comes to wait, while the page is not looked at.

import { h } from "./tree.js";
import { draw } from "./store.js";
import { count } from "./words.js";
import { heading } from "./cells.js";

const kept = "agit.ring";
const able = () => "Notification" in window;

// on tells that the user wants to be told, and that the browser lets the page do so.
export const on = () => able() && Notification.permission === "granted" && localStorage.getItem(kept) === "1";

let known = null; // keys of what waited when it was looked at last; null before the first time

async function toggle() {
  if (on()) localStorage.removeItem(kept);
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(kept, "1");
  draw();
}

// bell is the button that turns it on and off; where the browser or its user refuses, it says so.
export function bell() {
  if (!able()) return null;
  const refused = Notification.permission === "denied";
  return h("button", { type: "button", class: "bell", "aria-pressed": on() ? "true" : "false", disabled: refused, onclick: toggle, title: refused ? "The browser does not let this page ring" : "Tell me when something waits for me" }, on() ? "rings" : "ring");
}

// ring tells of what waits now and did not before, while the page is hidden.
export function ring(needs) {
  const fresh = known === null ? [] : needs.filter((n) => !known.has(n.key));
  known = new Set(needs.map((n) => n.key));
  if (!fresh.length || !on() || !document.hidden) return;
  const [first] = fresh;
  const text = heading(first) + ": " + (first.reason || first.state);
  const told = new Notification(count(fresh.length, "thing waits", "things wait") + " for you", { body: text, tag: "agit " + first.key });
  told.onclick = () => { window.focus(); told.close(); };
}
