// Tells Mainstay about the events of OpenCode and passes on what it answers.
// Taken out by: mainstay init --host opencode --uninstall
import { spawn } from "node:child_process"

const PATIENCE = 10_000

// What `mainstay hook` answers; nothing where it is not installed, fails or takes too long.
function ask(event, input) {
  return new Promise((resolve) => {
    const words = ["hook", event, "--host", "opencode"]
    const child = spawn("mainstay", words, { cwd: input.cwd, stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE })
    let said = ""
    child.on("error", () => resolve({}))
    child.stdin.on("error", () => {})
    child.stdout.setEncoding("utf8").on("data", (text) => (said += text))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })
}

// What one project is told and asked, whatever the version of the host.
function project(cwd) {
  const about = (sessionID) => ({ session_id: sessionID, cwd })
  const started = async (sessionID, source) =>
    (await ask("session-start", { ...about(sessionID), source })).context ?? ""
  const shown = new Map()
  return {
    async prompt(sessionID, prompt) {
      const start = shown.get(sessionID)?.start ?? (await started(sessionID, "startup"))
      const answer = await ask("user-prompt-submit", { ...about(sessionID), prompt })
      shown.set(sessionID, { start, prompt: answer.context })
    },
    // The host makes its text anew for each request, so what was said at the start is said again.
    context(sessionID) {
      const { start, prompt } = shown.get(sessionID) ?? {}
      return [start, prompt].filter(Boolean).join("\n\n")
    },
    async compaction(sessionID) {
      await ask("pre-compact", about(sessionID))
      const start = await started(sessionID, "compact")
      shown.set(sessionID, { ...shown.get(sessionID), start })
    },
    async before(sessionID, tool, input) {
      const answer = await ask("pre-tool-use", { ...about(sessionID), tool_name: tool, tool_input: input })
      if (answer.denied) throw new Error(answer.denied)
    },
    async idle(sessionID, text) {
      if (text) await ask("stop", { ...about(sessionID), last_assistant_message: text })
    },
    async deleted(sessionID) {
      shown.delete(sessionID)
      await ask("session-end", about(sessionID))
    },
  }
}

const joined = (parts) => (parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

export default {
  id: "mainstay",

  // OpenCode 1.
  async server({ directory, client }) {
    const told = project(directory)
    return {
      "chat.message": ({ sessionID }, { parts }) => told.prompt(sessionID, joined(parts)),
      async "experimental.chat.system.transform"({ sessionID }, { system }) {
        const text = told.context(sessionID)
        if (text) system.push(text)
      },
      "experimental.session.compacting": ({ sessionID }) => told.compaction(sessionID),
      "tool.execute.before": ({ sessionID, tool }, { args }) => told.before(sessionID, tool, args),
      async event({ event: { type, properties } }) {
        if (type === "session.idle") {
          const { sessionID } = properties
          const { data } = await client.session.messages({ path: { id: sessionID } })
          await told.idle(sessionID, joined((data ?? []).filter(({ info }) => info.role === "assistant").at(-1)?.parts))
        } else if (type === "session.deleted") {
          await told.deleted(properties.info.id)
        }
      },
    }
  },

  // OpenCode 2.
  async setup(ctx) {
    const told = project(ctx.location.directory)
    await ctx.session.hook("prompt", (event) => told.prompt(event.sessionID, event.prompt?.text ?? ""))
    await ctx.session.hook("context", (event) => {
      const text = told.context(event.sessionID)
      if (text) event.system.push({ type: "text", text })
    })
    await ctx.session.hook("compaction", (event) => told.compaction(event.sessionID))
    await ctx.tool.hook("execute.before", (event) => told.before(event.sessionID, event.tool, event.input))

    const ended = new AbortController()
    const follow = async () => {
      for await (const event of ctx.event.subscribe({ signal: ended.signal })) {
        const sessionID = event.data?.sessionID
        if (!sessionID || ended.signal.aborted) continue
        if (event.type === "session.idle") {
          const messages = await ctx.session.context({ sessionID })
          await told.idle(sessionID, joined(messages.filter(({ type }) => type === "assistant").at(-1)?.content))
        } else if (event.type === "session.deleted") {
          await told.deleted(sessionID)
        }
      }
    }
    follow().catch(() => {})
    return () => ended.abort()
  },
}
