//! ROADMAP.md: milestones and the phases of each.

use format::document::{Heading, Outline};

use super::phase_id::PhaseId;

/// What the headings of a roadmap say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roadmap {
    headings: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    level: u8,
    title: String,
    phase: Option<Phase>,
}

/// A phase of the roadmap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// Its id, as it is written.
    pub(super) id: PhaseId,
    /// Its name.
    pub(super) name: Option<String>,
    /// Whether it is struck through and does not count.
    pub(super) is_struck: bool,
}

/// The phases of a milestone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phases<'r> {
    /// No heading names a version: every phase of the roadmap, and folders count too.
    Unlimited(Vec<&'r Phase>),
    /// Those in the section of the milestone; other folders are ignored.
    Limited(Vec<&'r Phase>),
    /// Headings name versions, but not the milestone.
    Elsewhere,
}

impl Roadmap {
    /// Reads the headings of a roadmap.
    pub(super) fn read(text: &str) -> Self {
        let outline = Outline::read(text, format::front_matter::body_start(text));
        let entry = |heading: Heading| {
            let title = outline.title(heading).to_owned();
            Entry { level: heading.level, phase: phase(&title), title }
        };
        Self { headings: outline.headings().map(entry).collect() }
    }

    /// The version of the first heading that names one and is not struck through.
    pub(super) fn first_version(&self) -> Option<&str> {
        let open = self.headings.iter().filter(|entry| entry.phase.is_none() && !entry.title.contains("~~"));
        open.filter_map(|entry| version_in(&entry.title)).map(|(version, _)| version).next()
    }

    /// The name in the heading of a milestone.
    pub(super) fn name_of(&self, milestone: &str) -> Option<String> {
        let entry = &self.headings[self.milestone(milestone)?];
        let at = token_in(&entry.title, milestone)?;
        let outer = |text: &str| {
            text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '—' | '~')).to_owned()
        };
        let behind = outer(&entry.title[at + milestone.len()..]);
        Some(if behind.is_empty() { outer(&entry.title[..at]) } else { behind }).filter(|name| !name.is_empty())
    }

    /// The phases that belong to a milestone.
    pub(super) fn phases(&self, milestone: Option<&str>) -> Phases<'_> {
        let names_one = |entry: &Entry| {
            entry.phase.is_none()
                && (version_in(&entry.title).is_some()
                    || milestone.is_some_and(|milestone| token_in(&entry.title, milestone).is_some()))
        };
        if !self.headings.iter().any(names_one) {
            return Phases::Unlimited(phases_in(&self.headings));
        }
        let Some(at) = milestone.and_then(|milestone| self.milestone(milestone)) else { return Phases::Elsewhere };
        let beneath = &self.headings[at + 1..];
        let end = beneath.iter().position(|entry| entry.level <= self.headings[at].level).unwrap_or(beneath.len());
        Phases::Limited(phases_in(&beneath[..end]))
    }

    /// The name of a phase, wherever in the roadmap it stands.
    pub(super) fn phase_name(&self, id: &PhaseId) -> Option<&str> {
        let phases = self.headings.iter().filter_map(|entry| entry.phase.as_ref());
        phases.filter(|phase| phase.id == *id).find_map(|phase| phase.name.as_deref())
    }

    fn milestone(&self, milestone: &str) -> Option<usize> {
        self.headings.iter().position(|entry| entry.phase.is_none() && token_in(&entry.title, milestone).is_some())
    }
}

fn phases_in(entries: &[Entry]) -> Vec<&Phase> {
    entries.iter().filter_map(|entry| entry.phase.as_ref()).collect()
}

/// **Shape**: `Phase N: Name`, also with `-` or `—`, also struck through.
fn phase(title: &str) -> Option<Phase> {
    let inner = title.trim_start_matches('~').trim_start();
    let rest = inner.get(..6).filter(|word| word.eq_ignore_ascii_case("phase "))?;
    let (id, rest) = PhaseId::leading(inner[rest.len()..].trim_start())?;
    let rest = rest.trim_end().trim_end_matches('~').trim_start_matches('~').trim_start();
    let name = rest.strip_prefix([':', '-', '—'])?;
    let name = name.trim_matches(|c: char| c.is_whitespace() || c == '~');
    Some(Phase { id, name: Some(name.to_owned()).filter(|name| !name.is_empty()), is_struck: title.contains("~~") })
}

/// The first version that stands in a title as a whole token, and where.
fn version_in(title: &str) -> Option<(&str, usize)> {
    let starts = title.match_indices('v').map(|(at, _)| at);
    let candidates = starts.filter_map(|at| {
        let digits = |from: usize| title[from..].bytes().take_while(u8::is_ascii_digit).count();
        let mut end = at + 1 + digits(at + 1);
        if end == at + 1 {
            return None;
        }
        while title[end..].starts_with('.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        is_token(title, at, end).then_some((&title[at..end], at))
    });
    candidates.into_iter().next()
}

/// Where a text stands in a title as a whole token.
fn token_in(title: &str, token: &str) -> Option<usize> {
    if token.is_empty() {
        return None;
    }
    title.match_indices(token).map(|(at, _)| at).find(|at| is_token(title, *at, at + token.len()))
}

fn is_token(title: &str, start: usize, end: usize) -> bool {
    let before = title[..start].chars().next_back();
    let mut after = title[end..].chars();
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let glued = |c: Option<char>| c.is_some_and(joins);
    let (next, second) = (after.next(), after.next());
    let opens = before.is_none_or(|c| !joins(c) && !matches!(c, '.' | '-'));
    let closes = !glued(next) && (!glued(second) || !matches!(next, Some('.' | '-')));
    opens && closes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(phases: &Phases<'_>) -> String {
        let join = |phases: &[&Phase]| phases.iter().map(|phase| phase.id.as_str()).collect::<Vec<_>>().join(" ");
        match phases {
            Phases::Unlimited(phases) => format!("all {}", join(phases)),
            Phases::Limited(phases) => join(phases),
            Phases::Elsewhere => "elsewhere".into(),
        }
    }

    #[test]
    fn milestones_limit_their_phases() {
        let text = "# Roadmap\n## ~~v0.9 Raft~~\n### Phase 1: Old\n## v1.0 — Day Boat:\n### Phase 2 - Intake\n```\n### Phase 3: no\n```\n\
                    ### ~~Phase 4: Struck~~\n#### Phase 4.5 — Fix v9.9\n## v1.0.1: Patch\n### Phase 6: Patch\n## Night\n### Phase 7: Train\n";
        let roadmap = Roadmap::read(text);
        assert_eq!(roadmap.first_version(), Some("v1.0"));
        assert_eq!(roadmap.name_of("v1.0").as_deref(), Some("Day Boat"));
        assert_eq!(ids(&roadmap.phases(Some("v1.0"))), "2 4 4.5");
        assert_eq!(ids(&roadmap.phases(Some("v1.0.1"))), "6");
        assert_eq!(ids(&roadmap.phases(Some("Night"))), "7");
        assert_eq!(ids(&roadmap.phases(Some("v3.0"))), "elsewhere");
        assert_eq!(ids(&roadmap.phases(None)), "elsewhere");
        assert_eq!(roadmap.phase_name(&PhaseId::parse("04").unwrap()), Some("Struck"));
        assert!(matches!(roadmap.phases(Some("v1.0")), Phases::Limited(phases) if phases[1].is_struck));
    }

    #[test]
    fn without_versions_every_phase_counts() {
        let roadmap = Roadmap::read("# Roadmap\n## Phase 1: Move to v2.0\n## Phase 2: B\n## Phase 3\n");
        assert_eq!(ids(&roadmap.phases(Some("v2.0"))), "all 1 2");
        assert_eq!(roadmap.first_version(), None);
    }

    #[test]
    fn versions_are_whole_tokens() {
        for (title, expected) in [
            ("v2.0", Some("v2.0")),
            ("(v2): x", Some("v2")),
            ("Milestone v1.2.3 — x", Some("v1.2.3")),
            ("v2.0.", Some("v2.0")),
            ("rev2.0", None),
            ("v2x", None),
            ("v2.0-rc", None),
            ("x-v2", None),
        ] {
            assert_eq!(version_in(title).map(|(version, _)| version), expected, "{title:?}");
        }
    }
}
