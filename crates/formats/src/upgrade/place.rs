//! Where a scenario stands: its space, its folder, its files.

use model::{FolderMove, ProjectPath, Space};

/// The largest plan.md, tasks.md or scenario.json that is read. **Units**: bytes.
pub(super) const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// The largest task.md or progress-details.md that is read. **Units**: bytes.
pub(super) const TASK_FILE_LIMIT: u64 = 1024 * 1024;

/// The plan.
pub(super) const PLAN: &str = "plan.md";
/// The view of progress.
pub(super) const TASKS: &str = "tasks.md";
/// The image of the states.
pub(super) const SCENARIO: &str = "scenario.json";
/// Preferences and decisions, which we never write.
pub(super) const INSTRUCTIONS: &str = "scenario-instructions.md";
/// What a task is about.
pub(super) const TASK_MD: &str = "task.md";
/// What was done, in both spellings.
pub(super) const DETAILS: [&str; 2] = ["progress-details.md", "progress-detail.md"];

/// The folder of the format.
pub(super) fn root() -> ProjectPath {
    ProjectPath::known(".github/upgrades")
}

/// Where a scenario stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) folder: ProjectPath,
    /// The name of the folder.
    pub(super) id: String,
}

impl Place {
    /// The scenario at a path beneath the folder of the format: `x` or `scenarios/x`.
    pub(super) fn beneath(root: &ProjectPath, path: &str) -> Option<Self> {
        let folder = root.join(path).ok()?;
        let id = folder.name().to_owned();
        Some(Self { space: Space::new(format!("upgrade/{path}")), folder, id })
    }

    /// The scenario of a space.
    pub(super) fn of(space: &Space) -> Option<Self> {
        Self::beneath(&root(), space.as_str().strip_prefix("upgrade/")?)
    }

    /// The scenario whose task's folder is moved, to the trash or back or to another id.
    pub(super) fn of_move(step: &FolderMove) -> Option<Self> {
        [&step.from, &step.to].into_iter().find_map(|path| {
            let beneath = path.as_str().strip_prefix(root().as_str())?.strip_prefix('/')?;
            let (folder, _task) = beneath.rsplit_once("/tasks/")?;
            Self::beneath(&root(), folder)
        })
    }

    /// A file of the scenario.
    pub(super) fn file(&self, name: &'static str) -> ProjectPath {
        self.folder.join(name).expect("names written in the program are valid")
    }

    /// The folder of all tasks' folders.
    pub(super) fn tasks(&self) -> ProjectPath {
        self.file("tasks")
    }

    /// The folder of a task. An id that is accepted holds no part of a path.
    pub(super) fn task(&self, id: &str) -> ProjectPath {
        self.tasks().join(id).expect("ids hold neither slashes nor dots alone")
    }

    /// A file in the folder of a task.
    pub(super) fn task_file(&self, id: &str, name: &'static str) -> ProjectPath {
        self.task(id).join(name).expect("names written in the program are valid")
    }
}
