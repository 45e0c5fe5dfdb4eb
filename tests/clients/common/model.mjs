// A model that hosts can talk to on this machine: it plays a script, in the words of four wire forms.
//
// Each form tells how many answers of tools a request carries, which is the step that it is about, which tools the
// host offers, and how a step is written back. A request without tools (a title, a summary) gets one word.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { zstdDecompressSync } from 'node:zlib';

const list = (value) => (Array.isArray(value) ? value : []);

function events(response, written) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of written) {
    const name = event?.type ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

// <https://platform.claude.com/docs/en/build-with-claude/streaming>
const anthropic = {
  serves: (path) => /\/messages(\?|$)/.test(path),
  tools: (body) => list(body.tools).map(({ name }) => name),
  answered: (body) =>
    list(body.messages).flatMap(({ content }) => list(content)).filter(({ type }) => type === 'tool_result').length,
  write(response, { text, call }, number) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const [block, delta] = call
      ? [{ type: 'tool_use', id: `toolu_${number}`, name: call.name, input: {} },
         { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }]
      : [{ type: 'text', text: '' }, { type: 'text_delta', text }];
    const message = { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'script', content: [], usage };
    events(response, [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]);
  },
};

// <https://platform.openai.com/docs/api-reference/responses-streaming>
const responses = {
  serves: (path) => path.endsWith('/responses'),
  tools: (body) =>
    list(body.tools).flatMap((tool) =>
      tool.type === 'namespace' ? list(tool.tools).map(({ name }) => `${tool.name}/${name}`) : [tool.name]),
  answered: (body) => list(body.input).filter(({ type }) => /_call_output$/.test(type)).length,
  write(response, { text, call }, number) {
    const [namespace, name] = call?.name.includes('/') ? call.name.split('/') : [undefined, call?.name];
    const item = call
      ? call.free
        ? { type: 'custom_tool_call', id: `ctc_${number}`, call_id: `call_${number}`, name, input: call.free }
        : { type: 'function_call', id: `fc_${number}`, call_id: `call_${number}`, name, namespace,
            arguments: JSON.stringify(call.args) }
      : { type: 'message', id: `msg_${number}`, role: 'assistant', content: [{ type: 'output_text', text }] };
    const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null };
    events(response, [
      { type: 'response.created', response: { id: `resp_${number}` } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: `resp_${number}`, usage: { ...usage, total_tokens: 2 } } },
    ]);
  },
};

// <https://platform.openai.com/docs/api-reference/chat-streaming>
const completions = {
  serves: (path) => path.endsWith('/chat/completions'),
  tools: (body) => list(body.tools).map((tool) => tool.function.name),
  answered: (body) => list(body.messages).filter(({ role }) => role === 'tool').length,
  write(response, { text, call }, number) {
    const chunk = (delta, finish_reason = null) => ({
      id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1, model: 'script',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const calls = call && [{ index: 0, id: `call_${number}`, type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) } }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    events(response, [
      chunk(call ? { role: 'assistant', tool_calls: calls } : { role: 'assistant', content: text }),
      { ...chunk({}, call ? 'tool_calls' : 'stop'), usage },
      '[DONE]',
    ]);
  },
};

// <https://ai.google.dev/api/generate-content>
const gemini = {
  serves: (path) => /:(streamG|g)enerateContent/.test(path),
  tools: (body) => list(body.tools).flatMap((tool) => list(tool.functionDeclarations)).map(({ name }) => name),
  answered: (body) => list(body.contents).flatMap(({ parts }) => list(parts)).filter((part) => part.functionResponse).length,
  write(response, { text, call }, _, path) {
    const part = call ? { functionCall: { name: call.name, args: call.args } } : { text };
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
    const told = { candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
    if (path.includes(':stream')) return events(response, [told]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  },
};

const FORMS = [anthropic, responses, completions, gemini];

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const text = request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(whole) : whole;
  return text.length > 0 ? JSON.parse(text) : {};
}

// Plays `script` while it is used. `script` holds what is done at each step, `{ text }` or `{ call }`, or a function
// of the tools' names that tells it. Hands on the server's address and all requests that carried tools, as they came.
export async function playing(script, use) {
  const asked = [];
  const other = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => ({}));
    const form = FORMS.find(({ serves }) => serves(request.url));
    if (!form || request.method !== 'POST') {
      other.push(`${request.method} ${request.url}`);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const tools = form.tools(body);
    if (tools.length === 0) {
      other.push(`${request.method} ${request.url}`);
      form.write(response, { text: 'Script' }, 0, request.url);
      return;
    }
    asked.push({ text: JSON.stringify(body), body, tools });
    const step = script[Math.min(form.answered(body), script.length - 1)];
    form.write(response, typeof step === 'function' ? step(tools) : step, asked.length, request.url);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`, asked, other);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
