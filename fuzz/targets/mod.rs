//! What reads bytes of others. A new target is a line here, a function beside, seeds and a dictionary.

mod documents;
mod doors;
mod project;
mod stored;
mod texts;

/// Something that reads bytes; it panics where it breaks a promise.
pub(crate) struct Target {
    /// The name of its folders in `fuzz/seeds` and `fuzz/crashes`.
    pub(crate) name: &'static str,
    /// The name of its file in `fuzz/dict`.
    pub(crate) dictionary: &'static str,
    /// Reads one input.
    pub(crate) run: fn(&[u8]),
    /// So much address space it may use. **Units**: bytes.
    pub(crate) memory: u64,
}

/// What a target may use. **Units**: bytes.
const MEMORY: u64 = 256 * 1024 * 1024;

/// A server's threads reserve stacks and arenas that they do not use; its peak of real memory is reported.
const SERVER_MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    of("hseos-state", "markdown", project::hseos_state),
    of("hseos-tasks", "markdown", project::hseos_tasks),
    of("hseos-config", "yaml", project::hseos_config),
    of("skillstate-state", "json", project::skillstate_state),
    of("upgrade-plan", "markdown", project::upgrade_plan),
    of("upgrade-tasks", "markdown", project::upgrade_tasks),
    of("upgrade-scenario", "json", project::upgrade_scenario),
    of("msd-state", "yaml", project::msd_state),
    of("msd-statusline", "yaml", project::msd_statusline),
    of("msd-roadmap", "yaml", project::msd_roadmap),
    of("skillstate-spec", "json", project::skillstate_spec),
    of("skillstate-response", "markdown", doors::response),
    of("upgrade-instructions", "markdown", project::upgrade_instructions),
    of("eneo-task", "json", project::eneo_task),
    of("eneo-wave", "json", project::eneo_wave),
    of("eneo-gate", "shell", doors::gate),
    of("jq-program", "jq", project::jq_program),
    of("settings", "toml", project::settings),
    of("journal-splice", "json", stored::splice),
    of("stored-text", "json", stored::text),
    of("redaction", "secrets", texts::redaction),
    of("fence", "secrets", texts::fence),
    of("fenced-blocks", "markdown", texts::fenced_blocks),
    of("markdown-cells", "markdown", texts::cells),
    of("front-matter", "yaml", documents::front_matter),
    of("document-fields", "yaml", documents::fields),
    of("merge-patch", "json", texts::merge_patch),
    of("three-way", "json", texts::three_way),
    of("hook-input", "json", doors::hook),
    of("command-line", "words", doors::command_line),
    Target { memory: SERVER_MEMORY, ..of("mcp-lines", "mcp", doors::mcp_lines) },
];

const fn of(name: &'static str, dictionary: &'static str, run: fn(&[u8])) -> Target {
    Target { name, dictionary, run, memory: MEMORY }
}
