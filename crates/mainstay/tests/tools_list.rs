//! What every session of an agent carries: the list of tools stays within its budget.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

/// So large may the list of one format be. **Units**: bytes of compact JSON.
const BUDGETS: &[(&str, usize)] =
    &[("hseos", 2000), ("eneo", 3_500), ("skillstate", 4500), ("upgrade", 4500), ("msd", 3000)];

#[test]
fn each_format_keeps_to_its_budget() {
    for (format, budget) in BUDGETS {
        let list = listed(format);
        let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{format}: {list}"));
        let size = serde_json::to_string(tools).unwrap().len();
        assert!(!tools.is_empty() && size <= *budget, "{format}: {size} bytes, {budget} allowed");
    }
    let of_msd = listed("msd")["result"]["tools"].as_array().unwrap().len();
    assert!(of_msd <= 8, "{of_msd} tools of msd");
    let formats: Vec<_> = formats::ALL.iter().map(|format| format.name()).collect();
    let budgeted: Vec<_> = BUDGETS.iter().map(|(format, _)| *format).collect();
    assert_eq!(formats, budgeted, "every format has a budget");
}

#[test]
fn names_are_spelt_as_in_the_seed_where_asked() {
    let names = |list: &serde_json::Value| -> Vec<String> {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let spelt = names(&asked("skillstate", &["--tool-names", "seed"], TOOLS_LIST));
    assert_eq!((spelt.len(), spelt[0].as_str(), spelt[12].as_str()), (13, "state.get", "agent.merge"), "{spelt:?}");
    let undotted: Vec<String> = spelt.iter().map(|name| name.replacen('.', "_", 1)).collect();
    assert_eq!(undotted, names(&listed("skillstate")), "the same tools in the same order");
    let called = asked(
        "skillstate",
        &["--tool-names", "seed"],
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"state.patch","arguments":{"patch":{"goal":"g"}}}}"#,
    );
    assert_eq!(called["result"]["structuredContent"]["state"]["goal"], "g", "{called}");
    let same = names(&asked("hseos", &["--tool-names", "seed"], TOOLS_LIST));
    assert_eq!(same, names(&listed("hseos")), "this seed spells them with underscores");
}

const TOOLS_LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

fn listed(format: &str) -> serde_json::Value {
    asked(format, &[], TOOLS_LIST)
}

/// What a server that was started with these words answers.
fn asked(format: &str, words: &[&str], request: &str) -> serde_json::Value {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("mainstay.toml"), format!("formats = [{format:?}]\n")).unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(["--project", project.path().to_str().unwrap(), "serve", "--stdio"])
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| writeln!(input, "{line}").unwrap();
    ask(concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#
    ));
    output.next().unwrap().unwrap();
    ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    ask(request);
    let answer = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
    drop(input);
    assert!(server.wait().unwrap().success());
    answer
}
