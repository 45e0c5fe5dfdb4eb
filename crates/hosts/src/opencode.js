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

// The text of the newest message that the model wrote.
function lastText(messages) {
  const written = messages.filter((message) => message.type === "assistant").at(-1)
  const parts = (written?.content ?? []).filter((part) => part.type === "text")
  return parts.map((part) => part.text).join("\n")
}

export default {
  id: "mainstay",
  async setup(ctx) {
    const cwd = ctx.location.directory
    const about = (event) => ({ session_id: event.sessionID, cwd })
    const started = async (input, source) => (await ask("session-start", { ...input, source })).context ?? ""
    const shown = new Map()

    await ctx.session.hook("prompt", async (event) => {
      const input = about(event)
      const start = shown.get(event.sessionID)?.start ?? (await started(input, "startup"))
      const answer = await ask("user-prompt-submit", { ...input, prompt: event.prompt?.text ?? "" })
      shown.set(event.sessionID, { start, prompt: answer.context })
    })
    await ctx.session.hook("context", (event) => {
      // The host makes this text anew for each request, so what was said at the start is said again.
      const { start, prompt } = shown.get(event.sessionID) ?? {}
      const text = [start, prompt].filter(Boolean).join("\n\n")
      if (text) event.system.push({ type: "text", text })
    })
    await ctx.session.hook("compaction", async (event) => {
      await ask("pre-compact", about(event))
      const start = await started(about(event), "compact")
      shown.set(event.sessionID, { ...shown.get(event.sessionID), start })
    })
    await ctx.tool.hook("execute.before", async (event) => {
      const answer = await ask("pre-tool-use", { ...about(event), tool_name: event.tool, tool_input: event.input })
      if (answer.denied) throw new Error(answer.denied)
    })

    const ended = new AbortController()
    const follow = async () => {
      for await (const event of ctx.event.subscribe({ signal: ended.signal })) {
        const sessionID = event.data?.sessionID
        if (!sessionID || ended.signal.aborted) continue
        if (event.type === "session.idle") {
          const text = lastText(await ctx.session.context({ sessionID }))
          if (text) await ask("stop", { ...about({ sessionID }), last_assistant_message: text })
        } else if (event.type === "session.deleted") {
          shown.delete(sessionID)
          await ask("session-end", about({ sessionID }))
        }
      }
    }
    follow().catch(() => {})
    return () => ended.abort()
  },
}
