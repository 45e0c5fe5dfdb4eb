//! Tests of the whole room: limits, refusals, number text.

use std::cell::Cell;

use model::{Timestamp, Value};
use proptest::prelude::*;
use serde_json::json;

use crate::{Failure, Limit, Limits, Outputs, Program, equal};

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
}

#[test]
fn a_refusal_names_what_there_was_too_much_of() {
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let long = " ".repeat(70_000);
    for (limit, name, programs) in [
        (
            Limit::Steps,
            "time",
            &[
                "def f: f; f",
                "try (def f: f; f) catch 1",
                "[range(1e18)] | length",
                "last(repeat(1))",
                "reduce range(1e9) as $i (0; . + 1)",
            ][..],
        ),
        (
            Limit::Memory,
            "memory",
            &[
                "\"x\" * 1e12",
                "\"x\" * 3e8",
                "[range(1000) | \"\\(.)\" + \"x\" * 1e6] | length",
                "reduce range(100) as $i (\"x\"; . + .)",
                "[range(30) as $i | (null | .[1e6] = $i)] | length",
                "(\"1\" * 1000000) as $s | [range(1000) | $s | tonumber] | length",
                "reduce range(24) as $i (1; [., .])",
                "reduce range(40) as $i (1; {a: ., b: .}) | [paths] | length",
            ],
        ),
        (
            Limit::Depth,
            "depth",
            &["reduce range(1e6) as $i (0; [.])", "def f: [f]; f", "def f: 1 + f; f", deep.as_str()],
        ),
        (Limit::Length, "length", &[long.as_str()]),
        (Limit::Output, "output", &["range(100) | \"x\" * 1e6"]),
    ] {
        assert_eq!(limit.name(), name);
        for program in programs {
            let failure = failure(program);
            assert_eq!(failure, Failure::Limit(limit), "{program:.60}");
            assert!(failure.to_string().starts_with("the "), "{failure}");
        }
    }
    assert!(Failure::Limit(Limit::Memory).to_string().contains("256 MiB"));
}

// What a program comes to when the clock says at its twentieth look that the time is over.
fn hurried(program: &str) -> Option<Failure> {
    let looks = Cell::new(0);
    let is_over = || {
        looks.set(looks.get() + 1);
        looks.get() >= 20
    };
    let program = Program::compile(program, &[]).unwrap();
    program.run(&Value::Null, Timestamp::from_millis(0), 1_000, Limits::whole(&is_over)).failure
}

#[test]
fn the_clock_is_looked_at_whatever_a_program_does() {
    for program in [
        "[range(100000)] as $a | [range(100000)] as $b | [range(100000) | $a == $b] | length",
        "(\"x\" * 1000000) as $s | reduce range(400000) as $i (0; $s | length)",
        "(\"x\" * 1000000) as $s | reduce range(400000) as $i (0; $s[0:1])",
        "[range(100000)] as $a | reduce range(300000) as $i (0; try ($a - 1) catch 0)",
        "(\"a\" * 20000) | [match(\".*?b|a\"; \"g\")] | length",
        "[range(50000)] as $a | [range(1000) | $a] | map(. + []) | sort | length",
        "[range(100000)] | [range(100000) | -1] - . | length",
        "([range(20000)] | tojson) as $t | reduce range(10000) as $i (0; $t | fromjson | length)",
        "[range(3000) | [range(300)]] | unique_by(.) | length",
        "def f: f; f",
        "repeat(empty)",
        "null | path(until(false; .a))",
    ] {
        assert_eq!(hurried(program), Some(Failure::Limit(Limit::Time)), "{program}");
    }
}

#[test]
fn memory_that_is_given_back_does_not_count() {
    // More than there may be in all, a few megabytes at any time.
    let program = "reduce range(150) as $i (0; . + (\"x\" * 2e6 | utf8bytelength))";
    assert_eq!(run_all(program, &Value::Null).unwrap().values, [Some(json!(300_000_000))]);
}

#[test]
fn loops_change_in_place_what_nobody_else_holds() {
    for (program, expected) in [
        ("reduce range(20000) as $i ([]; . + [$i]) | length", 20_000),
        ("reduce range(20000) as $i ([]; .[$i] = $i) | length", 20_000),
        ("reduce range(10000) as $i ({}; .[\"k\\($i)\"] = $i) | length", 10_000),
        ("reduce range(10000) as $i ({a: {b: []}}; .a.b += [$i]) | .a.b | length", 10_000),
        ("reduce range(10000) as $i ({a: {}}; .a[\"k\\($i)\"] += 1) | .a | length", 10_000),
        ("reduce range(10000) as $i (\"\"; . + \"x\") | length", 10_000),
        ("[range(30000)] | del(.[] | select(. % 2 == 0)) | length", 15_000),
        ("[range(30000)] | map(select(. % 2 == 0)) | length", 15_000),
    ] {
        assert_eq!(run_all(program, &Value::Null).unwrap().values, [Some(json!(expected))], "{program}");
    }
}

#[test]
fn what_is_no_number_is_sorted_without_a_sound_order() {
    let program = "[range(300) | if . % 3 == 0 then nan else . end] | sort, unique, group_by(.), sort_by(-.) | length";
    assert_eq!(run_all(program, &Value::Null).unwrap().failure, None);
    assert_eq!(
        run_all("[nan] | . == ., (.[0] < .[0])", &Value::Null).unwrap().values,
        [Some(json!(false)), Some(json!(true))]
    );
}

#[test]
fn a_brief_effort_ends_sooner() {
    let program = Program::compile("[range(60000)] | length", &[]).unwrap();
    let run = |limits| program.run(&Value::Null, Timestamp::from_millis(0), 1, limits);
    let brief = run(Limits::brief(&|| false)).failure.unwrap();
    assert!(brief.is_for_want_of_effort(), "{brief:?}");
    assert_eq!(run(Limits::whole(&|| false)).values, [Some(json!(60_000))]);
}

#[test]
fn keys_within_keys_do_not_hold_up_the_compiler() {
    let nested = (0..40).fold("\"x\"".to_owned(), |text, _| format!("{{\"\\({text}|\"k\")\"}}"));
    assert_eq!(failure(&nested), Failure::Limit(Limit::Length));
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
    assert_eq!(failure(&" ".repeat(70_000)), Failure::Limit(Limit::Length));
    for (open, close) in [("(", ")"), ("[", "]"), ("{a:", "}"), ("-", "1"), ("if 1 then ", " end"), ("\"\\(", ")\"")] {
        let program = format!("{}1{}", open.repeat(2_000), close.repeat(2_000));
        assert_eq!(failure(&program), Failure::Limit(Limit::Depth), "{open}");
    }
    assert_eq!(failure(&format!(".{}", "[0]".repeat(5_000))), Failure::Limit(Limit::Depth));
    let long = vec![".a = 1"; 5_000].join(" | ");
    assert_eq!(run_all(&long, &Value::Null).unwrap().values, [Some(json!({"a": 1}))]);
    // Rows of 32,000 make trees that are let go of within the 2 MiB of this thread.
    for between in ["|", ",", "+", "*", "and", "or", "//", "=="] {
        let row = vec!["1"; 32_000 / between.len()].join(&format!("{between} "));
        let row = &row[..row.len().min(65_000)];
        if let Ok(program) = Program::compile(row.trim_end_matches(|c: char| c != '1'), &[]) {
            assert!(matches!(between, "|" | ","), "{between}");
            let outputs = program.run(&Value::Null, Timestamp::from_millis(0), 40_000, Limits::whole(&|| false));
            assert_eq!(outputs.failure, None, "{between}");
        }
        drop(Program::compile(&format!("{row} )"), &[]));
    }
    for (open, close) in [("(", ")"), ("[", "]")] {
        let program = format!("{}1{}", open.repeat(60), close.repeat(60));
        assert!(run_all(&program, &Value::Null).unwrap().failure.is_none(), "{open}");
    }
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
