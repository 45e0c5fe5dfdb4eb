#!/usr/bin/env node
// Drives the programs that people work in with what `mainstay init --host` wires, each whole: its own list of servers,
// then a session in which a scripted model on this machine calls a tool of ours, writes a file, writes one that a gate
// forbids, and closes with a block. No host is signed in or reaches anything else.
//
//   npm install --prefix FOLDER $(the packages of tests/clients/hosts/package.json)
//   HOSTS=FOLDER/node_modules node tests/clients/hosts/hosts.mjs BIN PROJECT_FOLDER
//
// Without HOSTS they are looked up beside this file. Prints `N passed, M failed`; exits with 1 when any failed.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

import { binary, check, close, project as root } from '../common/driver.mjs';
import { playing } from '../common/model.mjs';

const installed = resolve(process.env.HOSTS ?? join(import.meta.dirname, 'node_modules'));
const plugin = resolve(import.meta.dirname, '../../../plugin');
// A host that hangs has failed. Units: milliseconds.
const PATIENCE = 120_000;

// Hosts call the program by its name.
const bin = join(root, 'bin');
mkdirSync(bin, { recursive: true });
symlinkSync(binary, join(bin, 'mainstay'));

const write = (at, value) => {
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, typeof value === 'string' ? value : JSON.stringify(value));
};
const patch = (file) => `*** Begin Patch\n*** Add File: ${file}\n+x = 1\n*** End Patch\n`;

// Of each host: its package's program; what a person would have set up (`settled`), with the model's address where
// there is one; how it lists servers, and what it says of ours once that is trusted; how one prompt is run; and by
// which names the model calls the tools.
const HOSTS = {
  claude: {
    program: 'claude',
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      // The model of the script looks for no tools.
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    settled: ({ home }) => write(join(home, '.claude/settings.json'), { enabledMcpjsonServers: ['mainstay'] }),
    list: ['mcp', 'list'],
    listed: /mainstay: mainstay serve --stdio - .*Connected/,
    run: ['-p', 'go on', '--permission-mode', 'acceptEdits', '--allowedTools', 'mcp__mainstay'],
    tool: 'mcp__mainstay__state_patch',
    write: (file) => ({ name: 'Write', args: { file_path: file, content: 'x = 1\n' } }),
  },
  codex: {
    program: 'codex',
    env: () => ({}),
    settled: ({ home, project }, url) =>
      write(join(home, '.codex/config.toml'), `
model = "gpt-5.5"
model_provider = "here"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.here]
name = "here"
base_url = "${url}/v1"
wire_api = "responses"
[projects."${project}"]
trust_level = "trusted"
`),
    list: ['mcp', 'list'],
    listed: /^mainstay +mainstay +serve --stdio .*enabled/m,
    // Its sandbox asks more of the system than a container may give.
    run: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust',
      '--dangerously-bypass-approvals-and-sandbox', 'go on'],
    tool: 'mcp__mainstay/state_patch',
    write: (file) => ({ name: 'apply_patch', free: patch(file) }),
  },
  gemini: {
    program: 'gemini',
    env: (url) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'none',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    settled: ({ home }) =>
      write(join(home, '.gemini/settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    list: ['mcp', 'list'],
    listed: /✓ mainstay: mainstay serve --stdio \(stdio\) - Connected/,
    run: ['-p', 'go on', '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro'],
    tool: 'mcp_mainstay_state_patch',
    write: (file) => ({ name: 'write_file', args: { file_path: file, content: 'x = 1\n' } }),
    complaint: /hook\(s\) .* failed/i,
  },
  opencode: {
    program: 'opencode',
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    settled({ home, project }, url) {
      const options = { baseURL: `${url}/v1`, apiKey: 'none' };
      const here = { npm: '@ai-sdk/openai-compatible', name: 'here', options, models: { script: { name: 'script' } } };
      write(join(home, '.config/opencode/config.json'), { model: 'here/script', provider: { here } });
      // As if it had fetched what its plugins may ask for; ours asks for nothing.
      for (const folder of [join(home, '.config/opencode'), join(project, '.opencode')]) {
        mkdirSync(join(folder, 'node_modules'), { recursive: true });
        const dependencies = { '@opencode-ai/plugin': '*' };
        write(join(folder, 'package-lock.json'), { packages: { '': { dependencies } } });
      }
    },
    list: ['mcp', 'list'],
    listed: /mainstay .*connected/,
    run: ['run', '--print-logs', '--log-level', 'WARN', 'go on'],
    tool: 'mainstay_state_patch',
    write: (file) => ({ name: 'write', args: { filePath: file, content: 'x = 1\n' } }),
    complaint: /failed to load plugin/,
  },
  copilot: {
    program: 'copilot',
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: 'script',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    settled: ({ home, project }) => write(join(home, '.copilot/config.json'), { trustedFolders: [project] }),
    list: ['mcp', 'list'],
    listed: /mainstay \(local\)/,
    run: ['-p', 'go on', '--allow-all-tools'],
    tool: 'mainstay-state_patch',
    write: (file) => ({ name: 'create', args: { path: file, file_text: 'x = 1\n' } }),
    // Its event does not carry the response.
    readsNoBlock: true,
  },
};

// A home and a project of their own, and how programs are run in them.
function place(name) {
  const [home, project] = ['home', 'project'].map((folder) => join(root, name, folder));
  [home, project].forEach((folder) => mkdirSync(folder, { recursive: true }));
  const path = [bin, join(installed, '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const base = { PATH: path, HOME: home, TERM: 'dumb', NO_COLOR: '1', LANG: 'C.UTF-8' };
  const mainstay = (...words) => execFileSync(binary, words, { cwd: project, env: base, encoding: 'utf8' });
  async function run(program, args, env = {}) {
    const child = spawn(program, args, {
      cwd: project, env: { ...base, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE, killSignal: 'SIGKILL',
    });
    const said = { code: null, out: '', err: '' };
    child.stdout.on('data', (piece) => (said.out += piece));
    child.stderr.on('data', (piece) => (said.err += piece));
    child.on('error', (error) => (said.err += error.message));
    [said.code] = await once(child, 'close');
    return said;
  }
  return { home, project, mainstay, run };
}

// A task in whose phase tests are frozen, and notes.
function seed({ project, mainstay }) {
  write(join(project, 'mainstay.toml'), 'formats = ["skillstate", "eneo"]\n');
  mainstay('skillstate', 'init');
  mainstay('skillstate', 'patch', '{"goal":"ship it"}');
  mainstay('eneo', 'task-init', 'tidy', 'fast', '1', 'none', 'none');
  mainstay('eneo', 'phase-set', 'GREEN');
  ['src', 'tests'].forEach((folder) => mkdirSync(join(project, folder)));
}

// One session of a host with the script, and what must have come of it.
async function session(name, host, at, tool = host.tool, more = []) {
  const [free, frozen] = ['src/a.py', 'tests/test_a.py'].map((file) => join(at.project, file));
  const script = [
    { call: { name: tool, args: { patch: { next_steps: ['by the tool'] } } } },
    { call: host.write(free) },
    { call: host.write(frozen) },
    { text: 'Done.\n```json\n{"state_patch": {"notes": "by the response"}, "action": "continue"}\n```' },
  ];
  await playing(script, async (url, asked) => {
    host.settled(at, url);
    const said = await at.run(host.program, [...host.run, ...more], host.env(url));
    const seen = () => ({ ...said, asked: asked.length, last: asked.at(-1)?.text.slice(-2000) });
    const holds = (what, is) => check(`${name}: ${what}`, is, seen());
    holds('the session ends well', said.code === 0);
    holds('the model is asked once for each step', asked.length === script.length);
    holds('the state stands in the first request', /<mainstay-data [^]*ship it/.test(asked[0]?.text ?? ''));
    holds('the answer of our tool comes back', /seq\W+3\b/.test(asked[1]?.text ?? ''));
    holds('a file that no gate minds is written', existsSync(free));
    holds('a frozen file is not', !existsSync(frozen));
    holds('the model is told why', /tests are frozen/.test(asked.at(-1)?.text ?? ''));
    holds('nothing is complained of', !host.complaint?.test(said.out + said.err));
    const state = JSON.parse(at.mainstay('skillstate', 'get'));
    holds('what our tool was told is kept', state.next_steps?.[0] === 'by the tool');
    holds('the closing block is read', state.notes === (host.readsNoBlock ? '' : 'by the response'));
  });
}

// Whether the host's own list shows the server, and shows it no more once it is taken out.
async function listed(name, host, at, words) {
  const env = host.env('http://127.0.0.1:9');
  // Some name their own folders, which may be called as we are.
  const told = ({ out, err }) => (out + err).replaceAll(root, '');
  const there = await at.run(host.program, host.list, env);
  check(`${name}: the host lists the server`, there.code === 0 && host.listed.test(told(there)), there);
  at.mainstay(...words, '--uninstall');
  const gone = await at.run(host.program, host.list, env);
  check(`${name}: and lists none once it is taken out`, gone.code === 0 && !/mainstay/.test(told(gone)), gone);
}

async function inProject(name, host) {
  const at = place(name);
  seed(at);
  at.mainstay('init', '--host', name);
  await session(name, host, at);
  await listed(name, host, at, ['init', '--host', name]);
}

async function inHome(name, host) {
  const at = place(`${name}-global`);
  host.settled(at, 'http://127.0.0.1:9');
  at.mainstay('init', '--host', name, '--global');
  await listed(`${name} --global`, host, at, ['init', '--host', name, '--global']);
}

// The plugin is checked by its host, and does by itself what the installer does.
async function asPlugin() {
  const at = place('plugin');
  const told = await at.run('claude', ['plugin', 'validate', '--strict', plugin], HOSTS.claude.env(''));
  check('plugin: Claude Code finds nothing to warn of', told.code === 0, told);
  seed(at);
  const more = ['--plugin-dir', plugin, '--allowedTools', 'mcp__plugin_mainstay_mainstay'];
  await session('plugin', HOSTS.claude, at, 'mcp__plugin_mainstay_mainstay__state_patch', more);
}

const failed = (what) => (error) => check(what, false, error);
for (const [name, host] of Object.entries(HOSTS)) {
  await inProject(name, host).catch(failed(name));
  await inHome(name, host).catch(failed(`${name} --global`));
}
await asPlugin().catch(failed('plugin'));
close();
