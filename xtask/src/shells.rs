//! The completion scripts, tried in the shells that read them: a person types a few letters and presses Tab.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::process::Sandbox;

use crate::arguments::Arguments;
use crate::packages::{FISH, ZSH, ensure};
use crate::product::{Product, output};

/// What is typed, and all that must be offered for it.
const TYPED: &[(&str, &[&str])] = &[
    ("mainstay st", &["status", "statusline"]),
    ("mainstay init --h", &["--help", "--host"]),
    ("mainstay init --host ", &["claude", "codex", "copilot", "cursor", "gemini", "opencode"]),
    ("mainstay hseos tasks a", &["add"]),
];

/// Loads `$1` and asks the function behind `$2`, as Tab does.
const IN_BASH: &str = r#"
source "$1"
read -ra COMP_WORDS <<< "$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
_mainstay mainstay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Behind the name stands what it is, after a tab.
const IN_FISH: &str = "source $argv[1]; complete -C $argv[2] | string split -f 1 \\t; true";

/// Types into an interactive shell that tells every match, and when there are no more.
const IN_ZSH: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${1:h} \$fpath)"
zpty -w shell 'autoload -Uz compinit; compinit -u -D; print -r -- "%rea"dy%'
zpty -r shell said '*%ready%*'
zpty -w shell 'compadd() {
  local -a hits
  builtin compadd -A hits "$@"
  builtin compadd "$@"
  local hit
  for hit in $hits; do print -r -- "%$hit%"; done
}
ended() { print -r -- "%"%; exit }
comppostfuncs=(ended)
bindkey "^I" complete-word
print -r -- "%rea"dier%'
zpty -r shell said '*%readier%*'
zpty -w -n shell "$2"$'\t'
zpty -r shell said '*%%*'
for word in ${(f)said//$'\r'/}; do [[ $word == *'%'?*'%' ]] && print -r -- ${${word%\%}##*\%}; done
true
"#;

/// `cargo xtask completions`: these alone.
pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let product = Product::chosen(arguments)?;
    arguments.end()?;
    check(&product)
}

/// Tries the scripts of all shells that can be had.
pub(crate) fn check(product: &Product) -> Result<(), String> {
    ensure(&[FISH, ZSH])?;
    let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
    let asks: [(&str, &[&str]); 3] = [
        ("bash", &["--norc", "-c", IN_BASH, "bash"]),
        ("fish", &["--no-config", "-c", IN_FISH]),
        ("zsh", &["-f", "-c", IN_ZSH, "zsh"]),
    ];
    for (shell, words) in asks {
        // zsh finds it by this name.
        let script = sandbox.root().join(shell).join("_mainstay");
        write(&script, &output(Command::new(&product.binary).args(["completions", shell]))?)?;
        for (typed, expected) in TYPED {
            // A shell that waits for ever has failed.
            let mut ask = sandbox.command(Path::new("timeout"));
            ask.args(["60", shell]).args(words).arg(&script).arg(typed).env("TERM", "dumb");
            let said = output(&mut ask).map_err(|problem| format!("{shell}, {typed:?}: {problem}"))?;
            let mut offered: Vec<&str> = said.lines().collect();
            offered.sort_unstable();
            offered.dedup();
            if offered != *expected {
                return Err(format!("{shell} offers {offered:?} for {typed:?}, not {expected:?}"));
            }
        }
        println!("{shell}: {} lines completed", TYPED.len());
    }
    println!("not tried: the script for PowerShell, which is in no package registry");
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().ok_or("a script stands in a folder")?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}
