//! Several hundred programs against what jq makes of them, and every known difference with its reason.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_types, reason = "one test starts the real program")]

use std::process::{Command, Stdio};
use std::thread;

use mainstay_jq::{Limits, Program};
use model::{Timestamp, Value};
use serde_json::json;

/// The version of the program that Debian 12 ships; what it puts out is recorded too.
const DEBIAN: &str = "jq-1.6";

/// How many programs are run within one.
const TOGETHER: usize = 64;

/// What a program put out, and whether it ended in an error.
#[derive(Debug, PartialEq)]
struct Ran {
    outputs: Vec<String>,
    failed: bool,
}

impl Ran {
    fn read(value: &Value) -> Self {
        let outputs = value["outputs"].as_array().unwrap().iter();
        let outputs = outputs.map(|text| text.as_str().unwrap().to_owned()).collect();
        Self { outputs, failed: value["failed"].as_bool().unwrap() }
    }

    fn to_json(&self) -> Value {
        json!({"outputs": self.outputs, "failed": self.failed})
    }
}

struct Case {
    program: String,
    input: String,
    /// What the 1.7 line puts out.
    reference: Ran,
    /// What we put out, where that is something else, and why.
    ours: Option<(Ran, String)>,
    /// What Debian's program puts out, where that is something else, and why; nothing where it never ends.
    debian: Option<(Option<Ran>, String)>,
}

fn cases() -> Vec<Case> {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../tests/jq/cases.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let read = |case: &Value| Case {
        program: text(&case["program"]),
        input: text(&case["input"]),
        reference: Ran::read(case),
        ours: case.get("ours").map(|ours| (Ran::read(ours), text(&ours["why"]))),
        debian: case.get("debian").map(|debian| {
            let ran = debian.get("outputs").is_some().then(|| Ran::read(debian));
            (ran, text(&debian["why"]))
        }),
    };
    cases.iter().map(read).collect()
}

fn run(case: &Case) -> Ran {
    let Ok(program) = Program::compile(&case.program, &[]) else { return Ran { outputs: Vec::new(), failed: true } };
    let input = serde_json::from_str(&case.input).unwrap();
    let outputs = program.run(&input, Timestamp::from_millis(0), 10_000, Limits::whole(&|| false));
    let text = |value: &Option<Value>| value.as_ref().map_or("not finite".to_owned(), Value::to_string);
    Ran { outputs: outputs.values.iter().map(text).collect(), failed: outputs.failure.is_some() }
}

#[test]
fn programs_put_out_what_jq_puts_out() {
    let cases = cases();
    assert!(cases.len() > 600, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let ran = run(case);
        let told = || format!("{} over {}: {}", case.program, case.input, ran.to_json());
        match &case.ours {
            None if ran != case.reference => wrong.push(format!("{}, not {}", told(), case.reference.to_json())),
            Some((_, why)) if ran == case.reference => {
                wrong.push(format!("{} does not differ any more ({why})", told()));
            }
            Some((ours, _)) if ran != *ours => wrong.push(format!("{}, not {}", told(), ours.to_json())),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every program within one, since starting jq takes longer than running most of them.
///
/// **Shape**: a line for each: `[["out", TEXT], …]`, its last item `["error"]` where it ended in one.
fn together(cases: &[&Case]) -> Option<Vec<Ran>> {
    let one = |case: &&Case| {
        format!("(({}\n) | [try (({}\n) | [\"out\", tojson]) catch [\"error\"]])", case.input, case.program)
    };
    let program = cases.iter().map(one).collect::<Vec<_>>().join(",\n");
    let (text, succeeded) = jq(&["-n", "-c", &program], "");
    let read = |line: &str| {
        let mut ran = Ran { outputs: Vec::new(), failed: false };
        for said in serde_json::from_str::<Vec<Vec<String>>>(line).unwrap() {
            match said.get(1) {
                Some(text) => ran.outputs.push(text.clone()),
                None => ran.failed = true,
            }
        }
        ran
    };
    let ran: Vec<Ran> = text.lines().map(read).collect();
    (succeeded && ran.len() == cases.len()).then_some(ran)
}

fn alone(case: &Case) -> Ran {
    let (text, succeeded) = jq(&["-r", &format!("({}\n) | tojson", case.program)], &case.input);
    Ran { outputs: text.lines().map(str::to_owned).collect(), failed: !succeeded }
}

fn jq(arguments: &[&str], input: &str) -> (String, bool) {
    use std::io::Write as _;
    let mut command = Command::new("jq");
    command.args(arguments).env("TZ", "UTC").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    // A program that cannot be compiled reads nothing.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

fn version() -> Option<String> {
    let output = Command::new("jq").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where the program of Debian 12 is installed, as in CI, what was recorded of it is what it puts out now.
///
/// With the other test this holds us against the real program, case by case.
#[test]
fn the_real_program_puts_out_what_was_recorded() {
    if version().as_deref() != Some(DEBIAN) {
        return;
    }
    let cases = cases();
    let ends = |case: &&Case| !matches!(case.debian, Some((None, _)));
    let fails = |case: &Case| case.debian.as_ref().and_then(|(ran, _)| ran.as_ref()).unwrap_or(&case.reference).failed;
    // What it does not compile, what ends in an error, and what tells of where it stands is run by itself.
    let tells = |case: &Case| ["$__loc__", "input_filename"].iter().any(|name| case.program.contains(name));
    let (singly, jointly): (Vec<&Case>, Vec<&Case>) =
        cases.iter().filter(ends).partition(|case| fails(case) || tells(case));
    let parts: Vec<&[&Case]> = jointly.chunks(TOGETHER).collect();
    let together: Vec<Vec<Ran>> = thread::scope(|scope| {
        let running: Vec<_> = parts.iter().map(|part| scope.spawn(|| together(part))).collect();
        running.into_iter().map(|part| part.join().unwrap().expect("all of these were compiled once")).collect()
    });
    let ran = jointly.into_iter().zip(together.into_iter().flatten());
    let ran = ran.chain(singly.into_iter().map(|case| (case, alone(case))));
    let mut wrong = Vec::new();
    for (case, ran) in ran {
        let expected = match &case.debian {
            Some((Some(recorded), _)) => recorded,
            _ => &case.reference,
        };
        if ran != *expected {
            let (ran, expected) = (ran.to_json(), expected.to_json());
            wrong.push(format!("{} over {}: {ran}, not {expected}", case.program, case.input));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
