// What the page asks the server, and the stream that says when to ask again.

let token = "";
const answers = new Map(); // the last answer of each address, with its tag

// begin finds the token: in the address behind #, in the page that the once-only address
// shows, in this tab from before, or in another open tab.
export async function begin() {
  const given = new URLSearchParams(location.hash.slice(1)).get("t") || document.documentElement.dataset.token;
  if (given) {
    sessionStorage.setItem("token", given);
    const at = location.pathname.startsWith("/once/") ? "/" : location.pathname + location.search;
    history.replaceState(null, "", at);
  }
  delete document.documentElement.dataset.token;
  token = sessionStorage.getItem("token") || "";
  const tabs = new BroadcastChannel("token"); // of this origin alone, port included
  const asked = new Promise((resolve) => {
    tabs.onmessage = ({ data }) => {
      if (data === "token?" && token) tabs.postMessage({ token });
      else if (data.token && !token) {
        token = data.token;
        sessionStorage.setItem("token", token);
        resolve();
      }
    };
    if (token) return resolve();
    tabs.postMessage("token?");
    setTimeout(resolve, 300);
  });
  await asked;
  return token !== "";
}

export class Refusal extends Error {
  constructor(status, text, hint) {
    super(text);
    this.status = status;
    this.hint = hint || "";
  }
}

const headers = () => ({ Authorization: "Bearer " + token });

async function refusal(answer) {
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
  const answer = await fetch(address, { headers: before ? { ...headers(), "If-None-Match": before.tag } : headers() });
  if (answer.status === 304) return before.document;
  if (!answer.ok) throw await refusal(answer);
  const document = await answer.json();
  if (answers.size > 60) answers.delete(answers.keys().next().value);
  answers.set(address, { tag: answer.headers.get("ETag"), document });
  return document;
}

// post asks for a change.
export async function post(action) {
  const answer = await fetch("/api/action", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify(action) });
  if (!answer.ok) throw await refusal(answer);
  return answer.json();
}

// listen follows a project's changes: opened when the stream stands, changed at each one,
// lost when it broke. It is closed while the page is not seen: a browser has six
// connections for all its tabs. The result ends it.
export function listen(project, { opened, changed, lost }) {
  let ending = null;
  let tries = 0;
  let timer = 0;
  async function run(end) {
    try {
      const answer = await fetch("/api/events?" + new URLSearchParams({ project }), { headers: headers(), signal: end.signal });
      if (!answer.ok) throw await refusal(answer);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Refusal(0, "the server has ended");
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
      lost(error);
      timer = setTimeout(start, Math.min(1000 * 2 ** tries++, 15000));
    }
  }
  function start() {
    clearTimeout(timer);
    if (ending || document.hidden) return;
    ending = new AbortController();
    run(ending);
  }
  function stop() {
    clearTimeout(timer);
    ending?.abort();
    ending = null;
  }
  const seen = () => (document.hidden ? stop() : start());
  document.addEventListener("visibilitychange", seen);
  start();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    stop();
  };
}
