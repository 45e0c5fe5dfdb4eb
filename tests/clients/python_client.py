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

TOOLS = ["state_read", "state_write", "tasks_list", "tasks_add", "tasks_update", "state_history"]
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
    """Every tool, every resource, one refusal, bad calls, one retry."""
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
    templates = (await client.list_resource_templates()).resource_templates
    check(f"{label} no templates", templates == [], templates)


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
    try:
        async with asyncio.timeout(60):
            async with Client(server, mode=mode) as client:
                check(f"{label} revision", client.protocol_version == revision, client.protocol_version)
                # With its revision pinned, the SDK asks the server nothing before the first call.
                named = client.server_info and client.server_info.name
                check(f"{label} server name", mode == NEWEST or named, client.server_info)
                await exercise(f"{label} {client.protocol_version}", client)
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
