//! Tests of the whole room: limits, refusals, number text.

use model::{Timestamp, Value};
use proptest::prelude::*;
use serde_json::json;

use crate::{Failure, Limits, Outputs, Program, equal};

fn run_all(program: &str, input: &Value) -> Result<Outputs, Failure> {
    Ok(Program::compile(program, &[])?.run(input, Timestamp::from_millis(1_500), 1_000, Limits::whole(&|| false)))
}

fn failure(program: &str) -> Failure {
    match run_all(program, &Value::Null) {
        Err(failure) => failure,
        Ok(outputs) => outputs.failure.unwrap_or_else(|| panic!("{program} put out {:?}", outputs.values)),
    }
}

#[test]
fn endless_programs_end() {
    for program in [
        "def f: f; f",
        "def f: f | f; f",
        "[range(1e18)] | length",
        "repeat(empty; 1)?, until(false; .)",
        "reduce range(1e9) as $i (0; . + 1)",
        "last(repeat(1))",
        "[limit(1e9; repeat(1))]",
        "reduce range(100) as $i (\"x\"; . + .)",
        "\"x\" * 1e12",
        "reduce range(1e6) as $i (0; [.])",
        "def f: [f]; f",
        "def f: 1 + f; f",
        ".[1e7] = 1 | .[2e6] = 1",
        "try repeat(1) catch 1 | empty",
        "path(until(false; .a))",
        "reduce range(60) as $i (1; [., .]) | tojson | length",
        "reduce range(60) as $i (1; {a: ., b: .}) | . == .",
        "(\"x\" * 1e6) as $s | [range(1000) | $s] | tojson",
        "def f(g): f(g | .); f(.)",
        "def f(g): f(1 | g); f(0)",
    ] {
        let failure = match failure(program) {
            Failure::Compile(_) => continue,
            failure => failure,
        };
        assert!(matches!(failure, Failure::Limit(_) | Failure::Raised(_)), "{program}: {failure:?}");
    }
    assert!(matches!(failure("try (def f: f; f) catch 1"), Failure::Limit("time")), "no program catches a limit");
    assert!(matches!(failure("reduce range(1e6) as $i (0; [.])"), Failure::Limit("depth")));
    assert!(matches!(failure("\"x\" * 1e12"), Failure::Limit("memory" | "time")));
}

#[test]
fn keys_within_keys_do_not_hold_up_the_compiler() {
    let nested = (0..40).fold("\"x\"".to_owned(), |text, _| format!("{{\"\\({text}|\"k\")\"}}"));
    assert_eq!(failure(&nested), Failure::Limit("length"));
    assert_eq!(run_all("{\"a\\(1)\"}", &json!({"a1": 2})).unwrap().values, [Some(json!({"a1": 2}))]);
}

#[test]
fn the_ends_of_an_expression_are_those_of_the_text() {
    for (input, program, expected) in [
        ("a\nnot ok!", "test(\"^[a-z]+$\")", json!(false)),
        ("foo\nbar", "test(\"^bar\"), test(\"foo$\")", json!(false)),
        ("foo\nbar", "test(\"foo.bar\"; \"s\")", json!(false)),
        ("foo\nbar", "test(\"foo.bar\"; \"p\")", json!(true)),
        ("ab\ncd", "[scan(\"^.\")]", json!(["a"])),
    ] {
        assert_eq!(run_all(program, &json!(input)).unwrap().values[0], Some(expected), "{program}");
    }
}

#[test]
fn a_place_is_deleted_once() {
    for (input, program, expected) in [
        (json!([1, 2, 3]), "del(.[0, 0])", json!([2, 3])),
        (json!([1, 2, 3, 4]), "delpaths([[1], [1]])", json!([1, 3, 4])),
        (json!(["a", "b", "c"]), "del(last, .[2])", json!(["a", "b"])),
        (json!([1, 2, 3]), "del(.[-1, 2])", json!([1, 2])),
        (json!([1, 2, 3]), "del(.[2], .[-2])", json!([1])),
        (json!(["a", "b", "c"]), "del(.[2], .[-3])", json!(["b"])),
        (json!([1, 2, 3, 4]), "del(.[0:2], .[1:3])", json!([4])),
        (json!([1, 2, 3, 4]), "del(.[0:2], .[1])", json!([3, 4])),
        (json!([1, 2, 3]), "del(.[5], .[-9])", json!([1, 2, 3])),
        (json!({"x": [1, [2, 3]]}), "del(.x[1], .x[-1][0])", json!({"x": [1]})),
        (json!({"a": null}), "del(.a[0], .b.c)", json!({"a": null})),
    ] {
        assert_eq!(run_all(program, &input).unwrap().values, [Some(expected)], "{program}");
    }
}

#[test]
fn loops_by_recursion_need_no_stack() {
    let program = "def up: if . < 20000 then . + 1 | up else . end; 0 | up";
    assert_eq!(run_all(program, &Value::Null).unwrap().values, [Some(json!(20000))]);
    let program = "def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; 15 | fib";
    assert_eq!(run_all(program, &Value::Null).unwrap().values, [Some(json!(610))]);
}

#[test]
fn long_and_deep_programs_are_refused() {
    assert_eq!(failure(&" ".repeat(70_000)), Failure::Limit("length"));
    for (open, close) in [("(", ")"), ("[", "]"), ("{a:", "}"), ("-", "1"), ("if 1 then ", " end"), ("\"\\(", ")\"")] {
        let program = format!("{}1{}", open.repeat(2_000), close.repeat(2_000));
        assert_eq!(failure(&program), Failure::Limit("depth"), "{open}");
    }
    assert_eq!(failure(&format!(".{}", "[0]".repeat(5_000))), Failure::Limit("depth"));
    let long = vec![".a = 1"; 5_000].join(" | ");
    assert_eq!(run_all(&long, &Value::Null).unwrap().values, [Some(json!({"a": 1}))]);
}

#[test]
fn the_world_outside_is_not_there() {
    for program in [
        "input",
        "inputs",
        "env",
        "$ENV",
        "halt",
        "halt_error",
        "import \"a\" as a; 1",
        "include \"a\"; 1",
        "input_filename",
        "get_search_list",
        "$__prog_args",
        "try input catch 1",
        "def f: env; 1",
    ] {
        assert!(matches!(failure(program), Failure::Compile(_)), "{program}");
    }
    assert_eq!(run_all("now", &Value::Null).unwrap().values, [Some(json!(1.5))]);
}

#[test]
fn numbers_keep_their_text_until_someone_computes() {
    let input: Value = serde_json::from_str("[1.0,0.10,12345678901234567890]").unwrap();
    let text = |program: &str| run_all(program, &input).unwrap().values[0].as_ref().unwrap().to_string();
    assert_eq!(text("."), "[1.0,0.10,12345678901234567890]");
    assert_eq!(text(".[0] += 0"), "[1,0.10,12345678901234567890]");
    assert_eq!(text("\"\\(.[1])\""), "\"0.10\"");
    assert_eq!(run_all("infinite", &input).unwrap().values, [None]);
}

#[test]
fn variables_are_bound_and_the_latest_wins() {
    let (one, two) = (json!("$(id)\" | halt"), json!([2]));
    let program = Program::compile("[$a, $b]", &[("a", &two), ("a", &one), ("b", &two)]).unwrap();
    let outputs = program.run(&Value::Null, Timestamp::from_millis(0), 2, Limits::whole(&|| false));
    assert_eq!(outputs.values, [Some(json!(["$(id)\" | halt", [2]]))]);
}

#[test]
fn equality_is_that_of_the_language() {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert!(equal(&value("{\"a\":1.0,\"b\":2}"), &value("{\"b\":2,\"a\":1}")));
    assert!(!equal(&value("12345678901234567890"), &value("12345678901234567891")));
}

proptest! {
    #[test]
    fn no_text_makes_the_compiler_panic(text in "[ .a-c0-9\\[\\](){}|,:;$\"\\\\?/=<>+*%@#é-]{0,40}") {
        if let Ok(program) = Program::compile(&text, &[]) {
            program.run(&json!({"a": [1, {"b": null}], "c": "é"}), Timestamp::from_millis(0), 10, Limits::brief(&|| false));
        }
    }

    #[test]
    fn words_in_any_order_do_not_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        ".", ".a", ".[0]", "[]", "|", ",", "=", "|=", "+", "-", "//", "as $x", "$x", "reduce", "foreach", "(", ")",
        "if", "then", "else", "end", "try", "catch", "def f:", ";", "f", "label $l", "break $l", "..", "del", "path",
        "map", "first", "limit", "1", "\"a\"", "{", "}", "[", "]", "test", "sub", "to_entries", "@csv", "error",
    ]), 0..14)) {
        let text = words.join(" ");
        if let Ok(program) = Program::compile(&text, &[]) {
            program.run(&json!({"a": [1, {"b": null}]}), Timestamp::from_millis(0), 10, Limits::brief(&|| false));
        }
    }
}
