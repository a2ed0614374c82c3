// What the page asks the server, and the stream that says when to ask again.

let token = "";
const answers = new Map(); // the last answer of each address, with its tag

let refused = false; // the token is of an earlier run of the server
const tabs = new BroadcastChannel("token"); // of this origin alone, port included
let given = () => {}; // what waits for a token

// begin finds the token: in the address behind #, in the page that the once-only address
// shows, in this tab from before, or in another open tab. anew is called when a tab that is
// opened later has the token of a server that was started again.
export async function begin(anew) {
  tabs.onmessage = ({ data }) => {
    if (data === "token?" && token && !refused) tabs.postMessage({ token });
    else if (data.token && data.token !== token && (!token || refused)) {
      take(data.token);
      given();
    }
  };
  const had = new URLSearchParams(location.hash.slice(1)).get("t") || document.documentElement.dataset.token;
  if (had) {
    take(had);
    tabs.postMessage({ token });
    const at = location.pathname.startsWith("/once/") ? "/" : location.pathname + location.search;
    history.replaceState(null, "", at);
  }
  delete document.documentElement.dataset.token;
  if (!token) take(sessionStorage.getItem("token") || "");
  if (!token) await new Promise((resolve) => {
    given = resolve;
    tabs.postMessage("token?");
    setTimeout(resolve, 300);
  });
  given = anew;
  return token !== "";
}

function take(one) {
  token = one;
  refused = false;
  if (one) sessionStorage.setItem("token", one);
}

// turnedAway notes that the server knows another token, and asks the other tabs for it.
function turnedAway(by) {
  if (by !== token) return; // it came meanwhile
  refused = true;
  tabs.postMessage("token?");
}

export class Refusal extends Error {
  constructor(status, text, hint) {
    super(text);
    this.status = status;
    this.hint = hint || "";
  }
}

const headers = () => ({ Authorization: "Bearer " + token });

async function refusal(answer, by) {
  if (answer.status === 401) turnedAway(by);
  const text = await answer.text();
  try {
    const { error, hint } = JSON.parse(text);
    return new Refusal(answer.status, error, hint);
  } catch {
    return new Refusal(answer.status, text.trim() || answer.statusText);
  }
}

// get returns a document, the same object while it is the same document.
export async function get(view, query = {}) {
  const address = "/api/" + view + "?" + new URLSearchParams(query);
  const before = answers.get(address);
  const by = token;
  const answer = await reach(address, { headers: before ? { ...headers(), "If-None-Match": before.tag } : headers() });
  if (answer.status === 304) return before.document;
  if (!answer.ok) throw await refusal(answer, by);
  const document = await answer.json();
  if (answers.size > 60) answers.delete(answers.keys().next().value);
  answers.set(address, { tag: answer.headers.get("ETag"), document });
  return document;
}

// post asks for a change.
export async function post(action) {
  const by = token;
  const answer = await reach("/api/action", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify(action) });
  if (!answer.ok) throw await refusal(answer, by);
  return answer.json();
}

const startAgain = "start `agit web` again, and open the address that it prints; this page keeps trying";

// reach asks the server, and says in words that it does not answer.
async function reach(address, how) {
  try {
    return await fetch(address, how);
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new Refusal(0, "nothing answers at " + location.host, startAgain);
  }
}

// listen follows a project's changes: opened when the stream stands, changed at each one,
// lost when it broke. It is closed while the page is not seen, unless it is wanted then too: a browser has six
// connections for all its tabs. One that is silent for long is dead, though the system has
// not noticed: a machine slept, or a tunnel broke. The result ends it.
export function listen(project, { opened, changed, lost, wanted }) {
  const resting = () => document.hidden && !wanted();
  let ending = null;
  let tries = 0;
  let timer = 0;
  let heard = 0;
  const silence = 40000; // the server writes every 15 seconds
  async function run(end) {
    const by = token;
    heard = Date.now();
    try {
      const answer = await reach("/api/events?" + new URLSearchParams({ project }), { headers: headers(), signal: end.signal });
      if (!answer.ok) throw await refusal(answer, by);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Refusal(0, "the server has ended", startAgain);
        heard = Date.now();
        rest += value;
        const lines = rest.split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line === "event: open") { tries = 0; opened(); }
          if (line === "event: changed") changed();
        }
      }
    } catch (error) {
      if (end.signal.aborted) return;
      ending = null;
      lost(error instanceof Refusal ? error : new Refusal(0, "the connection to " + location.host + " broke", "this page keeps trying"));
      timer = setTimeout(start, Math.min(1000 * 2 ** tries++, 15000));
    }
  }
  function start() {
    clearTimeout(timer);
    if (ending || resting()) return;
    ending = new AbortController();
    run(ending);
  }
  const watch = setInterval(() => {
    if (!ending || Date.now() - heard < silence) return;
    ending.abort();
    ending = null;
    lost(new Refusal(0, location.host + " has been silent for long", "it hangs, or the way to it is cut; this page keeps trying"));
    start();
  }, 5000);
  function stop() {
    clearTimeout(timer);
    ending?.abort();
    ending = null;
  }
  const seen = () => (resting() ? stop() : start());
  document.addEventListener("visibilitychange", seen);
  start();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    clearInterval(watch);
    stop();
  };
}
