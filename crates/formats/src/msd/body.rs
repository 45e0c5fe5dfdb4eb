//! The body of STATE.md: its sections and the fields that belong to them.

use std::cell::RefCell;
use std::ops::Range;

use format::document::{Document, Heading, Outline, bullets, fields};
use format::front_matter::body_start;
use model::Warning;

use super::phase_id::PhaseId;
use super::position::{Position, said};

/// Where position fields stand.
pub(super) const POSITION: &str = "Current Position";
/// Where session fields stand, the first that there is.
pub(super) const SESSIONS: [&str; 2] = ["Session", "Session Continuity"];
/// Where decisions stand.
pub(super) const DECISIONS: [&str; 2] = ["Decisions", "Decisions Made"];
/// Where blockers stand.
pub(super) const BLOCKERS: [&str; 3] = ["Blockers", "Blockers/Concerns", "Concerns"];

const POSITION_FIELDS: [&str; 5] = ["Phase", "Plan", "Status", "Last activity", "Progress"];
const SESSION_FIELDS: [&str; 5] = ["Last session", "Last Date", "Stopped at", "Resume file", "Paused at"];

/// Every field that the format knows.
pub(super) const FIELDS: [&str; 17] = [
    "Phase",
    "Plan",
    "Status",
    "Last activity",
    "Progress",
    "Last session",
    "Last Date",
    "Stopped at",
    "Resume file",
    "Paused at",
    "Current Phase",
    "Current Phase Name",
    "Current Plan",
    "Total Plans in Phase",
    "Total Phases",
    "Last Activity Description",
    "Current focus",
];

/// The body, and whether fields had to be looked for outside their section.
pub(super) struct Body<'t> {
    pub(super) outline: Outline<'t>,
    strayed: RefCell<Vec<&'static str>>,
}

impl<'t> Body<'t> {
    /// Reads the body of a text.
    pub(super) fn read(text: &'t str) -> Self {
        Self::seen(Outline::read(text, body_start(text)))
    }

    /// The body of a document, read unless it was.
    pub(super) fn of(document: &'t Document) -> Self {
        Self::seen(document.outline())
    }

    fn seen(outline: Outline<'t>) -> Self {
        #[cfg(test)]
        super::tests::count_work();
        Self { outline, strayed: RefCell::default() }
    }

    /// The position section, at level 2 or 3.
    pub(super) fn position(&self) -> Option<Heading> {
        let is_it = |heading: &Heading| format::document::same_title(self.outline.title(*heading), POSITION);
        self.outline.headings().find(|heading| matches!(heading.level, 2 | 3) && is_it(heading))
    }

    /// The first of the sections of those names, the names in their order.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<Heading> {
        names.iter().find_map(|name| self.outline.section(name))
    }

    /// Every section of one of those names, in the order of the document.
    pub(super) fn every(&self, names: &[&str]) -> Vec<Heading> {
        let is_one = |heading: &Heading| {
            names.iter().any(|name| format::document::same_title(self.outline.title(*heading), name))
        };
        self.outline.headings().filter(is_one).collect()
    }

    /// The lines in which a field is looked for, and the section that would limit them and is missing.
    pub(super) fn scope(&self, name: &str) -> (Range<usize>, Option<&'static str>) {
        let is_one = |names: &[&str]| names.iter().any(|field| fields::same_name(field, name));
        let (section, title) = if is_one(&POSITION_FIELDS) {
            (self.position(), POSITION)
        } else if is_one(&SESSION_FIELDS) {
            (self.first_of(&SESSIONS), SESSIONS[1])
        } else {
            return (self.outline.all(), None);
        };
        section.map_or((self.outline.all(), Some(title)), |heading| (self.outline.own(heading), None))
    }

    /// The value of a field as it stands.
    pub(super) fn field(&self, name: &str) -> Option<&'t str> {
        let (lines, missing) = self.scope(name);
        let hit = fields::find(&self.outline, lines, name)?;
        if let Some(section) = missing.filter(|section| !self.strayed.borrow().contains(section)) {
            self.strayed.borrow_mut().push(section);
        }
        Some(hit.value)
    }

    /// The value of a field that is neither blank nor a placeholder.
    pub(super) fn said(&self, name: &str) -> Option<&'t str> {
        said(self.field(name)?)
    }

    /// What `Phase` says.
    pub(super) fn phase(&self) -> Option<Position> {
        Position::parse(self.field("Phase")?)
    }

    /// The phase that `Current Phase`, else `Phase` names.
    pub(super) fn current_phase(&self) -> Option<PhaseId> {
        let current = self.said("Current Phase").and_then(Position::parse).map(|position| position.id);
        current.or_else(|| Some(self.phase()?.id))
    }

    /// The texts of the bullets in the blockers sections.
    pub(super) fn blockers(&self) -> Vec<String> {
        let own = |heading| bullets::read(&self.outline, self.outline.own(heading));
        self.every(&BLOCKERS).into_iter().flat_map(own).map(|bullet| bullet.text).collect()
    }

    /// A warning for each section whose fields were found outside of it.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let strayed = self.strayed.borrow();
        let warning = |section: &&'static str| {
            let message = format!("there is no section {section}; its fields were looked for in the whole document");
            Warning::new("section_missing", message).with("section", *section)
        };
        strayed.iter().map(warning).collect()
    }
}
