#!/usr/bin/env node
// Drives the MCP server of a Mainstay binary with the public TypeScript SDK, over stdio and over HTTP.
//
//   npm install --prefix FOLDER @modelcontextprotocol/sdk@1.32.2
//   NODE_MODULES=FOLDER/node_modules node tests/clients/ts_client.mjs BIN PROJECT_FOLDER
//
// Without NODE_MODULES the SDK is looked up beside this file. Prints `N passed, M failed`; exits with 1 when any failed.

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { binary, check, close, project, require, servingProject } from './common/driver.mjs';

const sdk = (part) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${part}`)).href);
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');

const { ResourceUpdatedNotificationSchema } = await sdk('types.js');
const { Ajv2020 } = createRequire(require.resolve('@modelcontextprotocol/sdk/client/index.js'))('ajv/dist/2020.js');

const TEMPLATES = ['mainstay://history{?since,space}', 'mainstay://records/{+space}'];
const PROMPTS = ['resume', 'handoff', 'plan-next'];
const TOOLS = ['state_history', 'state_read', 'state_write', 'tasks_add', 'tasks_list', 'tasks_update'];

// Every tool, every resource and template, every prompt, completions, a subscription, one refusal, bad calls, one retry.
async function exercise(label, client) {
  const tag = `ts${randomBytes(4).toString('hex')}`;
  const call = async (name, args, meta) => {
    const result = await client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) });
    check(`${label} ${name} is no error`, !result.isError, result);
    const structured = JSON.stringify(result.structuredContent);
    check(`${label} ${name} text and structure are alike`, result.content[0].text === structured, result);
    return result.structuredContent;
  };

  check(`${label} server name`, client.getServerVersion()?.name, client.getServerVersion());
  check(`${label} instructions`, client.getInstructions()?.length > 0, client.getInstructions());
  const listed = (await client.listTools()).tools.map((tool) => tool.name).sort();
  check(`${label} tools/list`, JSON.stringify(listed) === JSON.stringify(TOOLS), listed);

  const written = await call('state_write', { fields: { branch: tag }, agent: 'GHOST' });
  check(`${label} state_write`, written.written === 1 && written.changed[0] === 'branch', written);
  const state = await call('state_read', {});
  check(`${label} state_read`, state.state.branch === tag, state);

  const task = { id: tag, owner: 'GHOST', description: 'it\'s "quoted"; $(x) `y` é' };
  const meta = { requestId: `r-${tag}`, actor: 'GHOST' };
  const added = await call('tasks_add', task, meta);
  check(`${label} tasks_add`, added.added === tag && added.created === true, added);
  const again = await call('tasks_add', task, meta);
  check(`${label} a retry is the first reply`, again.created === true, again);
  const updated = await call('tasks_update', { id: tag, status: 'in_progress', note: 'n' });
  check(`${label} tasks_update`, updated.status === 'in_progress', updated);
  const { tasks } = await call('tasks_list', { status: 'in_progress' });
  const mine = tasks.filter((one) => one.id === tag);
  check(`${label} tasks_list`, mine.length === 1 && mine[0].description === task.description, tasks);
  const { history } = await call('state_history', { n: 5 });
  check(`${label} state_history`, history.some((row) => row.new_value === tag), history);
  await call('state.read', {});

  const refused = await client.callTool({ name: 'tasks_update', arguments: { id: `${tag}-none`, status: 'done' } });
  const refusedCode = refused.structuredContent?.error?.code;
  check(`${label} a refusal is a result`, refused.isError && refusedCode === 'task_not_found', refused);
  for (const [name, args, expected] of [
    ['tasks_update', { id: tag, status: 'nope' }, 'invalid_argument'],
    ['state_read', { frob: 1 }, 'invalid_argument'],
    ['frobnicate', {}, 'unknown_tool'],
  ]) {
    try {
      check(`${label} bad call of ${name}`, false, await client.callTool({ name, arguments: args }));
    } catch (error) {
      check(`${label} bad call of ${name}`, error.code === -32602 && error.data?.code === expected, error);
    }
  }

  const { resources } = await client.listResources();
  check(`${label} resources/list`, resources.length > 0, resources);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    check(`${label} resources/read ${uri}`, contents.length === 1 && contents[0].text.length > 0, contents);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map((one) => one.uriTemplate);
  check(`${label} resources/templates/list`, JSON.stringify(templates) === JSON.stringify(TEMPLATES), templates);
  const since = await client.readResource({ uri: 'mainstay://history?since=1&space=hseos' });
  const told = JSON.parse(since.contents[0].text);
  check(`${label} history since a revision`, told.more || told.entries.at(-1).revision === 1, told);

  const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  check(`${label} prompts/list`, JSON.stringify(prompts) === JSON.stringify(PROMPTS), prompts);
  for (const name of prompts) {
    const { text } = (await client.getPrompt({ name, arguments: { agent: 'GHOST' } })).messages[0].content;
    check(`${label} prompts/get ${name}`, text.includes('<mainstay-data ') && text.includes('agent GHOST'), text);
  }
  for (const [ref, argument, expected] of [
    [{ type: 'ref/prompt', name: 'resume' }, { name: 'agent', value: 'gho' }, 'GHOST'],
    [{ type: 'ref/resource', uri: TEMPLATES[1] }, { name: 'space', value: 'hs' }, 'hseos'],
  ]) {
    const { values } = (await client.complete({ ref, argument })).completion;
    check(`${label} completion of ${argument.name}`, values.includes(expected), values);
  }

  // Every schema is one of JSON Schema 2020-12, the draft that holds where none is named.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const tool of (await client.listTools()).tools) {
    try {
      check(`${label} schema of ${tool.name}`, typeof ajv.compile(tool.inputSchema) === 'function');
    } catch (error) {
      check(`${label} schema of ${tool.name}`, false, error);
    }
  }

  const uri = 'mainstay://hseos/STATE.md';
  const heard = new Promise((tell, fail) => {
    setTimeout(() => fail(new Error('nothing was heard')), 20_000).unref();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => tell(params.uri));
  });
  await client.subscribeResource({ uri });
  await call('state_write', { fields: { branch: `${tag}-heard` }, agent: 'GHOST' });
  check(`${label} is told of ${uri}`, (await heard) === uri, await heard);
  await client.unsubscribeResource({ uri });
  await client.setLoggingLevel('warning');
  await client.ping();
  check(`${label} ping`, true);
}

async function attempt(label, transport) {
  const client = new Client({ name: 'ts-client', version: '1.0.0' });
  try {
    await client.connect(transport);
    await exercise(label, client);
  } catch (error) {
    check(label, false, error);
  } finally {
    await client.close().catch((error) => check(`${label} close`, false, error));
  }
}

// Ends a session as the protocol has it, and is told that it is over.
async function leaves(url) {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const client = new Client({ name: 'ts-client', version: '1.0.0' });
  await client.connect(transport);
  const headers = { 'mcp-session-id': transport.sessionId };
  await transport.terminateSession();
  const { status } = await fetch(url, { method: 'DELETE', headers });
  check('an ended session is not found', status === 404, status);
  await client.close();
}

await attempt('stdio', new StdioClientTransport({ command: binary, args: ['--project', project, 'serve', '--stdio'] }));

await servingProject(async (url) => {
  const answer = await fetch(new URL('/health', url)).then((health) => health.json());
  check('http health', answer.status === 'ok' && answer.project === project, answer);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await attempt('http', transport);
  check('http has a session', /^[0-9a-f]{32}$/.test(transport.sessionId), transport.sessionId);
  await leaves(url);
});
close();
