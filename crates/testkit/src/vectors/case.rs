//! One vector: its setting, its steps, and how they are carried out.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::process::{DEADLINE, Sandbox, finish};
use crate::sql;

use super::expectation;

type Files = BTreeMap<String, String>;

/// A file of vectors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    /// The format that they belong to.
    pub format: String,
    /// The cases.
    pub vectors: Vec<Vector>,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// A name that is unique in all files.
    pub id: String,
    /// The rule that it shows.
    pub rule: String,
    /// Where the rule comes from.
    #[serde(default)]
    pub why: String,
    /// Whether the rule may wait.
    #[serde(default)]
    pub later: bool,
    /// The project before the first step.
    #[serde(default)]
    pub setup: Setup,
    /// What is done, and what must come of it.
    pub steps: Vec<Step>,
}

/// The project before the first step.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// Files and their text.
    pub files: Files,
    /// Empty folders.
    pub dirs: Vec<String>,
    /// Scripts that make databases.
    pub sql: Vec<Script>,
    /// Whether it is a git repository with everything committed.
    pub git: bool,
    /// Variables of every step.
    pub env: BTreeMap<String, String>,
    /// The clock of every step, RFC 3339.
    pub now: Option<String>,
}

/// A script that another program runs on a database.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The file, from the project root.
    pub db: String,
    /// The statements.
    pub script: String,
}

/// One run of the program, and the edits from outside before it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The arguments after `--project ROOT`.
    pub run: Vec<String>,
    /// The standard input.
    #[serde(default)]
    pub stdin: String,
    /// Variables of this step.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The clock of this step.
    pub now: Option<String>,
    /// Files written before the run.
    #[serde(default)]
    pub write: Files,
    /// Files and folders removed before the run.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Scripts run before the run.
    #[serde(default)]
    pub sql: Vec<Script>,
    /// What must come of it.
    #[serde(default)]
    pub expect: Expect,
}

/// What must come of a step.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The exit code.
    pub exit: Option<i32>,
    /// The whole standard output.
    pub stdout: Option<String>,
    /// Parts of the standard output.
    pub stdout_contains: Vec<String>,
    /// What the standard output must not hold.
    pub stdout_not_contains: Vec<String>,
    /// Parts of the standard error.
    pub stderr_contains: Vec<String>,
    /// What the standard output, read as JSON, must hold.
    pub json: Option<Value>,
    /// What it must hold at a path.
    pub json_path: BTreeMap<String, Value>,
    /// What files must hold.
    pub files: BTreeMap<String, FileRule>,
    /// What databases must hold.
    pub sql: Vec<Query>,
}

/// What one file must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileRule {
    /// Its whole text.
    pub equals: Option<String>,
    /// Parts of it.
    pub contains: Vec<String>,
    /// What it must not hold.
    pub not_contains: Vec<String>,
    /// There must be none.
    pub absent: bool,
    /// The bytes are those from just before the run.
    pub unchanged: bool,
    /// What it, read as JSON, must hold.
    pub json: Option<Value>,
}

/// A question to a database.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The file, from the project root.
    pub db: String,
    /// The statement.
    pub query: String,
    /// The rows that it must give.
    pub rows: Vec<Vec<Value>>,
}

impl Vector {
    /// Runs the steps in an empty temporary project and tells what was wrong with the first that failed.
    pub fn run(&self, binary: &Path) -> Vec<String> {
        self.try_run(binary).unwrap_or_else(|problem| vec![problem])
    }

    fn try_run(&self, binary: &Path) -> Result<Vec<String>, String> {
        let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
        self.setup.lay_out(&sandbox).map_err(|problem| format!("setup: {problem}"))?;
        for (index, step) in self.steps.iter().enumerate() {
            let mut problems = step.run(binary, &sandbox, &self.setup).unwrap_or_else(|problem| vec![problem]);
            if !problems.is_empty() {
                problems.insert(0, format!("step {} ({})", index + 1, step.run.join(" ")));
                return Ok(problems);
            }
        }
        Ok(Vec::new())
    }
}

impl Setup {
    fn lay_out(&self, sandbox: &Sandbox) -> Result<(), String> {
        let root = sandbox.root();
        for dir in &self.dirs {
            fs::create_dir_all(root.join(dir)).map_err(|error| format!("{dir}: {error}"))?;
        }
        put(&root, &self.files)?;
        run_scripts(&root, &self.sql)?;
        if self.git { commit_everything(sandbox) } else { Ok(()) }
    }
}

impl Step {
    fn run(&self, binary: &Path, sandbox: &Sandbox, setup: &Setup) -> Result<Vec<String>, String> {
        let root = sandbox.root();
        put(&root, &self.write)?;
        for path in &self.remove {
            remove(&root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        }
        run_scripts(&root, &self.sql)?;
        let mut command = sandbox.mainstay(binary);
        command.args(&self.run);
        if let Some(now) = self.now.as_ref().or(setup.now.as_ref()) {
            command.env("MAINSTAY_NOW", now);
        }
        command.envs(&setup.env).envs(&self.env);
        let before = expectation::Before::of(&root, &self.expect);
        let finished = finish(&mut command, &self.stdin, DEADLINE).map_err(|error| error.to_string())?;
        Ok(expectation::problems(&self.expect, &finished, &root, &before))
    }
}

fn put(root: &Path, files: &Files) -> Result<(), String> {
    for (path, text) in files {
        let file = root.join(path);
        let folder = file.parent().expect("a file of the project has a folder");
        fs::create_dir_all(folder).and_then(|()| fs::write(&file, text)).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn run_scripts(root: &Path, scripts: &[Script]) -> Result<(), String> {
    scripts.iter().try_for_each(|script| sql::execute(&root.join(&script.db), &script.script))
}

fn commit_everything(sandbox: &Sandbox) -> Result<(), String> {
    let config = ["user.name=t", "user.email=t@example.invalid", "init.defaultBranch=main"];
    let steps: [&[&str]; 3] = [&["init", "-q"], &["add", "-A"], &["commit", "-qm", "start", "--allow-empty"]];
    for step in steps {
        let mut git = sandbox.command("git");
        git.args(config.iter().flat_map(|setting| ["-c", setting])).args(step);
        let finished = finish(&mut git, "", DEADLINE).map_err(|error| format!("git: {error}"))?;
        if !finished.status.success() {
            return Err(format!("git {}: {}", step.join(" "), finished.stderr));
        }
    }
    Ok(())
}
