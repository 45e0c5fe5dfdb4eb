//! Editing STATE.md: a verb's own changes, then the front matter that follows from them.

use format::View;
use format::document::{Document, Outline, fields};
use format::front_matter::{self, Located, Scalar};
use model::{Change, Object, Outcome, Refusal, RefusalClass, Reply, Value, Warning};

use super::body::{Body, FIELDS};
use super::derive::{self, Derived, Keys, StatusRule};
use super::documents::{self, Place, STATE, Stored};
use super::phase_id::PhaseId;
use super::site::Site;
use super::status;

/// STATE.md while a verb changes it.
pub(super) struct Edit<'a> {
    pub(super) site: &'a Site<'a>,
    /// Whether the document stands there already.
    stands: bool,
    /// The document as it was.
    before: Document,
    /// The document as it is by now, but for the front matter that follows from it.
    pub(super) document: Document,
    /// Body fields with the values that they were given.
    written: Vec<(String, String)>,
    /// Body fields whose line changed.
    pub(super) updated: Vec<String>,
    /// Body fields that keep the words of their author.
    pub(super) kept: Vec<&'static str>,
    /// Keys that the verb itself sets.
    pub(super) own: Keys,
    /// Whether settling runs although the verb changed nothing itself.
    pub(super) settles_always: bool,
    /// How the status follows.
    pub(super) syncs_status: bool,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Edit<'a> {
    /// Opens STATE.md for a change.
    ///
    /// **Errors**: those of [`Site::state`]; `state_corrupt` for a text that must not be written over.
    pub(super) fn open(site: &'a Site<'a>) -> Result<Self, Refusal> {
        let Stored { text, is_utf8 } = site.state()?;
        let document = Document::new(text);
        check_writable(&document, is_utf8, site)?;
        Ok(Self { stands: true, ..Self::of(document, site) })
    }

    /// An edit of a document that stands nowhere yet.
    pub(super) fn of(document: Document, site: &'a Site<'a>) -> Self {
        // What is read now need not be read twice.
        document.outline();
        document.front();
        Self {
            site,
            stands: false,
            before: document.clone(),
            document,
            written: Vec::new(),
            updated: Vec::new(),
            kept: Vec::new(),
            own: Keys::default(),
            settles_always: false,
            syncs_status: false,
            warnings: Vec::new(),
        }
    }

    /// The body as it is by now.
    pub(super) fn body(&self) -> Body<'_> {
        Body::of(&self.document)
    }

    /// The value of a field as it is by now.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        self.body().field(name).map(str::to_owned)
    }

    /// The stored text of a front matter key.
    pub(super) fn stored(&self, key: &str) -> Option<String> {
        self.document.front()?.text(key).map(str::to_owned)
    }

    /// The current phase: the body's, else the stored one.
    pub(super) fn current_phase(&self) -> Option<PhaseId> {
        self.body().current_phase().or_else(|| PhaseId::parse(&self.stored("current_phase")?))
    }

    /// The milestone that counts: the stored one, else the one that would be derived.
    pub(super) fn milestone(&self) -> Option<String> {
        let stored = self.stored("milestone").filter(|text| !text.is_empty());
        stored.or_else(|| derive::announced(self.site).map(str::to_owned))
    }

    /// Writes a field if it is there; says whether it is.
    ///
    /// **Errors**: `field_shadowed`.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<bool, Refusal> {
        let (lines, _) = self.body().scope(name);
        match fields::write(&mut self.document, lines, name, value) {
            Ok(true) => self.updated.push(name.to_owned()),
            Ok(false) => {}
            Err(fields::NotWritten::Missing) => return Ok(false),
            Err(fields::NotWritten::Inside | fields::NotWritten::Shadowed) => return Err(shadowed(name)),
        }
        self.note_written(name, value);
        Ok(true)
    }

    /// Remembers what a field was given, for [`Edit::check_reads`].
    pub(super) fn note_written(&mut self, name: &str, value: &str) {
        self.written.retain(|(other, _)| !fields::same_name(other, name));
        self.written.push((name.to_owned(), value.to_owned()));
    }

    /// Writes a field as [`Edit::set`] does, unless its text would be read as another one.
    ///
    /// **Errors**: `field_shadowed`; `invalid_argument` for `argument`, the document as it was.
    pub(super) fn set_given(&mut self, name: &str, value: &str, argument: &str) -> Result<bool, Refusal> {
        if !may_hold_label(value) {
            return self.set(name, value);
        }
        let before = (self.document.clone(), self.updated.clone(), self.written.clone());
        let is_there = self.set(name, value)?;
        if let Err(refusal) = self.check_reads(argument, &[value]) {
            (self.document, self.updated, self.written) = before;
            return Err(refusal);
        }
        Ok(is_there)
    }

    /// Writes a field that nothing is derived from, if it is there; a label inside a sentence is not it.
    ///
    /// **Errors**: `field_shadowed`.
    pub(super) fn set_if_own(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let is_own = {
            let body = self.body();
            let (lines, _) = body.scope(name);
            fields::has_label(&body.outline, lines, name)
        };
        if is_own { self.set(name, value).map(drop) } else { Ok(()) }
    }

    /// Refuses texts of `argument` by which a field reads otherwise than it was written, or than it was before.
    ///
    /// A bold label is read wherever in a line it stands, so a sentence about a field would become the field.
    /// No other form of a field can come into a document inside of a text.
    ///
    /// **Errors**: `invalid_argument`.
    pub(super) fn check_reads(&self, argument: &str, texts: &[&str]) -> Result<(), Refusal> {
        if !texts.iter().any(|text| may_hold_label(text)) {
            return Ok(());
        }
        let (before, after) = (Body::of(&self.before), self.body());
        let is_written = |name: &str| self.written.iter().any(|(written, _)| fields::same_name(written, name));
        let lost = self.written.iter().find(|(name, value)| after.field(name) != Some(value));
        let moved = |name: &&str| after.field(name).is_some_and(|value| before.field(name) != Some(value));
        let moved = || FIELDS.into_iter().filter(|name| !is_written(name)).find(moved);
        let Some(name) = lost.map(|(name, _)| name.as_str()).or_else(moved) else { return Ok(()) };
        Err(Refusal::invalid(argument, format!("the text would be read as the field {name}"))
            .hint(format!("leave out the asterisks around {name}:")))
    }

    /// Writes `Status` unless its author's own words stand there.
    pub(super) fn set_status(&mut self, value: &str) -> Result<(), Refusal> {
        if self.field("Status").is_some_and(|there| !status::is_replaceable(&there)) {
            self.kept.push("Status");
            return Ok(());
        }
        self.set("Status", value).map(drop)
    }

    /// Dates `Last activity` unless its author's own words stand there; `what` happened goes into the front matter.
    pub(super) fn date_activity(&mut self, what: Option<&str>) -> Result<(), Refusal> {
        if self.field("Last activity").is_some_and(|there| !status::is_replaceable_activity(&there)) {
            self.kept.push("Last activity");
            return Ok(());
        }
        let today = self.site.today();
        self.set("Last activity", &today)?;
        if let Some(what) = what {
            self.own.set("last_activity_desc", Scalar::Text(what.to_owned()));
        }
        Ok(())
    }

    /// Sets the lifecycle keys: the status and what is under way or next.
    pub(super) fn lifecycle(&mut self, status: Option<&str>, active: Option<&str>, next: Option<(&str, Vec<String>)>) {
        if let Some(status) = status {
            self.own.set("status", Scalar::Text(status.to_owned()));
        }
        self.own.set("active_phase", Scalar::or_null(active));
        let (action, phases) = next.unzip();
        self.own.set("next_action", Scalar::or_null(action));
        self.own.set("next_phases", phases.map_or(Scalar::Null, Scalar::List));
    }

    /// Sets a key to null where it holds anything.
    pub(super) fn clear(&mut self, key: &'static str) {
        if self.document.front().is_some_and(|front| front.entry(key).is_some()) {
            self.own.set(key, Scalar::Null);
        }
    }

    /// Whether the verb's own edits changed a byte.
    fn is_changed(&self) -> bool {
        self.document.text() != self.before.text() || self.with(&self.own).text() != self.before.text()
    }

    /// The document with those keys in its front matter.
    pub(super) fn with(&self, keys: &Keys) -> Document {
        let mut document = self.document.clone();
        front_matter::write(&mut document, &keys.changes(&self.document, self.site));
        document
    }

    /// What the keys should say after this edit, the verb's own among them.
    pub(super) fn derived(&self) -> Derived {
        let rule = if self.syncs_status {
            StatusRule::Sync
        } else {
            StatusRule::Settle {
                changed: status_words(&self.before, None) != status_words(&self.document, Some(&self.own)),
            }
        };
        let mut derived = derive::derive(&self.document, self.site, &self.own, rule);
        for (key, value) in &self.own.top {
            derived.keys.set(key, value.clone());
        }
        if derived.keys.progress.is_empty() {
            derived.keys.progress.clone_from(&self.own.progress);
        }
        derived
    }

    /// The document with its front matter brought in line; as it was where nothing changed.
    pub(super) fn settled(&mut self) -> Document {
        if !self.settles_always && !self.is_changed() {
            return self.before.clone();
        }
        let Derived { mut keys, warnings, .. } = self.derived();
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        // What settling takes back is no change, and nothing is stamped for it.
        if self.document.body() == self.before.body() && self.with(&keys).text() == self.before.text() {
            return self.before.clone();
        }
        keys.set("last_updated", Scalar::Text(self.site.ctx.now.to_millis_text()));
        match self.site.head() {
            Some(head) => keys.set("state_head", Scalar::Text(head)),
            None => keys.without.push("state_head"),
        }
        self.with(&keys)
    }

    /// Ends the edit with a reply.
    ///
    /// **Errors**: those of [`Edit::end`].
    pub(super) fn finish(mut self, body: Object) -> Result<Outcome, Refusal> {
        let settled = self.settled();
        self.end(settled, body)
    }

    /// Ends the edit with the document as it was settled.
    ///
    /// **Errors**: `too_large` for a document that would be larger than one that is read.
    pub(super) fn end(self, settled: Document, body: Object) -> Result<Outcome, Refusal> {
        let limit = documents::ALL[0].1;
        let text = settled.into_text();
        if text.len() as u64 > limit {
            let path = self.site.place.path(STATE);
            let message = format!("{path} would be larger than {limit} bytes");
            return Err(Refusal::new(RefusalClass::Corrupt, "too_large", message)
                .with("path", path.as_str())
                .hint("mainstay msd state prune moves what is long past to STATE-ARCHIVE.md"));
        }
        // What stands there was read when the edit began.
        let before = self.stands.then(|| documents::value_of(self.before.text().as_bytes()));
        let change = documents::change_from(before, &self.site.place, STATE, Some(text));
        let reply = Reply::new(body, self.warnings);
        Ok(Outcome { changes: change.into_iter().collect(), reply, ..Outcome::default() })
    }

    /// The changed fields as a list.
    pub(super) fn updated_list(&self) -> Value {
        self.updated.iter().map(|name| Value::from(name.as_str())).collect()
    }

    /// The kept fields as a list.
    pub(super) fn kept_list(&self) -> Value {
        self.kept.iter().map(|name| Value::from(*name)).collect()
    }
}

/// Whether a text may hold the bold label of a field.
fn may_hold_label(text: &str) -> bool {
    text.contains("**")
}

/// Whether a text holds the bold label of a field of the format, and would be read as it.
pub(super) fn holds_label(text: &str) -> bool {
    let line = format!("- {text}");
    let outline = Outline::read(&line, 0);
    may_hold_label(text) && FIELDS.iter().any(|name| fields::find(&outline, outline.all(), name).is_some())
}

/// What the status follows from: the body's words, and whether the project is paused.
fn status_words(document: &Document, own: Option<&Keys>) -> (Option<String>, bool) {
    let body = Body::of(document);
    let stored = match own.filter(|own| own.get("paused_at").is_some()) {
        Some(own) => own.text("paused_at"),
        None => document.front().and_then(|front| front.text("paused_at")),
    };
    (body.field("Status").map(str::to_owned), status::is_paused(derive::paused(&body, stored)))
}

/// The refusal for a field that would not be read back.
pub(super) fn shadowed(name: &str) -> Refusal {
    let message = format!("another {name} stands in STATE.md and would be read instead");
    Refusal::refused("field_shadowed", message)
        .field(name)
        .hint("keep one line for the field, its label at the start of the line")
}

/// Whether STATE.md can be written, for a verb that writes beside it.
///
/// **Errors**: those of [`Edit::open`].
pub(super) fn check(site: &Site<'_>) -> Result<(), Refusal> {
    let Stored { text, is_utf8 } = site.state()?;
    check_writable(&Document::new(text), is_utf8, site)
}

/// **Errors**: `state_corrupt` for what nothing may be written over.
fn check_writable(document: &Document, is_utf8: bool, site: &Site<'_>) -> Result<(), Refusal> {
    let text = document.text();
    let why = if !is_utf8 {
        "is not UTF-8 text"
    } else if text.contains('\0') {
        "holds a NUL"
    } else if *document.located() == Located::Unclosed {
        "opens front matter that never closes"
    } else if has_merge_markers(document) {
        "holds the conflict markers of a merge"
    } else {
        return Ok(());
    };
    Err(unwritable(&site.place, why))
}

fn unwritable(place: &Place, why: &str) -> Refusal {
    let path = place.path(STATE);
    Refusal::new(RefusalClass::Corrupt, "state_corrupt", format!("{path} {why}"))
        .with("path", path.as_str())
        .hint("mend the file by hand; mainstay msd state validate tells more")
}

/// Whether undo and rollback may put another text in the place of STATE.md: a merge is for people to end.
///
/// **Errors**: `state_corrupt`.
pub(super) fn check_merged(changes: &[Change], view: &View<'_>) -> Result<(), Refusal> {
    for change in changes {
        let place = Place::of(&change.key.space);
        let text = documents::load(view.records, &place, STATE).filter(|_| change.key == place.key(STATE));
        if text.is_some_and(|stored| has_merge_markers(&Document::new(stored.text))) {
            return Err(unwritable(&place, "holds the conflict markers of a merge"));
        }
    }
    Ok(())
}

/// Whether a line begins as the first mark of a conflict does: of the front matter any, of the body one outside of fences.
pub(super) fn has_merge_markers(document: &Document) -> bool {
    let is_mark = |line: &str| line.starts_with("<<<<<<< ");
    let (text, outline) = (document.text(), document.outline());
    text[..document.body_start()].lines().any(is_mark)
        || outline.all().any(|line| !outline.lines()[line].fenced && is_mark(outline.content(line)))
}
