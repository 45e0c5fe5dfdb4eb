//! A format made for tests alone: one merged text image, one file that is the truth, some tools.
//!
//! It is as pure as any format, but for `meddle`, during which a test may act on the project.

mod items;
mod meddling;
mod settings;
mod surface;
mod tools;
mod truth;

use format::{
    Effort, FileSource, FileState, Files, ForeignLock, Format, Restore, Seen, Sheet, Sources, Surface, Taken, Touched,
    View,
};
use model::{Call, Change, Context, Image, ImageContent, Outcome, ProjectPath, RecordKey, Refusal, Scan, Space, Value};

pub(crate) use items::render_items;
pub(crate) use meddling::meanwhile;

/// The one space that has images.
pub(crate) const SPACE: Space = Space::known("probe");

/// The text image.
pub(crate) const ITEMS: &str = "ITEMS.md";

/// The file that is the truth.
pub(crate) const TRUTH: &str = "truth.json";

/// A file that is rendered and is no source.
pub(crate) const COUNT: &str = "COUNT.txt";

/// The format.
pub(crate) struct Probe;

/// The key of an item.
pub(crate) fn item(key: &str) -> RecordKey {
    RecordKey::new(SPACE, "item", key)
}

pub(crate) fn doc() -> RecordKey {
    RecordKey::new(SPACE, "truth", "doc")
}

impl Format for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn surface(&self) -> &'static Surface {
        &surface::SURFACE
    }

    fn is_used(&self, files: &dyn Files) -> bool {
        files.read(&ProjectPath::known(".probe"), 1024) != FileState::Absent
    }

    fn spaces(&self, call: Option<&Call>, view: &View<'_>, _ctx: &Context) -> Result<Vec<Space>, Refusal> {
        let place = call.and_then(|call| call.arguments.get("place")).and_then(Value::as_str);
        if place == Some("nowhere") {
            return Err(Refusal::refused("unknown_place", "there is no such place"));
        }
        // A place that only an item makes known.
        let known = place.filter(|place| view.records.get(&item(place)).is_some());
        let beneath = known.map(|place| Space::new(format!("probe/{place}")));
        Ok(std::iter::once(SPACE).chain(beneath).collect())
    }

    fn sources(&self, space: &Space, _view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
        let settings = settings::Settings::of(ctx);
        if *space != SPACE {
            if space.as_str() == "probe/broken" {
                return Err(Refusal::config("broken", "this place is never configured well"));
            }
            // A place that another program can lock.
            let lock = (space.as_str() == "probe/locked").then(|| ForeignLock::PidFile {
                path: ProjectPath::known("locked.lock"),
                wait_ms: 0,
                stale_ms: i64::MAX,
                empty_stale_ms: i64::MAX,
            });
            return Ok(Sources { lock, ..Sources::default() });
        }
        let file = |path, keeps_base, restore| FileSource {
            path: ProjectPath::known(path),
            keeps_base,
            limit: settings.limit,
            restore,
        };
        Ok(Sources {
            files: vec![file(ITEMS, true, settings.restore), file(TRUTH, false, Restore::Never)],
            lock: settings.lock.map(|kind| match kind {
                settings::LockKind::Folder => ForeignLock::Folder {
                    path: ProjectPath::known(".locks/state.lock"),
                    wait_ms: settings.wait_ms,
                    stale_ms: settings.stale_ms,
                },
                settings::LockKind::PidFile => ForeignLock::PidFile {
                    path: settings.lock_path,
                    wait_ms: settings.wait_ms,
                    empty_stale_ms: 1_000,
                    stale_ms: 60_000,
                },
            }),
            take_in: settings.take_in,
            ..Sources::default()
        })
    }

    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, _ctx: &Context) -> Taken {
        assert_eq!(*space, SPACE, "no other space has sources");
        let mut taken = Taken::default();
        for seen in seen {
            match seen {
                Seen::File(file) if file.path.as_str() == ITEMS => items::take_in(file, view, &mut taken),
                Seen::File(file) => truth::take_in(file, view, &mut taken),
                Seen::Rows(_) => {}
            }
        }
        taken
    }

    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        tools::handle(call, view, ctx)
    }

    /// Twice the number and one more; while that is worked out, a test may act on the project.
    fn ponder(&self, question: &[Value], effort: Effort<'_>) -> Option<Sheet> {
        if effort.is_brief {
            return None;
        }
        let [root, number] = question else { return None };
        meddling::run(root.as_str()?);
        Some(vec![(number.as_i64()? * 2 + 1).into()])
    }

    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, _ctx: &Context) -> Vec<Image> {
        if let Some(place) = space.as_str().strip_prefix("probe/") {
            let path = ProjectPath::new(format!("place-{place}.txt")).expect("tests name places well");
            let all = view.records.scan(space, "item", &Scan::all());
            return vec![Image { path, content: ImageContent::Bytes(render_items(&all).into_bytes()) }];
        }
        let needed = |kind: &str, path: &str| {
            let of_kind = |change: &Change| change.key.kind == kind;
            touched.changes.iter().any(of_kind) || touched.paths.iter().any(|touched| touched.as_str() == path)
        };
        let image = |path, content| Image { path: ProjectPath::known(path), content };
        let mut images = Vec::new();
        let all = view.records.scan(&SPACE, "item", &Scan::all());
        if needed("item", ITEMS) {
            images.push(image(ITEMS, ImageContent::Bytes(render_items(&all).into_bytes())));
        }
        if needed("truth", TRUTH) {
            let content = match view.records.get(&doc()) {
                Some(value) => ImageContent::Bytes(format!("{value}\n").into_bytes()),
                None => ImageContent::Absent,
            };
            images.push(image(TRUTH, content));
        }
        let counts = view.records.get(&item("count"));
        if let (true, Some(count)) = (needed("item", COUNT), counts) {
            images.push(image(COUNT, ImageContent::Bytes(format!("{count}\n").into_bytes())));
        }
        // Each label is an image in a folder that moves.
        let of_path =
            |path: &ProjectPath| path.as_str().strip_prefix("shelf/")?.strip_suffix("/LABEL").map(str::to_owned);
        let changed = touched.changes.iter().filter(|change| change.key.kind == "label");
        let names =
            changed.map(|change| change.key.id.as_str().to_owned()).chain(touched.paths.iter().filter_map(of_path));
        for name in names.collect::<std::collections::BTreeSet<_>>() {
            let content = match view.records.get(&RecordKey::new(SPACE, "label", name.as_str())) {
                Some(text) => ImageContent::Bytes(format!("{text}\n").into_bytes()),
                None => ImageContent::Absent,
            };
            images
                .push(Image { path: ProjectPath::new(format!("shelf/{name}/LABEL")).expect("a valid path"), content });
        }
        images
    }

    fn init(&self, _view: &View<'_>, _ctx: &Context) -> Vec<(ProjectPath, Vec<u8>)> {
        vec![(ProjectPath::known(".probe"), b"on\n".to_vec())]
    }
}
