//! The two lines beneath a host's prompt.

use format::{HookEvent, Look};
use model::{Context, Object, Value};

use super::document;
use super::session::{of, plain};

/// Puts colours on texts, or leaves them off.
struct Paint {
    on: bool,
}

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }

    fn red(&self, text: &str) -> String {
        self.with("31", text)
    }

    fn green(&self, text: &str) -> String {
        self.with("32", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.with("33", text)
    }

    fn cyan(&self, text: &str) -> String {
        self.with("36", text)
    }
}

/// More waves than this have no bar.
const BAR: i64 = 20;

/// The lines; the second only with a task.
pub(super) fn lines(event: &HookEvent, look: &Look<'_>, ctx: &Context) -> Vec<String> {
    let paint = Paint { on: ctx.var("NO_COLOR").is_none() };
    let mut lines = vec![first(&event.input, look, ctx, &paint)];
    let task = document::read_task(look.files).object();
    lines.extend(task.as_ref().and_then(|task| second(task, &paint)));
    lines
}

fn at<'v>(input: &'v Object, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(input.get(*first)?, |value, name| value.get(*name))
}

fn text_at(input: &Object, path: &[&str]) -> Option<String> {
    at(input, path)?.as_str().map(plain).filter(|text| !text.is_empty())
}

fn number_at(input: &Object, path: &[&str]) -> Option<f64> {
    at(input, path)?.as_f64().filter(|number| number.is_finite())
}

fn first(input: &Object, look: &Look<'_>, ctx: &Context, paint: &Paint) -> String {
    let model = text_at(input, &["model", "display_name"]).unwrap_or_else(|| "Claude".to_owned());
    let head = match text_at(input, &["session_name"]) {
        Some(session) => format!("[{model} · {session}]"),
        None => format!("[{model}]"),
    };
    let said = |path: &[&str]| at(input, path).and_then(Value::as_str).filter(|folder| !folder.is_empty());
    let folder = said(&["workspace", "current_dir"]).or_else(|| said(&["cwd"])).unwrap_or(&ctx.root);
    let name = plain(folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
    let mut parts = vec![format!("{} {name}", paint.bold(&head))];
    if let Some(tree) = text_at(input, &["workspace", "git_worktree"]) {
        parts.push(format!("{} {tree}", paint.dim("wt")));
    }
    parts.extend(git(folder, look, paint));
    if let Some((value, number)) =
        at(input, &["context_window", "used_percentage"]).and_then(|v| Some((v, v.as_f64()?)))
    {
        let text = format!("{value}% ctx");
        parts.push(match number.round_ties_even() {
            rounded if rounded >= 90.0 => paint.red(&text),
            rounded if rounded >= 70.0 => paint.yellow(&text),
            _ => paint.green(&text),
        });
    }
    for (word, name) in [("5h", "five_hour"), ("7d", "seven_day")] {
        let used = number_at(input, &["rate_limits", name, "used_percentage"]).map(f64::round_ties_even);
        if let Some(used) = used.filter(|used| *used >= 70.0) {
            parts.push(paint.yellow(&format!("{word} {used:.0}%")));
        }
    }
    parts.extend(number_at(input, &["cost", "total_duration_ms"]).and_then(duration));
    if ctx.var("ENEO_STATUSLINE_SHOW_COST") == Some("1") {
        parts.extend(number_at(input, &["cost", "total_cost_usd"]).map(|cost| format!("${cost:.2}")));
    }
    parts.join(" · ")
}

fn git(folder: &str, look: &Look<'_>, paint: &Paint) -> Vec<String> {
    let probe = look.probes.git(folder);
    let mut parts = Vec::new();
    if let Some(branch) = probe.branch.map(|branch| plain(&branch)).filter(|branch| !branch.is_empty()) {
        parts.push(format!("{} {branch}", paint.cyan("⎇")));
    }
    if probe.staged > 0 {
        parts.push(paint.green(&format!("+{}", probe.staged)));
    }
    if probe.modified > 0 {
        parts.push(paint.yellow(&format!("~{}", probe.modified)));
    }
    parts
}

fn duration(milliseconds: f64) -> Option<String> {
    if milliseconds < 0.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and saturates")]
    let seconds = (milliseconds / 1000.0) as u64;
    Some(match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        _ => format!("{}h{}m", seconds / 3600, seconds % 3600 / 60),
    })
}

fn second(task: &Object, paint: &Paint) -> Option<String> {
    let slug = plain(document::slug_of(task)?);
    if slug.is_empty() {
        return None;
    }
    let mut parts = vec![paint.bold(&slug)];
    parts.extend(of(task, "phase", "phase_total").map(|(phase, total)| format!("{}{phase}/{total}", paint.dim("p"))));
    parts.extend(of(task, "wave", "wave_total").map(|(wave, total)| {
        let bar = if (1..=BAR).contains(&total) { format!(" [{}]", bar(task, total)) } else { String::new() };
        format!("{}{wave}/{total}{bar}", paint.dim("w"))
    }));
    parts.extend(match document::phase_of(task) {
        Some("RED") => Some(paint.red("RED")),
        Some("GREEN") => Some(paint.green("GREEN")),
        Some("REFACTOR") => Some(paint.yellow("REFACTOR")),
        _ => None,
    });
    let agents = task.get("active_agents").and_then(Value::as_array).into_iter().flatten();
    let agents: Vec<String> = agents.filter_map(Value::as_str).map(plain).filter(|agent| !agent.is_empty()).collect();
    let hint = task.get("next_hint").and_then(Value::as_str).map(plain).filter(|hint| !hint.is_empty());
    if !agents.is_empty() {
        parts.push(format!("{} {}", paint.cyan("↻"), agents.join(", ")));
    } else if let Some(hint) = hint {
        parts.push(format!("{} {hint}", paint.dim("→")));
    } else if task.get("status").and_then(Value::as_str) == Some("in_progress") {
        parts.push(paint.dim("…"));
    }
    Some(parts.join(" · "))
}

fn bar(task: &Object, total: i64) -> String {
    let status = |wave: i64| task.get("wave_status")?.get(wave.to_string())?.as_str();
    let block = |wave| match status(wave) {
        Some("done") => '▓',
        Some("in_progress") => '▒',
        _ => '░',
    };
    (1..=total).map(block).collect()
}
