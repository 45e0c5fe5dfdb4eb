//! The folders of tasks as they stand, or as they will stand once a request is published.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use format::{FileState, Files};
use model::ProjectPath;

use super::place::{DETAILS, Place, TASK_FILE_LIMIT, TASK_MD};

/// The folders of a scenario's tasks.
pub(super) struct Shelf<'a> {
    files: &'a dyn Files,
    place: &'a Place,
    /// What stands in the folder of folders.
    names: OnceCell<BTreeSet<String>>,
    /// Which files of ours stand in each folder, once all were looked at together.
    all: OnceCell<HashMap<String, Vec<&'static str>>>,
    /// Where the folder of an id stands that a request moves there.
    moved: BTreeMap<String, ProjectPath>,
    /// Ids whose folder a request takes away.
    gone: BTreeSet<String>,
    /// Whether a request writes a task.md or removes it.
    written: BTreeMap<String, bool>,
    listed: RefCell<HashMap<String, Rc<Vec<String>>>>,
    /// What stands in a folder that is not there.
    nothing: Rc<Vec<String>>,
}

impl<'a> Shelf<'a> {
    /// The folders as they stand.
    pub(super) fn new(files: &'a dyn Files, place: &'a Place) -> Self {
        Self {
            files,
            place,
            names: OnceCell::new(),
            all: OnceCell::new(),
            moved: BTreeMap::new(),
            gone: BTreeSet::new(),
            written: BTreeMap::new(),
            listed: RefCell::default(),
            nothing: Rc::default(),
        }
    }

    /// A request moves a folder; `to` is an id where it stays a task's.
    pub(super) fn will_move(&mut self, from: &str, to: Option<&str>) {
        if let Some(to) = to {
            let origin = self.folder(from);
            self.moved.insert(to.to_owned(), origin);
            self.gone.remove(to);
            self.listed.borrow_mut().remove(to);
        }
        self.gone.insert(from.to_owned());
    }

    /// A request moves the folder at `path` to that of a task.
    pub(super) fn will_come(&mut self, id: &str, path: ProjectPath) {
        self.moved.insert(id.to_owned(), path);
        self.listed.borrow_mut().remove(id);
    }

    /// A request writes a task.md, or removes it.
    pub(super) fn will_write(&mut self, id: &str, stands: bool) {
        self.written.insert(id.to_owned(), stands);
    }

    /// The names of everything beside each other in the folder of folders.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.standing().iter().map(String::as_str)
    }

    fn standing(&self) -> &BTreeSet<String> {
        self.names.get_or_init(|| self.files.list(&self.place.tasks()).into_iter().collect())
    }

    /// Looks at all folders together, for those who ask about most of them.
    pub(super) fn look_at_all(&self) {
        let names = [TASK_MD, DETAILS[0]];
        self.all.get_or_init(|| self.files.holding(&self.place.tasks(), &names).into_iter().collect());
    }

    /// Where the folder of a task stands now.
    fn folder(&self, id: &str) -> ProjectPath {
        self.moved.get(id).cloned().unwrap_or_else(|| self.place.task(id))
    }

    /// Whether a task has a folder.
    pub(super) fn has_folder(&self, id: &str) -> bool {
        let stands = || self.standing().contains(id) && self.files.is_folder(&self.place.task(id));
        self.moved.contains_key(id) || !self.gone.contains(id) && stands()
    }

    /// What stands in a task's folder.
    fn list(&self, id: &str) -> Rc<Vec<String>> {
        let may_stand = self.moved.contains_key(id) || !self.gone.contains(id) && self.standing().contains(id);
        if !may_stand {
            return Rc::clone(&self.nothing);
        }
        if let Some(names) = self.listed.borrow().get(id) {
            return Rc::clone(names);
        }
        let names = Rc::new(self.files.list(&self.folder(id)));
        self.listed.borrow_mut().insert(id.to_owned(), Rc::clone(&names));
        names
    }

    fn holds(&self, id: &str, name: &str) -> bool {
        if let (Some(all), false) = (self.all.get(), self.moved.contains_key(id)) {
            let held = all.get(id).filter(|_| !self.gone.contains(id));
            let (Some(held), true) = (held, name == DETAILS[1]) else {
                return held.is_some_and(|held| held.contains(&name));
            };
            // The second spelling is rare, and is looked for only where the first one is not.
            if held.contains(&DETAILS[0]) {
                return false;
            }
        }
        self.list(id).iter().any(|other| other == name)
    }

    /// Whether a task has a task.md.
    pub(super) fn has_task_md(&self, id: &str) -> bool {
        self.written.get(id).copied().unwrap_or_else(|| self.holds(id, TASK_MD))
    }

    /// The name under which a task's details stand.
    pub(super) fn details(&self, id: &str) -> Option<&'static str> {
        DETAILS.into_iter().find(|name| self.holds(id, name))
    }

    /// Whether a task's folder holds anything but the files that it should.
    pub(super) fn has_others(&self, id: &str) -> bool {
        let is_ours = |name: &str| name == TASK_MD || DETAILS.contains(&name) || name.starts_with(".mainstay-");
        self.list(id).iter().any(|name| !is_ours(name))
    }

    /// What stands in a task's task.md now, whatever a request writes.
    pub(super) fn task_md(&self, id: &str) -> FileState {
        self.read(id, TASK_MD)
    }

    /// The details of a task with their name, where there are any words.
    pub(super) fn read_details(&self, id: &str) -> Option<(&'static str, FileState)> {
        let said = |state: &FileState| match state {
            FileState::Absent => false,
            FileState::Bytes(bytes) => !bytes.trim_ascii().is_empty(),
            FileState::Irregular(_) => true,
        };
        let read = DETAILS.into_iter().map(|name| (name, self.read(id, name)));
        read.into_iter().find(|(_, state)| said(state))
    }

    /// Whether a task has details that say something.
    pub(super) fn has_details(&self, id: &str) -> bool {
        self.read_details(id).is_some()
    }

    fn read(&self, id: &str, name: &str) -> FileState {
        if !self.holds(id, name) {
            return FileState::Absent;
        }
        let Ok(path) = self.folder(id).join(name) else { return FileState::Absent };
        self.files.read(&path, TASK_FILE_LIMIT)
    }
}
