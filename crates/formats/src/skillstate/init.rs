//! `skillstate init`: the four files, each written only where nothing stands.

use format::equality::equal_members;
use format::{Draft, FileState, Files, Irregular, View, pretty};
use model::{Context, ExtraFile, Object, Outcome, ProjectPath, Refusal, Reply, Value, Warning};

use super::admit::Admitted;
use super::checkpoints::{self, BEFORE_FRESH};
use super::envelope::Envelope;
use super::present::Present;
use super::records::{self, members, put_state, state};
use super::scope::Scope;
use super::spec::{self, Spec};
use super::{arguments, meta, skill_page};

/// The largest project spec that is compared with a named one. **Units**: bytes.
const SPEC_LIMIT: u64 = 1024 * 1024;

/// The tool: `{spec?, fresh?, dry_run?}` to `{created, kept, seq}`.
pub(super) fn init(
    admitted: &Admitted,
    arguments: &Object,
    view: &View<'_>,
    ctx: &Context,
) -> Result<Outcome, Refusal> {
    let (spec, text) = chosen(admitted, arguments, view)?;
    let present = Present::load(view, &Scope::Main, Some(&spec))?;
    let mut draft = Draft::new(view.records);
    let mut saved = None;
    let mut seq = present.seq;
    let now = ctx.now.to_millis_text();
    let defaults = spec.schema.defaults();
    let is_stored = state(view.records, &Scope::Main).is_some();
    let starts_over = arguments::is_set(arguments, "fresh") && is_stored;
    let starts_over = starts_over && !equal_members(&present.state, &defaults);
    if starts_over {
        saved = Some(checkpoints::add(&mut draft, &Scope::Main, BEFORE_FRESH, true, &present.state, ctx)?.id);
    }
    if starts_over || !is_stored {
        seq = put_state(&mut draft, &Scope::Main, defaults, &now);
        meta::touch(&mut draft, &Scope::Main, ctx);
    }

    let (mut created, mut kept, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let look = |path: &ProjectPath| view.files.read(path, 0);
    let state_path = Scope::Main.state_path();
    let is_written = starts_over || look(&state_path) == FileState::Absent;
    if is_written { &mut created } else { &mut kept }.push(Value::from(state_path.as_str()));
    let mut warnings = Vec::new();
    for (path, bytes) in others(&spec, text) {
        if let Some(warning) = obstacle(&path, view.files) {
            warnings.push(warning);
            continue;
        }
        let stands = look(&path);
        if stands == FileState::Absent { &mut created } else { &mut kept }.push(path.as_str().into());
        // Whether one that cannot be looked at is there shows when it is written: what stands stays.
        if matches!(stands, FileState::Absent | FileState::Irregular(Irregular::Unreadable)) {
            files.push(ExtraFile::Create { path, bytes });
        }
    }
    let mut body = members([("created", created.into()), ("kept", kept.into()), ("seq", seq.into())]);
    body.extend(saved.map(|id| ("saved".to_owned(), id.into())));
    let reply = Reply::new(body, warnings);
    if arguments::is_set(arguments, "dry_run") {
        return Ok(Outcome { reply, ..Outcome::default() });
    }
    Ok(Outcome { changes: draft.into_changes(), files, reply, ..Outcome::default() })
}

// Why nothing can be written at a place: a folder above it is a file, or a link out of the project.
fn obstacle(path: &ProjectPath, files: &dyn Files) -> Option<Warning> {
    let warning = |code, place: &ProjectPath, what| {
        let message = format!("{path} was not written: {place} is {what}");
        Some(Warning::new(code, message).with("path", path.as_str()))
    };
    let parts: Vec<&str> = path.as_str().split('/').collect();
    let folders = (1..parts.len()).filter_map(|length| ProjectPath::new(parts[..length].join("/")).ok());
    for folder in folders {
        match files.read(&folder, 0) {
            FileState::Absent => return None,
            // Where a folder cannot be looked at, writing tells what is wrong.
            FileState::Irregular(Irregular::Folder | Irregular::Unreadable) => {}
            FileState::Irregular(Irregular::Link) => {
                if files.read(path, 0) == FileState::Irregular(Irregular::Link) {
                    return warning("path_outside_project", &folder, "a link that leads out of the project");
                }
            }
            FileState::Bytes(_) | FileState::Irregular(Irregular::Special | Irregular::TooLarge) => {
                return warning("write_failed", &folder, "no folder");
            }
        }
    }
    None
}

/// What the generic `init` writes for the format.
pub(super) fn files(view: &View<'_>, ctx: &Context) -> Vec<(ProjectPath, Vec<u8>)> {
    let spec = spec::load(view, ctx).unwrap_or_else(|_| spec::builtin());
    let stored = state(view.records, &Scope::Main);
    let others_of_file = records::object(view.records, &records::Kind::Envelope.only(&Scope::Main));
    let envelope = Envelope {
        state: stored.unwrap_or_else(|| spec.schema.defaults()),
        others: others_of_file.unwrap_or_default(),
    };
    let state = pretty::document(&envelope.to_object()).into_bytes();
    let mut files = vec![(Scope::Main.state_path(), state)];
    files.extend(others(&spec, None));
    files
}

// The spec in force afterwards, and the text of a named one.
fn chosen(admitted: &Admitted, arguments: &Object, view: &View<'_>) -> Result<(Spec, Option<Vec<u8>>), Refusal> {
    let Some(place) = arguments::text(arguments, "spec") else {
        return Ok((admitted.spec.clone()?, None));
    };
    let (named, text) = spec::named(view, place)?;
    let path = spec::path();
    let present = match view.files.read(&path, SPEC_LIMIT) {
        FileState::Absent => {
            // What the environment names rules all the same.
            let spec = admitted.spec.clone().ok().filter(|spec| spec.source == spec::Source::Env);
            return Ok((spec.unwrap_or(named), Some(text)));
        }
        FileState::Bytes(bytes) => bytes,
        FileState::Irregular(_) => Vec::new(),
    };
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    if present != text && json(&present) != json(&text) {
        return Err(Refusal::refused("spec_exists", format!("{path} stands already and is another spec"))
            .field("spec")
            .hint(format!("remove {path} first, or edit it")));
    }
    Ok((admitted.spec.clone()?, None))
}

// The files beside the state, in the order in which they are written.
fn others(spec: &Spec, text: Option<Vec<u8>>) -> Vec<(ProjectPath, Vec<u8>)> {
    let spec_text = text.unwrap_or_else(|| pretty::document(&spec::builtin().to_object()).into_bytes());
    vec![
        (ProjectPath::known(".skillstate/.gitignore"), b"*\n".to_vec()),
        (spec::path(), spec_text),
        (ProjectPath::known(".claude/skills/skillstate/SKILL.md"), skill_page::render(spec).into_bytes()),
    ]
}
