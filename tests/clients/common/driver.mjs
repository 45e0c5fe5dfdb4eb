// What every script that drives the program with other people's clients begins with: its words, its tally, a server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

if (process.argv.length !== 4) {
  console.error(`usage: ${basename(process.argv[1])} BIN PROJECT_FOLDER`);
  process.exit(2);
}
export const [binary, project] = process.argv.slice(2).map((given) => resolve(given));

// Looks packages up in NODE_MODULES, without it beside the script.
const beside = process.env.NODE_MODULES ? resolve(process.env.NODE_MODULES, 'x.js') : process.argv[1];
export const require = createRequire(pathToFileURL(beside));

let passed = 0;
let failed = 0;

export function check(what, holds, seen) {
  if (holds) {
    passed += 1;
  } else {
    failed += 1;
    console.log(`FAILED ${what}: ${seen instanceof Error ? seen.stack : JSON.stringify(seen)}`);
  }
}

// Prints the tally and ends; with 1 when anything failed.
export function close() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
}

// Runs a server while it is used; it must end well when it is asked to.
export async function serving(command, args, use) {
  const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    await use(server);
  } finally {
    server.kill('SIGTERM');
    const [code, signal] = await ended;
    check(`${command} ends when asked to`, code === 0, { code, signal });
  }
}

// Runs the program's own server, and hands on the URL at which it serves the project.
export async function servingProject(use) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const at = `127.0.0.1:${probe.address().port}`;
  probe.close();
  await once(probe, 'close');
  await serving(binary, ['--project', project, 'serve', '--http', at], async (server) => {
    let up = false;
    for (let tries = 0; tries < 200 && server.exitCode === null && !up; tries += 1) {
      up = await fetch(`http://${at}/health`).then((answer) => answer.ok, () => false);
      if (!up) await sleep(50);
    }
    await use(`http://${at}/mcp`);
  });
}
