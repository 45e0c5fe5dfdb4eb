//! An edit of a plan that we meant to write anew: what we wanted of it is done to the edited text.

use format::SeenFile;

use crate::upgrade::plan::{Insertion, PlanEdits, PlanText};

/// The edited text with our own changes: what `ours` makes of the text that was last seen.
///
/// A commit that was not published, or an editor that saved meanwhile, leaves a file that never had
/// our sections and titles. Their absence is nobody's edit.
pub(super) fn rebased(file: &SeenFile, ours: Option<&str>, theirs: &str) -> String {
    let Some(ours) = ours else { return theirs.to_owned() };
    let base = file.base.as_deref().map(std::str::from_utf8);
    match (file.known, base) {
        (true, Some(Ok(base))) => over(base, ours, theirs),
        // Its bytes are not kept: nothing tells ours from theirs.
        (true, _) => theirs.to_owned(),
        (false, _) => over("", ours, theirs),
    }
}

fn over(base: &str, ours: &str, theirs: &str) -> String {
    if base == ours {
        return theirs.to_owned();
    }
    let (was, wanted, now) = (PlanText::read(base), PlanText::read(ours), PlanText::read(theirs));
    let sections = now.by_id();
    let is_emptied = sections.is_empty() && now.proposals.is_empty();
    if is_emptied && !was.sections.is_empty() {
        return theirs.to_owned();
    }
    let (were, want) = (was.by_id(), wanted.by_id());
    let mut edits = PlanEdits::new(&now);
    edits.adopt_of(|id| want.contains_key(id));
    let mut above: Option<&str> = None;
    let mut insertions = Vec::new();
    for section in &wanted.sections {
        let id = section.id;
        if let Some(own) = sections.get(id) {
            above = Some(id);
            let title = section.title_or_slug();
            let was = were.get(id).map(|was| was.title_or_slug());
            if was.is_some_and(|was| was != title && was == own.title_or_slug()) {
                edits.retitle(own, &title);
            }
        } else if !were.contains_key(id) && now.proposals.iter().all(|proposal| proposal.id != id) {
            insertions.push((section, above));
        }
    }
    let titles: Vec<String> = insertions.iter().map(|(section, _)| section.title_or_slug()).collect();
    let all = insertions.iter().zip(&titles);
    let all: Vec<Insertion<'_>> = all
        .map(|((section, after), title)| Insertion { id: section.id, title, after: *after, is_past_unread: false })
        .collect();
    edits.insert(&all);
    for section in &now.sections {
        let was = were.get(section.id).filter(|_| !want.contains_key(section.id));
        if was.is_some_and(|was| was.title == section.title && was.body == section.body) {
            edits.remove(section);
        }
    }
    edits.made()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# P\n\n### 01-a: A\n\n### 02-b: B\n\n### 03-c: C\n";

    #[test]
    fn what_we_meant_to_write_is_written_into_the_edit() {
        let edit = BASE.replace("02-b: B\n", "02-b: B\n\nwords\n");
        for (ours, theirs, expected) in [
            // Nothing of ours, or nothing of theirs.
            (BASE.to_owned(), edit.clone(), edit.clone()),
            (BASE.replace("02-b: B", "02-b: Better"), BASE.to_owned(), BASE.replace("02-b: B", "02-b: Better")),
            // A section that rows brought, at its place.
            (
                BASE.replace("### 03", "### 09-new: New\n\n### 03"),
                edit.clone(),
                edit.replace("words\n", "words\n\n### 09-new: New\n"),
            ),
            // A title, beside an edit and against one.
            (BASE.replace("02-b: B", "02-b: Better"), edit.clone(), edit.replace("02-b: B", "02-b: Better")),
            (
                BASE.replace("02-b: B", "02-b: Better"),
                BASE.replace("02-b: B", "02-b: Own"),
                BASE.replace("02-b: B", "02-b: Own"),
            ),
            // A section that we took out; one with new words stays.
            (BASE.replace("### 03-c: C\n", ""), edit.clone(), edit.replace("\n### 03-c: C\n", "")),
            (BASE.replace("### 02-b: B\n\n", ""), edit.clone(), edit.clone()),
            // What they took out stays out, and an emptied plan is left as it is.
            (BASE.to_owned() + "\nx\n", BASE.replace("### 02-b: B\n\n", ""), BASE.replace("### 02-b: B\n\n", "")),
            (BASE.replace("02-b: B", "02-b: Better"), String::new(), String::new()),
        ] {
            assert_eq!(over(BASE, &ours, &theirs), expected, "{ours:?} over {theirs:?}");
        }
    }

    #[test]
    fn ids_that_we_gave_to_headings_are_given_again() {
        let base = "## Tasks\n\n### Do it\n";
        let ours = "## Tasks\n\n### 01-do-it: Do it\n";
        assert_eq!(over(base, ours, &format!("{base}\nwords\n")), format!("{ours}\nwords\n"));
    }
}
