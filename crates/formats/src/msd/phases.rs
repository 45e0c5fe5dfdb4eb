//! The folder `phases/`: how many plans each phase has and how many are done.

use format::front_matter::FrontMatter;
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
        let (mut plans, mut done) = count(files, &path, &is_plan);
        if let Ok(inner) = path.join("plans") {
            let (more, more_done) = count(files, &inner, &is_numbered_plan);
            plans += more;
            done += more_done;
        }
        Some(Folder { id, path, plans, done })
    };
    Some(files.list(&phases).into_iter().filter_map(folder).collect())
}

fn count(files: &dyn Files, folder: &ProjectPath, is_plan: &dyn Fn(&str) -> bool) -> (u64, u64) {
    let names = files.list(folder);
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
        FileState::Bytes(bytes) => status_of(&bytes).as_deref() != Some("superseded"),
        FileState::Irregular(_) => !files.is_folder(&path),
        FileState::Absent => false,
    }
}

/// The `status` in the front matter of a file.
fn status_of(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let status = FrontMatter::read(text)?.text("status")?.to_lowercase();
    Some(status)
}

/// Whether a verification of the phase says that it passed.
pub(super) fn is_verified(files: &dyn Files, folder: &Folder) -> bool {
    let names = files.list(&folder.path);
    let mut reports = names.iter().filter(|name| name.ends_with("-VERIFICATION.md"));
    reports.any(|name| {
        let read = folder.path.join(name).map(|path| files.read(&path, PLAN_LIMIT));
        matches!(read, Ok(FileState::Bytes(bytes)) if status_of(&bytes).as_deref() == Some("passed"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
