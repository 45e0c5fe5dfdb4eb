//! Tests of the gate: what commands write, and what phases and protected places refuse.

mod hosts;

use format::{FileState, Files};
use model::{Object, ProjectPath, Value};

use super::{Config, Rules, writes_of};

/// A project with some folders and no files.
struct Folders;

impl Files for Folders {
    fn read(&self, _: &ProjectPath, _: u64) -> FileState {
        FileState::Absent
    }

    fn list(&self, _: &ProjectPath) -> Vec<String> {
        Vec::new()
    }

    fn is_folder(&self, path: &ProjectPath) -> bool {
        matches!(path.as_str(), ".claude" | ".claude/state" | "tests" | "src")
    }
}

fn denied(phase: &str, tool: &str, value: &str) -> bool {
    let (key, value) = if tool == "Bash" { ("command", value.into()) } else { ("file_paths", vec![value].into()) };
    let input: Object = [(key.to_owned(), value)].into_iter().collect();
    let config = Config {
        lenient: false,
        protect_wave: false,
        tests: vec!["**/tests/**".into(), "**/test_*.py".into()],
        source: vec!["**/src/**".into()],
    };
    let rules = Rules::new(phase, &config, "/r/p", &Folders);
    writes_of(tool, &input).iter().any(|write| rules.refusal(write).is_some())
}

#[test]
fn every_file_of_a_patch_is_looked_at() {
    let harmless = (0..4095).map(|number| format!("docs/{number}.md"));
    let ask = |paths: Vec<String>, is_cut: bool| {
        let mut input = Object::from_iter([("file_paths".to_owned(), Value::from(paths))]);
        if is_cut {
            input.insert("is_cut".to_owned(), true.into());
        }
        let config = Config { lenient: false, protect_wave: false, tests: Vec::new(), source: Vec::new() };
        let rules = Rules::new("FREE", &config, "/r/p", &Folders);
        writes_of("Edit", &input).iter().any(|write| rules.refusal(write).is_some())
    };
    let last = |path: &str| harmless.clone().chain([path.to_owned()]).collect::<Vec<_>>();
    assert!(!ask(last("docs/last.md"), false));
    assert!(ask(last(".claude/state/phase"), false));
    assert!(ask(last("docs/last.md"), true), "what is not looked at is not allowed");
}

fn check(phase: &str, command: &str, expected: bool) {
    assert_eq!(denied(phase, "Bash", command), expected, "{phase}: {command}");
}

#[test]
fn phases_freeze_what_they_freeze() {
    for (phase, path, expected) in [
        ("GREEN", "/r/p/tests/a.py", true),
        ("GREEN", "tests/a.py", true),
        ("GREEN", "./x/../tests/a.py", true),
        ("GREEN", "/elsewhere/tests/a.py", true),
        ("GREEN", "/r/p/src/a.py", false),
        ("GREEN", "/r/p/contests/a.py", false),
        ("RED", "/r/p/src/a.py", true),
        ("RED", "/r/p/src/tests/a.py", false),
        ("REFACTOR", "/r/p/src/a.py", false),
        ("FREE", "/r/p/.claude/state/phase", true),
        ("FREE", "/r/p/.claude/state/../state/current-task.json", true),
        ("FREE", "/r/p/.claude/state/.locks/state.lock/owner", true),
        ("FREE", "/r/p/.mainstay/state.db", true),
        ("FREE", "/r/p/.claude/state/wave.json", false),
        ("FREE", "/r/p/.claude/state/phase.md", false),
        ("FREE", "/r/p/x.claude/state/phase", false),
        ("FREE", "/r/p/not.mainstay/state.db", false),
    ] {
        for tool in ["Edit", "MultiEdit", "Write", "NotebookEdit", "str_replace_editor"] {
            assert_eq!(denied(phase, tool, path), expected, "{phase} {tool} {path}");
        }
        assert!(!denied(phase, "Read", path));
    }
}

#[test]
fn redirections_quotes_and_lists_are_read() {
    for (command, expected) in [
        ("echo GREEN > .claude/state/phase", true),
        ("echo GREEN >| '.claude/state/phase'", true),
        ("echo x 2>&1 &>.claude/state/phase", true),
        ("echo x >$'.claude/state/phase'", true),
        ("rm $\".claude/state/phase\"", true),
        ("rm $'.claude/state/\\x70hase'", true),
        ("x=$(rm .claude/state/phase)", true),
        ("echo `rm .claude/state/phase`", true),
        ("echo `echo \\`rm .claude/state/phase\\``", true),
        ("echo \"${x:-$(rm .claude/state/phase)}\"", true),
        ("diff <(rm .claude/state/phase) x", true),
        ("cat x >(tee y) > .claude/state/phase", true),
        ("tee <(true) .claude/state/phase", true),
        ("if true; then rm .claude/state/phase; fi", true),
        ("case x in x) rm .claude/state/phase;; esac", true),
        ("echo $(case x in x) rm .claude/state/phase;; esac)", true),
        ("(cd x; (rm .claude/state/phase))", true),
        ("((rm .claude/state/phase) && echo x)", true),
        ("f() { rm .claude/state/phase; }; f", true),
        ("function f { rm .claude/state/phase; }; f", true),
        ("coproc rm .claude/state/phase", true),
        ("coproc N { rm .claude/state/phase; }", true),
        ("# rm .claude/state/phase", false),
        ("echo '> .claude/state/phase'", false),
        ("echo \\> .claude/state/phase", false),
        ("[[ 1 > .claude/state/phase ]]", false),
        ("if [[ 1 > .claude/state/phase ]]; then echo; fi", false),
        ("[[ 1 > 0 ]] && rm .claude/state/phase", true),
        ("cat .claude/state/phase", false),
        ("grep -r x tests > /dev/null", false),
        ("find . -name x 2>/dev/null", false),
        ("", false),
    ] {
        check("FREE", command, expected);
    }
}

#[test]
fn here_documents_hide_what_they_hold_and_nothing_else() {
    for (command, expected) in [
        ("cat <<EOF\nrm .claude/state/phase\nEOF\n", false),
        ("cat > x <<'EOF'\n> .claude/state/phase\nEOF\nrm .claude/state/phase", true),
        ("cat <<EOF\n$(rm .claude/state/phase)\nEOF\n", true),
        ("cat <<'EOF'\n$(rm .claude/state/phase)\nEOF\n", false),
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: .claude/state/phase\nEOF\n", true),
        ("applypatch '*** Begin Patch\n*** Add File: a\n*** Move to: .claude/state/phase\n'", true),
        ("bash -lc \"cd x && apply_patch <<'EOF'\n*** Delete File: .claude/state/phase\nEOF\n\"", true),
        ("apply_patch <<EOF\n*** Update File: a\n+*** Update File: .claude/state/phase\nEOF\n", false),
        ("cat <<EOF\n*** Update File: .claude/state/phase\nEOF\n", false),
        ("cat <<-EOF\n\tit's\n\tEOF\nrm .claude/state/phase", true),
        ("sh <<EOF\nrm .claude/state/phase\nEOF", true),
        ("bash -s <<'EOF'\nrm .claude/state/phase\nEOF", true),
        ("bash x.sh <<'EOF'\nrm .claude/state/phase\nEOF", false),
        ("bash <<< 'rm .claude/state/phase'", true),
        ("git commit -m \"$(cat <<'EOF'\nDon't break\nEOF\n)\" && echo x > .claude/state/phase", true),
        ("git commit -m \"$(cat <<'EOF'\nDon't rm .claude/state/phase\nEOF\n)\"", false),
        ("x=$(echo a # it's\n); rm .claude/state/phase", true),
        ("cat <<NEVER\nrm .claude/state/phase", true),
        ("(( a = b << 2 )); true\nrm .claude/state/phase\n2", true),
        ("x=$[1<<2]\nrm .claude/state/phase\n2", true),
        ("x=$((1<<2))\nrm .claude/state/phase\n2", true),
        ("a[1<<2]=x\nrm .claude/state/phase\n2", true),
        ("echo $'it\\'s' ; rm .claude/state/phase", true),
        ("echo $'\\'' ; echo x > .claude/state/phase; echo \\'", true),
        ("echo \"never closed; rm .claude/state/phase", true),
        ("echo it's; rm .claude/state/phase", true),
    ] {
        check("FREE", command, expected);
    }
}

#[test]
fn commands_write_what_they_name() {
    for (command, expected) in [
        ("printf x | tee -a .claude/state/phase", true),
        ("true && rm -f \".claude/state/current-task.json\"", true),
        ("cp a .claude/state/phase", true),
        ("cp .claude/state/phase a", false),
        ("cp phase .claude/state/", true),
        ("cp phase .claude/state", true),
        ("cp -t .claude/state x phase", true),
        ("cp state .claude/", false),
        ("mv .claude/state/phase a", true),
        ("mv .claude/state x", true),
        ("mv .claude x", true),
        ("mv a.txt .claude", false),
        ("ln -sfn /tmp .claude/state", true),
        ("ln -s x .claude/", false),
        ("rsync -a --delete x/ .claude/state/", true),
        ("rsync -a x/ .claude/", false),
        ("sed -i s/a/b/ .claude/state/phase", true),
        ("sed -i.bak -e s/a/b/ .claude/state/phase", true),
        ("sed -es/a/b/ -i .claude/state/phase", true),
        ("sed -i -fx.sed .claude/state/phase", true),
        ("sed s/a/b/ .claude/state/phase", false),
        ("sed -ne s/i/b/ .claude/state/phase", false),
        ("perl -i -pe s/a/b/ .claude/state/phase", true),
        ("perl -lpi -e s/a/b/ .claude/state/phase", true),
        ("perl -lpe s/a/b/ -i .claude/state/phase", true),
        ("perl -nli.bak -e 1 .claude/state/phase", true),
        ("perl -0777pi -e 1 .claude/state/phase", true),
        ("perl -Mstrict -ne 'print' .claude/state/phase", false),
        ("perl -Ilib -ne 'print' .claude/state/phase", false),
        ("dd if=/dev/zero of=.claude/state/phase", true),
        ("truncate -s 0 .claude/state/phase", true),
        ("find .claude/state -name phase -delete", true),
        ("find x -exec rm .claude/state/phase \\;", true),
        ("find .claude/state -name phase", false),
        ("find -delete", true),
        ("find . -name 'p?ase' -exec rm {} +", true),
        ("find . -name '*.json' -delete", true),
        ("find . ! -name '*.pyc' -delete", true),
        ("find . -name '*.pyc' -o -type d -delete", true),
        ("find . -name '*.pyc' -delete", false),
        ("find . -name __pycache__ -exec rm -rf {} +", false),
        ("find . -type d -name node_modules -prune -exec rm -rf {} +", false),
        ("find tests -name '*.pyc' -delete", false),
        ("find . -name a.pyc -o -name b.pyc -delete", false),
        ("find . -type d -empty -delete", false),
        ("find src -name phase -delete", false),
        ("find src .claude -name phase -exec rm {} +", true),
        ("rm -rf tests", true),
        ("rm -r src/__tests__/", true),
        ("find tests -delete", true),
        ("rm -rf .claude", true),
        ("rm -rf .claude/*", true),
        ("rm -rf .claude/state/*", true),
        ("rm -rf ..", true),
        ("rm -rf /r", true),
        ("rm -rf ../q", false),
        ("rm -rf /", true),
        ("rm tests", false),
        ("mv tests spec", false),
        ("echo '{}' > .claude/state/wave.json", false),
    ] {
        check("FREE", command, expected);
    }
    check("GREEN", "echo pass > tests/test_pay.py", true);
    check("GREEN", "cp test_a.py src", true);
    check("GREEN", "cp tests/test_a.py /tmp/x.py", false);
    check("GREEN", "pytest 2>/dev/null tests/pay_test.py", false);
    check("GREEN", "git log -- tests/a.py", false);
    check("GREEN", "find . -name 'test_*.py' -delete", true);
    check("GREEN", "find tests -name '*.pyc' -delete", true);
    check("GREEN", "find . -name '*.pyc' -delete", false);
    for (command, expected) in [
        ("find . -empty -delete -o -name '*.py' -delete", true),
        ("find tests -empty -o -delete", true),
        ("find tests -exec echo -empty \\; -delete", true),
        ("find tests -type d -exec echo -empty \\; -delete", true),
        ("find tests -type f -empty -delete", true),
        ("find tests -delete -type d -empty", true),
        ("find . -delete -name '*.pyc'", true),
        ("find . ! \\( -name '*.pyc' \\) -delete", true),
        ("find . -name '*.pyc' -delete -o -name 'test_*.py' -delete", true),
        ("find tests -type d -empty -delete", false),
        ("find . -name '*.pyc' -delete -o -name '*.pyo' -delete", false),
    ] {
        check("GREEN", command, expected);
    }
    for command in ["-name '*.py' -exec sed -i s/a/b/ {} +", "-name '*.py' -exec rm {} +", "-exec rm {} +"] {
        check("GREEN", &format!("find src tests {command}"), true);
        check("GREEN", &format!("find src lib {command}"), false);
    }
}

/// What each of these leaves open to a reader that is not bash is a `;` behind which something is removed.
#[test]
fn words_end_where_bash_ends_them() {
    for command in [
        "echo $${ ; rm tests/a.py; echo }",
        "echo $#'a' ; rm tests/a.py",
        "echo a[; rm tests/a.py; echo ]",
        "echo x[\"]\"; rm tests/a.py; echo \"[\"",
        "m[\"a]b\"]=1; rm tests/a.py; m[\"c]d\"]=2",
        "echo \"$(case x in esac)\"; rm tests/a.py; echo \"hi\"",
        "echo \"${x%'\"'}\"; rm tests/a.py; echo } \"x\"",
        "echo \"${x#\"a'b\"}\"; rm tests/a.py; echo \"x'\"",
        "\"[[\" x > tests/a.py",
        "\"case\" x in a; rm tests/a.py",
        "cat <<'EOF'\n\tEOF\ndon't\nEOF\nrm tests/a.py; echo 'x'",
        "cat <<-'EOF'\n\tEOF\nrm tests/a.py",
        "bash +e -c 'rm tests/a.py'",
        "bash -oe pipefail -c 'rm tests/a.py'",
        "bash -eo pipefail -c 'rm tests/a.py'",
        "bash - <<EOF\nrm tests/a.py\nEOF",
        "bash /dev/stdin <<EOF\nrm tests/a.py\nEOF",
        "{ bash; } <<EOF\nrm tests/a.py\nEOF",
        "cat <<EOF | sh\nrm tests/a.py\nEOF",
        "su - root -c 'rm tests/a.py'",
        "watch 'rm tests/a.py'",
        "watch -n 5 rm tests/a.py",
    ] {
        check("GREEN", command, true);
    }
    for command in [
        "cat > notes.md <<EOF\nrm tests/a.py\nEOF",
        "bash x.sh <<EOF\nrm tests/a.py\nEOF",
        "(( 3 > tests/2 ))",
        "echo $(( 3 > tests/2 ))",
        "echo $$' ; rm tests/a.py; echo '",
        "echo ${#x} ${x:-'a'}",
    ] {
        check("GREEN", command, false);
    }
    check("FREE", "python3 - <<'EOF'\nopen('.claude/state/phase', 'w')\nEOF", true);
    check("FREE", "python3 x.py <<'EOF'\nopen('.claude/state/phase', 'w')\nEOF", false);
}

/// Parts of a command that multiply each other: what they come to is never written down.
#[test]
fn what_comes_to_too_much_is_refused() {
    let nested = (0..15)
        .fold(String::new(), |inner, level| format!("bash <<E{level}\n{} $({inner}\n)\nE{level}", "x ".repeat(2_000)));
    for command in [
        format!("find {}{}", "a ".repeat(20_000), "-delete ".repeat(20_000)),
        format!("find {}{}", "a ".repeat(20_000), "-exec + ".repeat(10_000)),
        format!("find {}-exec rm x {{}} +", "a ".repeat(60_000)),
        format!("find . {}<<'E'\n{}\nE", "-exec sh + ".repeat(3_000), "x ".repeat(9_000)),
        format!("find {} -exec rm {};", "x".repeat(20_000), "{} ".repeat(5_000)),
        format!("cp {}{}", "s ".repeat(40_000), "x".repeat(100_000)),
        nested,
    ] {
        let input: Object =
            [("command".to_owned(), Value::from(format!("{command} && rm tests/a.py")))].into_iter().collect();
        let writes = writes_of("Bash", &input);
        let size: usize = writes.iter().map(|write| format!("{write:?}").len()).sum();
        assert!(size < 40 * command.len() + (1 << 20), "{size} for {}: {command:.40}", command.len());
        check("GREEN", &format!("{command} && rm tests/a.py"), true);
    }
    let owners = format!("{}{}", "<<a ".repeat(10_000), ";x".repeat(20_000));
    denied("GREEN", "Bash", &owners);
}

#[test]
fn commands_that_run_commands_are_read() {
    for (command, expected) in [
        ("bash -c 'echo x > .claude/state/phase'", true),
        ("sh -c \"bash -c 'rm .claude/state/phase'\"", true),
        ("bash -c -- 'rm .claude/state/phase'", true),
        ("bash -cx 'rm .claude/state/phase'", true),
        ("bash -c -x 'rm .claude/state/phase'", true),
        ("bash -o pipefail -lc 'rm .claude/state/phase'", true),
        ("bash rm .claude/state/phase", false),
        ("eval rm .claude/state/phase", true),
        ("env A=1 sudo rm .claude/state/phase", true),
        ("sudo -u root rm .claude/state/phase", true),
        ("sudo --user root B=2 rm .claude/state/phase", true),
        ("env -u FOO rm .claude/state/phase", true),
        ("env -S 'rm .claude/state/phase'", true),
        ("nice -n 5 rm .claude/state/phase", true),
        ("nice -n5 /bin/rm .claude/state/phase", true),
        ("xargs -n 1 rm .claude/state/phase", true),
        ("xargs -I {} rm .claude/state/phase", true),
        ("exec -a x rm .claude/state/phase", true),
        ("timeout 5 rm .claude/state/phase", true),
        ("timeout -k 1 5 rm .claude/state/phase", true),
        ("time -p rm .claude/state/phase", true),
        ("flock f rm .claude/state/phase", true),
        ("flock f -c 'rm .claude/state/phase'", true),
        ("su root -c 'rm .claude/state/phase'", true),
        ("sudo echo rm .claude/state/phase", false),
        ("timeout 5 cat .claude/state/phase", false),
        ("python3 -c \"open('.claude/state/phase','w')\"", true),
        ("python3 -c\"open('.claude/state/phase','w')\"", true),
        ("node -e\"write('.claude/state/phase')\"", true),
        ("node --eval \"write('.claude/state/phase')\"", true),
        ("node -p \"write('.claude/state/phase')\"", true),
        ("node -pe \"write('.claude/state/phase')\"", true),
        ("perl -E \"open('.claude/state/phase')\"", true),
        ("perl -e 1 -e \"open('.claude/state/phase')\"", true),
        ("python3 x.py .claude/state/phase", false),
        ("node x.js .claude/state/phase", false),
    ] {
        check("FREE", command, expected);
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused_and_long_texts_take_their_length() {
    let nested = |levels: usize| format!("{}rm .claude/state/phase{}", "echo $(".repeat(levels), ")".repeat(levels));
    check("FREE", &nested(20), true);
    check("FREE", &nested(5000), true);
    check("FREE", &format!("{}true{}", "$(".repeat(20), ")".repeat(20)), false);
    for part in
        ["\"$(", "${x:-", "`\\`", "((", "<<a\n", "a[", "$'", "'", "\"", "case x in (", "[[ > ", "$[", "x `", "\\"]
    {
        // Each of these took the square of its length, or a stack frame a letter, in a careless reader.
        denied("GREEN", "Bash", &part.repeat(20_000));
    }
    let ends: String =
        (0..20_000).flat_map(|number: u32| ["cat <<E".to_owned(), number.to_string(), "\n".to_owned()]).collect();
    denied("GREEN", "Bash", &ends);
    denied("GREEN", "Bash", &format!("rm {}", "a/b/c ".repeat(80_000)));
}
