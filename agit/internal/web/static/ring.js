// The bell: if the user wants it, the system announces new needs while the page is hidden.

import { h } from "./tree.js";
import { draw } from "./store.js";
import { count } from "./words.js";
import { heading } from "./cells.js";

const kept = "agit.ring";
const able = () => "Notification" in window;

// on is true if the user wants announcements and the browser allows them.
export const on = () => able() && Notification.permission === "granted" && localStorage.getItem(kept) === "1";

let known = null; // keys of the needs at the last check; null before the first one

async function toggle() {
  if (on()) localStorage.removeItem(kept);
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(kept, "1");
  draw();
}

// bell is the button that turns announcements on and off, and shows a refusal of the browser or its user.
export function bell() {
  if (!able()) return null;
  const refused = Notification.permission === "denied";
  return h("button", { type: "button", class: "bell", "aria-pressed": on() ? "true" : "false", disabled: refused, onclick: toggle, title: refused ? "The browser does not let this page ring" : "Tell me when something waits for me" }, on() ? "rings" : "ring");
}

// ring announces new needs while the page is hidden.
export function ring(needs) {
  const fresh = known === null ? [] : needs.filter((n) => !known.has(n.key));
  known = new Set(needs.map((n) => n.key));
  if (!fresh.length || !on() || !document.hidden) return;
  const [first] = fresh;
  const text = heading(first) + ": " + (first.reason || first.state);
  const told = new Notification(count(fresh.length, "thing waits", "things wait") + " for you", { body: text, tag: "agit " + first.key });
  told.onclick = () => { window.focus(); told.close(); };
}
