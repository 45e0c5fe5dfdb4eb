//! A few hundred programs against what jq made of them, and every known difference with its reason.

#![allow(clippy::unwrap_used)]

use mainstay_jq::{Limits, Program};
use model::{Timestamp, Value};

struct Ran {
    outputs: Vec<String>,
    failed: bool,
}

fn run(program: &str, input: &Value) -> Ran {
    let Ok(program) = Program::compile(program, &[]) else { return Ran { outputs: Vec::new(), failed: true } };
    let outputs = program.run(input, Timestamp::from_millis(0), 10_000, Limits::whole(&|| false));
    let text = |value: &Option<Value>| value.as_ref().map_or("not finite".to_owned(), Value::to_string);
    Ran { outputs: outputs.values.iter().map(text).collect(), failed: outputs.failure.is_some() }
}

#[test]
fn programs_put_out_what_jq_puts_out() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../tests/jq/cases.json")).unwrap();
    assert!(cases.len() > 500, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let (program, input) = (case["program"].as_str().unwrap(), case["input"].as_str().unwrap());
        let ran = run(program, &serde_json::from_str(input).unwrap());
        let expected: Vec<&str> = case["outputs"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        let same = ran.outputs == expected && Value::Bool(ran.failed) == case["failed"];
        match case.get("differs").and_then(Value::as_str) {
            None if !same => wrong.push(format!("{program} over {input}: {:?}, not {expected:?}", ran.outputs)),
            Some(reason) if same => wrong.push(format!("{program} over {input} does not differ any more ({reason})")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
