// Written by `agit setup`; `agit setup --remove opencode` takes it away again.
// Starts and ends a memoryd session with each conversation, hands its context to
// the agent, and says before an edit who else is at the file. Nothing here fails
// or holds up opencode: programs that are missing or slow are passed over.
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

export const AgitPlugin = async ({ directory }) => {
  const started = new Map() // by session: the context, or the promise of it
  const hook = (name, sessionID, more) =>
    run("memoryd", ["hook", name, "--client", "opencode"], { session_id: sessionID, cwd: directory, ...more }, directory)
  const start = (sessionID) => {
    if (!started.has(sessionID)) started.set(sessionID, hook("session-start", sessionID).then(contextOf))
    return started.get(sessionID)
  }
  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.id && !info.parentID) void start(info.id)
      if (event.type === "session.deleted" && started.delete(info?.id)) await hook("session-end", info.id)
    },
    "experimental.chat.system.transform": async (input, output) => {
      const context = input?.sessionID && started.has(input.sessionID) ? await started.get(input.sessionID) : ""
      if (context) output.system.push(context)
    },
    "tool.execute.after": async (input, output) => {
      void hook("tool", input.sessionID)
      const file = output?.args?.filePath ?? input?.args?.filePath
      if (!file || !["edit", "write", "patch"].includes(input.tool)) return
      const told = contextOf(await run("agit", ["check", "--hook"], { tool_input: { file_path: file }, cwd: directory }, directory))
      if (told) output.output = `${output.output ?? ""}\n${told}`
    },
    dispose: async () => {
      await Promise.all([...started.keys()].map((id) => hook("session-end", id)))
    },
  }
}
