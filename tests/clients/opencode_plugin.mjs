// The plugin that `mainstay init --host opencode` writes, in a host that behaves as OpenCode 2 does.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [binary, root] = process.argv.slice(2)
const mainstay = (...words) => execFileSync(resolve(binary), ["--project", root, ...words], { encoding: "utf8" })

// Hosts call the program by its name.
const bin = mkdtempSync(join(tmpdir(), "mainstay-bin-"))
symlinkSync(resolve(binary), join(bin, "mainstay"))
process.env.PATH = `${bin}:${process.env.PATH}`

writeFileSync(join(root, "mainstay.toml"), 'formats = ["skillstate", "eneo"]\n')
mainstay("skillstate", "init")
mainstay("skillstate", "patch", '{"goal":"ship it"}')
mainstay("eneo", "task-init", "tidy", "fast", "1", "none", "none")
mainstay("eneo", "phase-set", "GREEN")
mainstay("init", "--host", "opencode")
const plugin = (await import(pathToFileURL(join(root, ".opencode/plugins/mainstay.js")))).default
assert.equal(plugin.id, "mainstay")

const hooks = {}
const events = []
let wake
let handled
const hook = (domain) => async (name, handler) => void (hooks[`${domain}.${name}`] = handler)
const answer = 'Done.\n```json\n{"state_patch": {"notes": "by the response"}, "action": "continue"}\n```'
const ctx = {
  location: { directory: root },
  session: {
    hook: hook("session"),
    context: async () => [
      { type: "user", text: "go on" },
      { type: "assistant", content: [{ type: "reasoning", text: "hm" }, { type: "text", text: answer }] },
    ],
  },
  tool: { hook: hook("tool") },
  event: {
    async *subscribe({ signal }) {
      while (!signal.aborted) {
        while (events.length > 0) {
          yield events.shift()
          // The plugin asks for the next event once it is done with this one.
          handled()
        }
        await new Promise((resolve) => ((wake = resolve), signal.addEventListener("abort", resolve)))
      }
    },
  },
}
const cleanup = await plugin.setup(ctx)

const sessionID = "ses_1"
await hooks["session.prompt"]({ sessionID, prompt: { text: "go on" } })
const system = []
await hooks["session.context"]({ sessionID, system })
assert.equal(system.length, 1)
assert.match(system[0].text, /<mainstay-data [\s\S]*ship it/)
// The host asks anew for every request: what was said at the start is still there at the second prompt.
const asked = { input: JSON.stringify({ session_id: sessionID, cwd: root, source: "startup" }), encoding: "utf8" }
const start = JSON.parse(execFileSync("mainstay", ["hook", "session-start", "--host", "opencode"], { ...asked, cwd: root }))
assert.match(start.context, /ship it/)
await hooks["session.prompt"]({ sessionID, prompt: { text: "and on" } })
const second = []
await hooks["session.context"]({ sessionID, system: second })
// The fence's tag is new each time.
const untagged = (text) => text.replaceAll(/mainstay-data [0-9a-f]+/g, "mainstay-data")
assert.ok(untagged(second[0].text).startsWith(untagged(start.context)), second[0].text)
await hooks["session.context"]({ sessionID: "another", system })
assert.equal(system.length, 1, "another session is told nothing")

const before = (tool, input) => hooks["tool.execute.before"]({ sessionID, tool, input })
await before("read", { filePath: "tests/a.py" })
await before("write", { filePath: join(root, "src/a.py") })
await assert.rejects(before("write", { filePath: join(root, "tests/test_a.py") }), /tests are frozen/)
const patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Add File: tests/test_a.py\n*** End Patch"
await assert.rejects(before("apply_patch", { patchText: patch }), /tests are frozen/)
await assert.rejects(before("bash", { command: "rm -r .mainstay" }), /mainstay/)
await hooks["session.compaction"]({ sessionID })

const isHandled = new Promise((resolve) => (handled = resolve))
events.push({ type: "session.idle", data: { sessionID } })
wake()
await isHandled
assert.match(readFileSync(join(root, ".skillstate/skillstate.json"), "utf8"), /by the response/)
cleanup()

// Without the program the host goes on as if there were no plugin.
process.env.PATH = "/nowhere"
await before("write", { filePath: join(root, "tests/test_a.py") })
console.log("opencode plugin: ok")
