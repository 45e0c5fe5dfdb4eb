//! `demo`: two agents and a crash, played with real processes in a folder of its own.

mod server;
mod stage;

use std::collections::BTreeSet;
use std::thread;

use model::{Object, Refusal, Value};
use serde_json::json;

use crate::errors::{FINDINGS, OK};
use crate::terminal::Terminal;

use server::Server;
use stage::{Cast, Player, Stage};

/// How many writes the second agent has confirmed when it is killed.
const CONFIRMED: usize = 12;

/// How many more it has asked for by then.
const UNDER_WAY: usize = 4;

/// How many tasks the first agent adds meanwhile.
const MEANWHILE: usize = 5;

/// Plays the story; `fast` leaves the pauses out, `keep` leaves the folder.
///
/// Ends with the code for findings where something was lost.
/// **Errors**: `write_failed` where no folder can be made, `demo_failed` where the program cannot be started.
pub(crate) fn run(terminal: &mut Terminal, fast: bool, keep: bool) -> Result<u8, Refusal> {
    let mut stage = Stage::set(terminal, fast)?;
    let played = play(&mut stage);
    let kept = keep || !matches!(played, Ok(OK));
    stage.strike(kept);
    played
}

fn play(stage: &mut Stage<'_>) -> Result<u8, Refusal> {
    let folder = stage.cast.folder().display().to_string();
    stage.say(&format!("It plays in {folder}, which goes away at the end, or stays if you stop it."));
    stage.say("Two coding agents share a project. Its state stands in STATE.md and TASKS.md, which people read too.");
    stage.show(Player::Ghost, &["hseos", "tasks", "add", "T1", "GHOST", "Sketch the login form"])?;
    stage.show(Player::Ghost, &["hseos", "tasks", "add", "T2", "GHOST", "Wire it to the server", "T1"])?;
    stage.show(Player::Ghost, &["hseos", "state", "write", "phase", "execution"])?;

    stage.say(
        "RAZOR connects over MCP and adds tasks as fast as it can, while GHOST adds its own. In the middle of it RAZOR's \
         process is killed: kill -9, no goodbye.",
    );
    let told = crash(&stage.cast)?;
    stage.say(&format!(
        "RAZOR was told of {} tasks that they are written; it had asked for {} when it died. GHOST was told of {}.",
        told.of_razor.len(),
        CONFIRMED + UNDER_WAY,
        told.of_ghost.len()
    ));

    stage.say("Nobody mends anything. A fresh session just asks:");
    let listed = stage.cast.ask(&["hseos", "tasks", "list", "--json"])?;
    let there: BTreeSet<&str> = ids(&listed).collect();
    let missing = |told: &[String]| told.iter().filter(|id| !there.contains(id.as_str())).count();
    let lost = missing(&told.of_razor) + missing(&told.of_ghost);
    let of_razor = there.iter().filter(|id| id.starts_with('R')).count();
    let untold = of_razor.saturating_sub(told.of_razor.len());
    let found = there.len();
    stage.show(Player::Reader, &["status"])?;
    stage.show(Player::Reader, &["doctor"])?;
    stage.say(&format!(
        "Lost of what was reported as written: {lost}.\n\nOf the {found} tasks that are there {of_razor} are RAZOR's: the \
         {} that it was told of{}. A repeat of a call with the same request id would write nothing twice.",
        told.of_razor.len(),
        match untold {
            0 => String::new(),
            1 => " and one whose answer the crash swallowed".to_owned(),
            more => format!(" and {more} whose answers the crash swallowed"),
        }
    ));
    stage.show(Player::Reader, &["hseos", "tasks", "list"])?;

    stage.say("And was any of it a mistake? The journal knows who did what; one command takes a whole session back.");
    stage.show(Player::Reader, &["history", "--actor", "RAZOR", "-n", "3"])?;
    stage.show(Player::Reader, &["undo", "--session", "crashed"])?;
    let taken_back = stage.cast.ask(&["hseos", "tasks", "list", "--json"])?;
    stage.show(Player::Reader, &["hseos", "tasks", "list"])?;
    stage.show(Player::Reader, &["redo"])?;
    let again = stage.cast.ask(&["hseos", "tasks", "list", "--json"])?;
    let gone = !ids(&taken_back).any(|id| id.starts_with('R'));
    let back = gone && ids(&again).collect::<BTreeSet<_>>() == there;
    stage.say(if back {
        "All of it is there again. That is all: nothing was lost, and every step can be seen and taken back."
    } else {
        "Undo and redo did not take back and bring again what they should have."
    });
    Ok(if lost == 0 && back { OK } else { FINDINGS })
}

/// The tasks of which each agent was told that they are written.
struct Told {
    of_razor: Vec<String>,
    of_ghost: Vec<String>,
}

fn crash(cast: &Cast) -> Result<Told, Refusal> {
    let mut server = Server::start(cast.command(Player::Razor, &["serve", "--stdio"]))?;
    thread::scope(|scope| {
        let ghost = scope.spawn(|| {
            let ids = (0..MEANWHILE).map(|number| format!("G{}", number + 1));
            let add = |id: String| {
                let words = ["hseos", "tasks", "add", &id, "GHOST", "Found on the way"];
                cast.done(Player::Ghost, &words).map(|()| id)
            };
            ids.map(add).collect::<Result<Vec<_>, Refusal>>()
        });
        let mut of_razor = Vec::new();
        for number in 1..=CONFIRMED + UNDER_WAY {
            let id = format!("R{number}");
            server.call(&id, "tasks_add", &json!({"id": id, "owner": "RAZOR", "description": "Found in the code"}))?;
            if number > UNDER_WAY {
                of_razor.push(server.next_done()?);
            }
        }
        server.kill();
        of_razor.extend(server.rest());
        let of_ghost = ghost.join().expect("the thread only waits for processes")?;
        Ok(Told { of_razor, of_ghost })
    })
}

fn ids(reply: &Object) -> impl Iterator<Item = &str> {
    let tasks = reply.get("tasks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    tasks.iter().filter_map(|task| task.get("id")?.as_str())
}
