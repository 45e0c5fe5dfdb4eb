#!/usr/bin/env node
// Drives the MCP server of a Mainstay binary with MCP Inspector in its command-line mode, over stdio and over HTTP.
//
//   npm install --prefix FOLDER @modelcontextprotocol/inspector@2.12.0 node@22
//   NODE_MODULES=FOLDER/node_modules node tests/clients/inspector.mjs BIN PROJECT_FOLDER
//
// Without NODE_MODULES the Inspector is looked up beside this file. Prints `N passed, M failed`; exits with 1 when any
// failed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';

import { binary, check, close, project, require, servingProject } from './common/driver.mjs';

const manifest = require.resolve('@modelcontextprotocol/inspector/package.json');
const inspector = join(dirname(manifest), 'clients/launcher/build/index.js');

// What is asked, with what, and what the whole answer says. `--strict` fails for schemas that hosts do not agree on.
const QUESTIONS = [
  ['tools/list', ['--strict'], (told) => told.tools.length === 6],
  ['tools/call', ['--tool-name', 'state_write', '--tool-args-json', '{"fields":{"branch":"inspected"}}'], (told) =>
    told.structuredContent.written === 1],
  ['tools/call', ['--tool-name', 'state_read'], (told) => told.structuredContent.state.branch === 'inspected'],
  ['resources/list', [], (told) => told.resources.some(({ uri }) => uri === 'mainstay://hseos/STATE.md')],
  ['resources/templates/list', [], (told) => told.resourceTemplates.length === 2],
  ['resources/read', ['--uri', 'mainstay://history?since=1'], (told) => told.contents[0].text.includes('"entries"')],
  ['prompts/list', [], (told) => told.prompts.length === 3],
  ['prompts/get', ['--prompt-name', 'resume', '--prompt-args', 'agent=GHOST'], (told) =>
    told.messages[0].content.text.includes('agent GHOST')],
];
// Revisions with `initialize` alone have these.
const OLDER = [['logging/setLevel', ['--log-level', 'warning'], (told) => told !== null]];

async function inspect(target, era, [method, args, holds]) {
  const options = ['--cli', '--quiet', '--format', 'json', '--protocol-era', era, '--method', method, ...args];
  const child = spawn(process.execPath, [inspector, ...options, ...target], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => (out += piece));
  child.stderr.on('data', (piece) => (err += piece));
  const [code] = await once(child, 'close');
  let good = false;
  try {
    const told = JSON.parse(out);
    good = code === 0 && holds(told.result ?? told);
  } catch {
    // What is no JSON is not good.
  }
  check(`${era} ${target[1]} ${method}`, good, { code, out, err });
}

const stdio = ['--', binary, '--project', project, 'serve', '--stdio'];
for (const question of [...QUESTIONS, ...OLDER]) {
  await inspect(stdio, 'legacy', question);
}
await inspect(stdio, 'modern', QUESTIONS[0]);

await servingProject(async (url) => {
  for (const question of QUESTIONS.filter(([method]) => ['tools/list', 'resources/read', 'prompts/get'].includes(method))) {
    await inspect(['--', url], 'legacy', question);
    await inspect(['--', url], 'modern', question);
  }
});
close();
