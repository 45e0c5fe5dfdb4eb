#!/usr/bin/env python3
"""Drives the MCP server of a Mainstay binary with the public Python SDK, over stdio and over HTTP.

    python3 -m venv VENV && VENV/bin/pip install 'mcp==2.3.0'
    VENV/bin/python tests/clients/python_client.py BIN PROJECT_FOLDER

Each transport is used in every lifecycle that the SDK speaks: the newest revision, which has no
initialize, and the newest one with it. Prints `N passed, M failed`; exits with 1 when any failed.
"""

import asyncio
import json
import pathlib
import secrets
import socket
import subprocess
import sys
import urllib.error
import urllib.request

from mcp import Client, MCPError, StdioServerParameters
from mcp_types import PromptReference, ResourceTemplateReference, ResourceUpdatedNotification

TOOLS = ["state_read", "state_write", "tasks_list", "tasks_add", "tasks_update", "state_history"]
TEMPLATES = ["mainstay://history{?since,space}", "mainstay://records/{+space}"]
PROMPTS = ["resume", "handoff", "plan-next"]
NEWEST = "2026-07-28"
passed = failed = 0


def check(what, holds, seen=None):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {seen!r}")


async def exercise(label, client):
    """Every tool, every resource and template, every prompt, completions, one refusal, bad calls, one retry."""
    tag = f"py{secrets.token_hex(4)}"

    async def call(tool, arguments, **more):
        result = await client.call_tool(tool, arguments, **more)
        check(f"{label} {tool} is no error", not result.is_error, result)
        text = json.loads(result.content[0].text)
        check(f"{label} {tool} text and structure are alike", text == result.structured_content, text)
        return result.structured_content

    listed = [tool.name for tool in (await client.list_tools()).tools]
    check(f"{label} tools/list", sorted(listed) == sorted(TOOLS), listed)

    written = await call("state_write", {"fields": {"branch": tag}, "agent": "GHOST"})
    check(f"{label} state_write", written["written"] == 1 and written["changed"] == ["branch"], written)
    state = await call("state_read", {})
    check(f"{label} state_read", state["state"]["branch"] == tag, state)

    task = {"id": tag, "owner": "GHOST", "description": "it's \"quoted\"; $(x) `y` é"}
    meta = {"requestId": f"r-{tag}", "actor": "GHOST"}
    added = await call("tasks_add", task, meta=meta)
    check(f"{label} tasks_add", added["added"] == tag and added["created"] is True, added)
    again = await call("tasks_add", task, meta=meta)
    check(f"{label} a retry is the first reply", again["created"] is True, again)
    updated = await call("tasks_update", {"id": tag, "status": "in_progress", "note": "n"})
    check(f"{label} tasks_update", updated["status"] == "in_progress", updated)
    tasks = (await call("tasks_list", {"status": "in_progress"}))["tasks"]
    mine = [one for one in tasks if one["id"] == tag]
    check(f"{label} tasks_list", len(mine) == 1 and mine[0]["description"] == task["description"], tasks)
    history = (await call("state_history", {"n": 5}))["history"]
    check(f"{label} state_history", any(row["new_value"] == tag for row in history), history)
    dotted = await client.call_tool("state.read", {})
    check(f"{label} a dotted name answers", not dotted.is_error, dotted)

    refused = await client.call_tool("tasks_update", {"id": f"{tag}-none", "status": "done"})
    code = (refused.structured_content or {}).get("error", {}).get("code")
    check(f"{label} a refusal is a result", refused.is_error and code == "task_not_found", refused)
    for tool, arguments, expected in [
        ("tasks_update", {"id": tag, "status": "nope"}, "invalid_argument"),
        ("state_read", {"frob": 1}, "invalid_argument"),
        ("frobnicate", {}, "unknown_tool"),
    ]:
        try:
            answered = await client.call_tool(tool, arguments)
            check(f"{label} bad call of {tool}", False, answered)
        except MCPError as error:
            seen = (error.code, (error.data or {}).get("code"))
            check(f"{label} bad call of {tool}", seen == (-32602, expected), seen)

    resources = (await client.list_resources()).resources
    check(f"{label} resources/list", len(resources) > 0, resources)
    for resource in resources:
        contents = (await client.read_resource(str(resource.uri))).contents
        check(f"{label} resources/read {resource.uri}", len(contents) == 1 and contents[0].text, contents)
    templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
    check(f"{label} resources/templates/list", templates == TEMPLATES, templates)
    history = json.loads((await client.read_resource("mainstay://history?since=1&space=hseos")).contents[0].text)
    check(f"{label} history since a revision", history["entries"][-1]["revision"] == 1 or history["more"], history)

    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    check(f"{label} prompts/list", prompts == PROMPTS, prompts)
    for prompt in prompts:
        messages = (await client.get_prompt(prompt, {"agent": "GHOST"})).messages
        told = messages[0].content.text
        check(f"{label} prompts/get {prompt}", "<mainstay-data " in told and "agent GHOST" in told, told)
    for reference, argument, begun, expected in [
        (PromptReference(type="ref/prompt", name="resume"), "agent", "gho", "GHOST"),
        (ResourceTemplateReference(type="ref/resource", uri=TEMPLATES[1]), "space", "hs", "hseos"),
    ]:
        completed = (await client.complete(reference, {"name": argument, "value": begun})).completion.values
        check(f"{label} completion of {argument}", expected in completed, completed)


async def changed(client):
    tag = f"py{secrets.token_hex(4)}"
    await client.call_tool("state_write", {"fields": {"branch": tag}, "agent": "GHOST"})


async def subscribed(label, client, heard):
    """Subscriptions of the revisions with initialize: told by the session's own stream."""
    uri = "mainstay://hseos/STATE.md"
    await client.subscribe_resource(uri)
    await changed(client)
    async with asyncio.timeout(20):
        told = await heard.get()
    check(f"{label} is told of {uri}", told == uri, told)
    await client.unsubscribe_resource(uri)
    try:
        await client.subscribe_resource("mainstay://hseos/nothing")
        check(f"{label} subscribes to what there is", False)
    except MCPError as error:
        check(f"{label} subscribes to what there is", error.code == -32002, error.code)


async def listened(label, client):
    """`subscriptions/listen` of the newest revision."""
    uri = "mainstay://state"
    async with client.listen(resource_subscriptions=[uri], resources_list_changed=True) as subscription:
        await changed(client)
        async with asyncio.timeout(20):
            async for event in subscription:
                check(f"{label} hears of {uri}", getattr(event, "uri", None) == uri, event)
                break


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def health(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ConnectionError):
        return None


async def attempt(label, server, mode, revision):
    heard = asyncio.Queue()

    async def hear(message):
        if isinstance(message, ResourceUpdatedNotification):
            heard.put_nowait(str(message.params.uri))

    try:
        async with asyncio.timeout(60):
            async with Client(server, mode=mode, message_handler=hear) as client:
                check(f"{label} revision", client.protocol_version == revision, client.protocol_version)
                # With its revision pinned, the SDK asks the server nothing before the first call.
                named = client.server_info and client.server_info.name
                check(f"{label} server name", mode == NEWEST or named, client.server_info)
                await exercise(f"{label} {client.protocol_version}", client)
                if revision == NEWEST:
                    await listened(f"{label} {mode}", client)
                else:
                    await subscribed(f"{label} {mode}", client, heard)
    except Exception as error:  # whatever the SDK raises is a failure of this attempt, not of the others
        check(f"{label} {mode}", False, error)


async def main(binary, project):
    lifecycles = [("auto", NEWEST), (NEWEST, NEWEST), ("legacy", "2025-11-25")]
    stdio = StdioServerParameters(command=binary, args=["--project", project, "serve", "--stdio"])
    for mode, revision in lifecycles:
        await attempt(f"stdio {mode}", stdio, mode, revision)

    port = free_port()
    address = f"127.0.0.1:{port}"
    server = subprocess.Popen(
        [binary, "--project", project, "serve", "--http", address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            if server.poll() is not None or health(port):
                break
            await asyncio.sleep(0.05)
        answer = health(port) or {}
        check("http health", answer.get("status") == "ok" and answer.get("project") == project, answer)
        for mode, revision in lifecycles:
            await attempt(f"http {mode}", f"http://{address}/mcp", mode, revision)
    finally:
        server.terminate()
        check("http ends when asked to", server.wait(20) == 0, server.returncode)

    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary_path, project_path = (str(pathlib.Path(given).resolve()) for given in sys.argv[1:])
    sys.exit(asyncio.run(main(binary_path, project_path)))
