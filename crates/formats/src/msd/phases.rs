//! The folder `phases/`: how many plans each phase has and how many are done.

use format::front_matter::{FrontMatter, Located, locate};
use format::{FileState, Files};
use model::ProjectPath;

use super::documents::Place;
use super::phase_id::PhaseId;

/// Largest plan whose front matter is read; a larger one counts unread. **Units**: bytes.
const PLAN_LIMIT: u64 = 1024 * 1024;

/// One folder of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    /// The id in its name.
    pub(super) id: PhaseId,
    /// Where it stands.
    pub(super) path: ProjectPath,
    /// Its plans.
    pub(super) plans: u64,
    /// Those with a summary.
    pub(super) done: u64,
}

/// The folders, by name; `None` without a folder `phases/`.
pub(super) fn read(files: &dyn Files, place: &Place) -> Option<Vec<Folder>> {
    let phases = place.path("phases");
    if !files.is_folder(&phases) {
        return None;
    }
    let folder = |name: String| {
        let (id, rest) = PhaseId::leading(&name)?;
        let path = phases.join(&name).ok()?;
        if !rest.starts_with('-') || !files.is_folder(&path) {
            return None;
        }
        let names = files.list(&path);
        let (mut plans, mut done) = count(files, &path, &names, &is_plan);
        let inner =
            names.binary_search_by(|name| name.as_str().cmp("plans")).ok().and_then(|_| path.join("plans").ok());
        if let Some(inner) = inner {
            let (more, more_done) = count(files, &inner, &files.list(&inner), &is_numbered_plan);
            plans += more;
            done += more_done;
        }
        Some(Folder { id, path, plans, done })
    };
    Some(files.list(&phases).into_iter().filter_map(folder).collect())
}

fn count(files: &dyn Files, folder: &ProjectPath, names: &[String], is_plan: &dyn Fn(&str) -> bool) -> (u64, u64) {
    let plans: Vec<&String> = names.iter().filter(|name| is_plan(name) && counts(files, folder, name)).collect();
    let has_summary = |plan: &&&String| {
        let summary = plan.rfind("PLAN").map(|at| format!("{}SUMMARY{}", &plan[..at], &plan[at + 4..]));
        summary.is_some_and(|summary| names.binary_search(&summary).is_ok())
    };
    (plans.len() as u64, plans.iter().filter(has_summary).count() as u64)
}

fn is_plan(name: &str) -> bool {
    name.strip_suffix(".md").is_some()
        && name.contains("PLAN")
        && !name.contains("SUMMARY")
        && !["-OUTLINE.md", ".pre-bounce.md", "-PLAN-REVIEW.md"].iter().any(|end| name.ends_with(end))
}

fn is_numbered_plan(name: &str) -> bool {
    is_plan(name) && name.strip_prefix("PLAN-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

// A plan counts unless its front matter says that another took its place.
fn counts(files: &dyn Files, folder: &ProjectPath, name: &str) -> bool {
    let Ok(path) = folder.join(name) else { return false };
    match files.read(&path, PLAN_LIMIT) {
        FileState::Bytes(bytes) => !has_status(&bytes, "superseded"),
        FileState::Irregular(_) => !files.is_folder(&path),
        FileState::Absent => false,
    }
}

/// Whether the front matter of a file gives this status, in whatever case.
fn has_status(bytes: &[u8], status: &str) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Located::Found(block) = locate(text) else { return false };
    // Most plans have another, or none: those need not be read key by key.
    let keys = &text[block.inner];
    let may_be = keys.contains('\\') || keys.to_ascii_lowercase().contains(status);
    let given = || FrontMatter::read(text)?.text("status").map(str::to_lowercase);
    may_be && given().as_deref() == Some(status)
}

/// Whether a verification of the phase says that it passed.
pub(super) fn is_verified(files: &dyn Files, folder: &Folder) -> bool {
    let names = files.list(&folder.path);
    let mut reports = names.iter().filter(|name| name.ends_with("-VERIFICATION.md"));
    reports.any(|name| {
        let read = folder.path.join(name).map(|path| files.read(&path, PLAN_LIMIT));
        matches!(read, Ok(FileState::Bytes(bytes)) if has_status(&bytes, "passed"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_people_write_it() {
        for text in [
            "status: superseded",
            "status: \"Superseded\" # by 2",
            "a: b\r\nstatus: SUPERSEDED\r",
            "status: \"\\u0073uperseded\"",
        ] {
            assert!(has_status(format!("---\n{text}\n---\nx").as_bytes(), "superseded"), "{text}");
        }
        for text in ["status: planned", "note: superseded", "status: not superseded", ""] {
            assert!(!has_status(format!("---\n{text}\n---\nstatus: superseded").as_bytes(), "superseded"), "{text}");
        }
        assert!(!has_status(b"---\nstatus: superseded\n", "superseded") && !has_status(b"\xff", "superseded"));
    }

    #[test]
    fn plans_are_told_by_their_names() {
        for name in ["PLAN.md", "02-01-PLAN.md", "PLAN-03-x.md", "02-PLANS.md", "REPLAN.md"] {
            assert!(is_plan(name), "{name}");
        }
        for name in [
            "02-PLAN-OUTLINE.md",
            "02-02-PLAN.pre-bounce.md",
            "02-04-PLAN-REVIEW.md",
            "PLAN-SUMMARY.md",
            "02-SUMMARY.md",
            "plan.md",
            "PLAN.txt",
        ] {
            assert!(!is_plan(name), "{name}");
        }
        assert!(is_numbered_plan("PLAN-1.md") && is_numbered_plan("PLAN-02-x.md"));
        assert!(!is_numbered_plan("PLAN.md") && !is_numbered_plan("02-PLAN.md") && !is_numbered_plan("PLAN-x.md"));
    }
}
