//! An edit of a plan that we meant to write anew: what we wanted of it is done to the edited text.

use std::collections::{HashMap, HashSet};

use format::SeenFile;

use super::removal::is_alike;
use crate::upgrade::plan::{Edited, Insertion, PlanEdits, PlanText, Section};

/// The edited text with our own changes: what `ours` makes of the text that was last seen.
///
/// A commit that was not published, or an editor that saved meanwhile, leaves a file that never had
/// our sections and titles. Their absence is nobody's edit.
pub(super) fn rebased(file: &SeenFile, ours: Option<&str>, theirs: &str) -> Edited {
    let Some(ours) = ours else { return Edited::untouched(theirs) };
    let base = file.base.as_deref().map(std::str::from_utf8);
    match (file.known, base) {
        (true, Some(Ok(base))) => over(base, ours, theirs),
        // Its bytes are not kept: nothing tells ours from theirs.
        (true, _) => Edited::untouched(theirs),
        (false, _) => over("", ours, theirs),
    }
}

fn over(base: &str, ours: &str, theirs: &str) -> Edited {
    if base == ours {
        return Edited::untouched(theirs);
    }
    let (was, wanted, now) = (PlanText::read(base), PlanText::read(ours), PlanText::read(theirs));
    let sections = now.by_id();
    let is_emptied = sections.is_empty() && now.proposals.is_empty();
    if is_emptied && !was.sections.is_empty() {
        return Edited::untouched(theirs);
    }
    let (were, want) = (was.by_id(), wanted.by_id());
    let heirs = heirs(&was, &wanted);
    let mut edits = PlanEdits::new(&now);
    edits.adopt_of(|id| want.contains_key(id));
    let mut above: Option<&str> = None;
    let mut insertions = Vec::new();
    for section in &wanted.sections {
        let id = section.id;
        let title = section.title_or_slug();
        // The title is ours, unless they changed it as well.
        let is_retitled = |was: &Section<'_>, own: &Section<'_>| {
            was.title_or_slug() != title && was.title_or_slug() == own.title_or_slug()
        };
        if let Some(was) = heirs.get(id) {
            // What they took out under the old id does not come back under the new one.
            if let Some(old) = sections.get(was.id) {
                let own = old.title_or_slug();
                let stays = edits.pass_on(old, id, if is_retitled(was, old) { &title } else { &own });
                above = Some(if stays { old.id } else { id });
            } else if sections.contains_key(id) {
                above = Some(id);
            }
        } else if let Some(own) = sections.get(id) {
            above = Some(id);
            if were.get(id).is_some_and(|was| is_retitled(was, own)) {
                edits.retitle(own, &title);
            }
        } else if !were.contains_key(id) && now.proposals.iter().all(|proposal| proposal.id != id) {
            insertions.push((section, title, above));
        }
    }
    let all: Vec<Insertion<'_>> = insertions
        .iter()
        .map(|(section, title, after)| Insertion {
            id: section.id,
            title,
            body: &section.body,
            after: *after,
            is_past_unread: false,
        })
        .collect();
    edits.insert(&all);
    let passed_on: HashSet<&str> = heirs.values().map(|old| old.id).collect();
    for section in now.sections.iter().filter(|section| !passed_on.contains(section.id)) {
        let was = were.get(section.id).filter(|_| !want.contains_key(section.id));
        if was.is_some_and(|was| was.title == section.title && was.body == section.body) {
            edits.remove(section);
        }
    }
    edits.made()
}

// By its id each section of ours that is one of the base under another id: a row was retyped, or a task renamed.
fn heirs<'s, 'a>(was: &'s PlanText<'a>, wanted: &'s PlanText<'a>) -> HashMap<&'s str, &'s Section<'a>> {
    let (were, want) = (was.by_id(), wanted.by_id());
    let mut heirs = HashMap::new();
    for old in was.sections.iter().filter(|old| !want.contains_key(old.id)) {
        let is_it = |one: &&Section<'_>| {
            let own = were.get(one.id);
            let has_its_words =
                !old.body.is_empty() && one.body == old.body && own.is_none_or(|own| own.body != one.body);
            let is_new = || own.is_none() && is_alike((old.id, &old.title_or_slug()), (one.id, &one.title_or_slug()));
            !heirs.contains_key(one.id) && (has_its_words || is_new())
        };
        if let Some(one) = wanted.sections.iter().find(is_it) {
            heirs.insert(one.id, old);
        }
    }
    heirs
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
            assert_eq!(over(BASE, &ours, &theirs).text, expected, "{ours:?} over {theirs:?}");
        }
    }

    #[test]
    fn ids_that_we_gave_to_headings_are_given_again() {
        let base = "## Tasks\n\n### Do it\n";
        let ours = "## Tasks\n\n### 01-do-it: Do it\n";
        assert_eq!(over(base, ours, &format!("{base}\nwords\n")).text, format!("{ours}\nwords\n"));
    }

    #[test]
    fn words_go_with_the_id_that_we_gave_their_section() {
        let base = BASE.replace("02-b: B\n", "02-b: B\n\nwords\n");
        let edit = base.replace("01-a: A\n", "01-a: A\n\nedit\n");
        for (from, to) in [("02-b: B", "02-bb: B"), ("02-b: B", "2-b: Better")] {
            let expected = edit.replace(from, to);
            assert_eq!(over(&base, &base.replace(from, to), &edit), Edited::untouched(&expected), "{to}");
        }
        // Words of theirs beneath it, and a title of theirs.
        let theirs = edit.replace("words", "words, edited").replace("02-b: B", "02-b: Own");
        let expected = theirs.replace("02-b: Own", "02-bb: Own");
        assert_eq!(over(&base, &base.replace("02-b: B", "02-bb: B"), &theirs), Edited::untouched(&expected));
        // They took the section out, or gave it an id themselves: it does not come twice.
        let ours = base.replace("02-b: B", "02-bb: B");
        for theirs in [edit.replace("### 02-b: B\n\nwords\n\n", ""), edit.replace("02-b: B", "05-e: B")] {
            assert_eq!(over(&base, &ours, &theirs), Edited::untouched(&theirs));
        }
        // A rename that somebody asked for, to a task that had a heading alone.
        let ours = base.replace("### 02-b: B\n\nwords\n\n", "").replace("### 03-c: C\n", "### 03-c: C\n\nwords\n");
        let expected = "# P\n\n### 01-a: A\n\nedit\n\n### 03-c: C\n\nwords\n";
        assert_eq!(over(&base, &ours, &edit), Edited::untouched(expected));
    }

    #[test]
    fn a_section_that_comes_again_brings_its_words_and_one_that_goes_is_named() {
        let ours = BASE.replace("02-b: B\n", "02-b: B\n\nwords\n");
        assert_eq!(
            over("", &ours, "### 01-a: Mine\r\n\r\nown\r\n").text,
            "### 01-a: Mine\r\n\r\nown\r\n\r\n### 02-b: B\r\n\r\nwords\r\n\r\n### 03-c: C\r\n"
        );
        let ours = BASE.replace("### 02-b: B\n\n", "");
        let base = BASE.replace("02-b: B\n", "02-b: B\n\nwords\n");
        let made = over(&base, &ours, &base.replace("# P", "# Plan"));
        assert_eq!((made.text, made.lost), (ours.replace("# P", "# Plan"), vec!["02-b".to_owned()]));
    }
}
