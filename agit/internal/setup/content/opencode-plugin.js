// Written by `agit setup`; `agit setup --remove opencode` takes it away again.
// Starts and ends a memoryd session with each conversation, hands its context to
// the agent, shows the agent's player sheet as a toast (at the start, and when a bug or
// a grade changes it), says after an edit who else is at the file, and tells what the
// agent is doing. Nothing here fails or holds up opencode: programs that are missing or slow
// are passed over.
import { spawn } from "node:child_process"

const run = (program, args, input, cwd) =>
  new Promise((resolve) => {
    let out = ""
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), 4000)
    const done = () => {
      clearTimeout(timer)
      resolve(out)
    }
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (out += data))
    child.stdin.end(JSON.stringify(input))
  })

const contextOf = (out) => {
  try {
    return JSON.parse(out).hookSpecificOutput?.additionalContext ?? ""
  } catch {
    return ""
  }
}

// What a record is changed by, however the client names the tools of a server.
const changesRecord = /(^|[_.])(agent_report_bug|agent_record_grade|agent_record_retrospective)$/

export const AgitPlugin = async ({ directory, client }) => {
  const started = new Map() // by session: the context, or the promise of it
  const hook = (name, sessionID, more, ...flags) =>
    run("memoryd", ["hook", name, "--client", "opencode", ...flags], { session_id: sessionID, cwd: directory, ...more }, directory)
  const start = (sessionID) => {
    if (!started.has(sessionID)) started.set(sessionID, hook("session-start", sessionID).then(contextOf))
    return started.get(sessionID)
  }
  const showSheet = async (sessionID) => {
    let sheet
    try {
      sheet = JSON.parse(await hook("sheet", sessionID, {}, "--json"))
    } catch {
      return // memoryd is missing, slow, or has no record yet
    }
    const body = { title: sheet.halted ? "halted: no new work" : "", message: sheet.sheet, variant: sheet.halted ? "error" : "info", duration: 8000 }
    try {
      await client?.tui?.showToast({ body })
    } catch {} // a server without a terminal shows none
  }
  const parents = new Map() // of the sessions of subagents
  const seen = new Set() // sessions of which something was told
  let told = Promise.resolve() // one after another, or a late word would count
  const tell = (name, sessionID, more) => {
    const subagent = parents.has(sessionID)
    if (!sessionID || (subagent && !more)) return told
    const id = parents.get(sessionID) ?? sessionID
    seen.add(id)
    told = told.then(() => run("agit", ["hook", name, "--client", "opencode"], { session_id: id, cwd: directory, ...more }, directory))
    return told
  }
  const asked = (p) => {
    const question = p.questions?.[0]?.question
    if (question) return { tool_name: "question", tool_input: { question } }
    const what = (p.patterns ?? []).join(" ") || p.title || ""
    if (p.permission === "bash") return { tool_name: "bash", tool_input: { command: what } }
    if (p.permission === "edit") return { tool_name: "edit", tool_input: { path: p.metadata?.filepath ?? what } }
    return { message: [p.permission ?? p.type, what].filter(Boolean).join(" ") }
  }
  const state = (event) => {
    const p = event.properties ?? {}
    switch (event.type) {
      case "session.status":
        return void tell(p.status?.type === "idle" ? "stop" : "user-prompt-submit", p.sessionID)
      case "session.idle":
      case "session.error":
        return void tell("stop", p.sessionID)
      case "permission.asked":
      case "question.asked":
        return void tell("permission-request", p.sessionID, asked(p))
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return void tell("permission-replied", p.sessionID, {})
    }
  }
  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      if (event.type === "session.created" && info?.id && !info.parentID) {
        void start(info.id).then(() => showSheet(info.id))
        void tell("session-start", info.id)
      }
      if (event.type === "session.deleted") {
        if (seen.delete(info?.id)) await tell("session-end", info.id)
        if (started.delete(info?.id)) await hook("session-end", info.id)
      }
      state(event)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const context = input?.sessionID && started.has(input.sessionID) ? await started.get(input.sessionID) : ""
      if (context) output.system.push(context)
    },
    "tool.execute.before": async (input) => void tell("pre-tool-use", input.sessionID, { tool_name: input.tool }),
    "tool.execute.after": async (input, output) => {
      void hook("tool", input.sessionID)
      void tell("post-tool-use", input.sessionID, {})
      if (changesRecord.test(input.tool)) void showSheet(parents.get(input.sessionID) ?? input.sessionID)
      const file = output?.args?.filePath ?? input?.args?.filePath
      if (!file || !["edit", "write", "patch"].includes(input.tool)) return
      const told = contextOf(await run("agit", ["check", "--hook"], { tool_input: { file_path: file }, cwd: directory }, directory))
      if (told) output.output = `${output.output ?? ""}\n${told}`
    },
    dispose: async () => {
      await Promise.all([...seen].map((id) => tell("session-end", id)))
      await Promise.all([...started.keys()].map((id) => hook("session-end", id)))
    },
  }
}
