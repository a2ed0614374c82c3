// The page's requests, and the stream that announces changes.

let token = "";
const answers = new Map(); // the last answer of each address, with its tag

let refused = false; // the token belongs to an earlier run of the server
const tabs = new BroadcastChannel("token"); // for this origin only, including the port
let given = () => {}; // resolves when a token arrives

// begin finds the token: in the address after #, in the page of the one-time address, in this
// tab's storage, or in another open tab. anew is called when a later tab has the token of a
// restarted server.
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

// turnedAway records that the server expects another token, and asks the other tabs for it.
function turnedAway(by) {
  if (by !== token) return; // the new token has arrived meanwhile
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

// get returns a document, and the same object while it is unchanged.
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

// post requests a change.
export async function post(action) {
  const by = token;
  const answer = await reach("/api/action", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify(action) });
  if (!answer.ok) throw await refusal(answer, by);
  return answer.json();
}

const startAgain = "start `agit web` again, and open the address that it prints; this page keeps trying";

// reach sends a request, and throws a readable error when the server does not answer.
async function reach(address, how) {
  try {
    return await fetch(address, how);
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new Refusal(0, "nothing answers at " + location.host, startAgain);
  }
}

// listen follows a project's changes: it calls opened when the stream is open, changed at each
// change, and lost when it breaks. It closes the stream while the page is hidden, unless it is needed then: a browser has
// six connections for all its tabs. A long silent stream counts as dead even if the system has
// not noticed: the machine slept, or a tunnel broke. The result ends it.
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
