#!/usr/bin/env node
// Runs the public MCP conformance suite against the MCP server of a Mainstay binary, and against a server built on the
// same code that has the tools, prompts and resources which the suite's own scenarios ask for.
//
//   npm install --prefix FOLDER @modelcontextprotocol/conformance@0.1.16 node@22
//   cargo build -p mainstay-front-mcp --features conformance --example suite_server
//   NODE_MODULES=FOLDER/node_modules SUITE_SERVER=target/debug/examples/suite_server \
//     node tests/clients/conformance.mjs BIN PROJECT_FOLDER
//
// Without NODE_MODULES the suite is looked up beside this file; without SUITE_SERVER only BIN is tried. Every server
// scenario of the suite stands in the table below, or the script fails. Prints `N passed, M failed`; exits with 1 when
// any failed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { check, close, require, serving, servingProject } from './common/driver.mjs';

const manifest = require.resolve('@modelcontextprotocol/conformance/package.json');
const suite = join(dirname(manifest), 'dist/index.js');

// Where a scenario is run. BOTH: it asks for nothing of its own. SUITE: it asks for the suite's own tools, prompts or
// resources. A text: why it is left out.
const BOTH = ['mainstay', 'suite'];
const SUITE = ['suite'];
const NEVER_ASKS = 'Mainstay never asks its client for anything: it has nothing that a model or a person must decide';
const SCENARIOS = {
  'server-initialize': BOTH,
  ping: BOTH,
  'logging-set-level': BOTH,
  'tools-list': BOTH,
  'resources-list': BOTH,
  'prompts-list': BOTH,
  'server-sse-multiple-streams': BOTH,
  'dns-rebinding-protection': BOTH,
  'completion-complete': SUITE,
  'tools-call-simple-text': SUITE,
  'tools-call-image': SUITE,
  'tools-call-audio': SUITE,
  'tools-call-embedded-resource': SUITE,
  'tools-call-mixed-content': SUITE,
  'tools-call-with-logging': SUITE,
  'tools-call-error': SUITE,
  'tools-call-with-progress': SUITE,
  'json-schema-2020-12': SUITE,
  'server-sse-polling': SUITE,
  'resources-read-text': SUITE,
  'resources-read-binary': SUITE,
  'resources-templates-read': SUITE,
  'resources-subscribe': SUITE,
  'resources-unsubscribe': SUITE,
  'prompts-get-simple': SUITE,
  'prompts-get-with-args': SUITE,
  'prompts-get-embedded-resource': SUITE,
  'prompts-get-with-image': SUITE,
  'tools-call-sampling': NEVER_ASKS,
  'tools-call-elicitation': NEVER_ASKS,
  'elicitation-sep1034-defaults': NEVER_ASKS,
  'elicitation-sep1330-enums': NEVER_ASKS,
};

// Checks that a scenario can do without, and which must not be left out for that.
const NEEDED = {
  'server-sse-polling': ['server-sse-priming-event', 'server-sse-retry-field', 'server-sse-disconnect-resume'],
  'server-sse-multiple-streams': ['server-accepts-multiple-post-streams'],
};

async function run(args, options = {}) {
  const child = spawn(process.execPath, [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let told = '';
  child.stdout.on('data', (piece) => (told += piece));
  child.stderr.on('data', (piece) => (told += piece));
  await once(child, 'close');
  return told;
}

// Runs all scenarios at once, and looks at those that are run on this server.
async function attemptAll(who, url) {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-conformance-'));
  try {
    const told = await run(['server', '--url', url, '--suite', 'all', '--output-dir', folder]);
    const results = await readdir(folder, { recursive: true });
    const wanted = Object.entries(SCENARIOS).filter(([, where]) => Array.isArray(where) && where.includes(who));
    for (const [scenario] of wanted) {
      const mine = new RegExp(`^server-${scenario}-\\d{4}-\\d\\d-\\d\\dT[^/]*/checks\\.json$`);
      const found = results.filter((name) => mine.test(name));
      const checks = found.length === 1 ? JSON.parse(await readFile(join(folder, found[0]), 'utf8')) : [];
      const wrong = checks.filter(({ status }) => !['SUCCESS', 'INFO', 'SKIPPED'].includes(status));
      const good = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
      const lacking = (NEEDED[scenario] ?? []).filter((id) => !good.includes(id));
      const holds = good.length > 0 && wrong.length === 0 && lacking.length === 0;
      check(`${who}: ${scenario}`, holds, { wrong, lacking, told: checks.length ? undefined : told });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const listed = (await run(['list', '--server'])).match(/^ {2}- \S+/gm)?.map((line) => line.slice(4)).sort() ?? [];
const known = Object.keys(SCENARIOS).sort();
check('every scenario of the suite stands in the table', JSON.stringify(listed) === JSON.stringify(known), listed);

await servingProject((url) => attemptAll('mainstay', url));
if (process.env.SUITE_SERVER) {
  await serving(process.env.SUITE_SERVER, [], async (server) => {
    const [address] = await once(createInterface({ input: server.stdout }), 'line');
    await attemptAll('suite', address);
  });
} else {
  console.log('SUITE_SERVER is not set: the scenarios that ask for tools of their own are not run');
}
for (const [scenario, why] of Object.entries(SCENARIOS).filter(([, where]) => typeof where === 'string')) {
  console.log(`left out ${scenario}: ${why}`);
}
close();
