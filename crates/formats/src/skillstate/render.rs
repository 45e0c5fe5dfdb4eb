//! Records to files: the state in its envelope, the session meta, one file for each checkpoint.

use format::{Records, Touched, View, pretty};
use model::{Change, Image, ImageContent, Object, ProjectPath, Space};

use super::checkpoints;
use super::envelope::Envelope;
use super::meta::Meta;
use super::present::check_readable;
use super::records::{self, Kind};
use super::scope::{Place, Scope};

/// The files of a space that `touched` may have changed.
pub(super) fn render(space: &Space, touched: &Touched<'_>, view: &View<'_>) -> Vec<Image> {
    match Place::of(space) {
        Some(Place::State(scope)) => {
            let state = state_file(&scope, touched, view);
            state.into_iter().chain(meta_file(&scope, touched, view.records)).collect()
        }
        Some(Place::Checkpoints(scope)) => checkpoint_files(&scope, touched, view.records),
        None => Vec::new(),
    }
}

// A file that cannot be read stays, whatever the records say.
fn state_file(scope: &Scope, touched: &Touched<'_>, view: &View<'_>) -> Option<Image> {
    let path = scope.state_path();
    if !is_touched(touched, &path, &[Kind::State, Kind::Envelope]) || check_readable(view, scope).is_err() {
        return None;
    }
    let state = records::state(view.records, scope)?;
    let others = records::object(view.records, &Kind::Envelope.only(scope)).unwrap_or_default();
    Some(image(path, Some(&Envelope { state, others }.to_object())))
}

// The meta of a copy waits for its first change, unless it says how the copy came out.
fn meta_file(scope: &Scope, touched: &Touched<'_>, records: &dyn Records) -> Option<Image> {
    let path = scope.meta_path();
    if !is_touched(touched, &path, &[Kind::Meta, Kind::Activity, Kind::State]) {
        return None;
    }
    let was_there = |change: &Change| change.key == Kind::Meta.only(scope) && change.before.is_some();
    match Meta::get(records, scope) {
        Some(meta) => {
            let waits = *scope != Scope::Main
                && meta.status() == Some("running")
                && records.get(&Kind::State.only(scope)).is_none();
            (!waits).then(|| image(path, Some(&meta.to_object())))
        }
        None => touched.changes.iter().any(was_there).then(|| image(path, None)),
    }
}

fn checkpoint_files(scope: &Scope, touched: &Touched<'_>, records: &dyn Records) -> Vec<Image> {
    let changed = touched.changes.iter().filter(|change| change.key.kind == Kind::Checkpoint.word());
    let changed = changed.map(|change| change.key.id.as_str());
    let mut ids: Vec<&str> = touched.paths.iter().filter_map(|path| checkpoints::id_of(path.name())).collect();
    ids.extend(changed);
    ids.sort_unstable();
    ids.dedup();
    let file = |id: &str| {
        let path = checkpoints::path(scope, id)?;
        match records.get(&Kind::Checkpoint.one(scope.checkpoint_space(), id)) {
            Some(record) => checkpoints::file(id, &record).map(|file| image(path, Some(&file))),
            None => Some(image(path, None)),
        }
    };
    ids.into_iter().filter_map(file).collect()
}

fn is_touched(touched: &Touched<'_>, path: &ProjectPath, kinds: &[Kind]) -> bool {
    let shows = |change: &Change| kinds.iter().any(|kind| change.key.kind == kind.word());
    touched.paths.contains(path) || touched.changes.iter().any(shows)
}

fn image(path: ProjectPath, file: Option<&Object>) -> Image {
    let content = file.map_or(ImageContent::Absent, |file| ImageContent::Bytes(pretty::document(file).into_bytes()));
    Image { path, content }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use format::{Draft, FileState, Irregular};
    use serde_json::json;

    use super::*;
    use crate::skillstate::world::World;

    #[test]
    fn a_file_that_cannot_be_read_is_never_written_over() {
        let scope = Scope::Main;
        let paths = [scope.state_path()];
        let touched = Touched { changes: &[], paths: &paths };
        let shown = "{\n  \"version\": 1,\n  \"state\": {\n    \"goal\": \"g\"\n  },\n  \"owner\": \"me\"\n}\n";
        let image = Image { path: scope.state_path(), content: ImageContent::Bytes(shown.as_bytes().to_vec()) };
        for (file, is_readable) in [
            (FileState::Absent, true),
            (FileState::Bytes(b"{}".to_vec()), true),
            (FileState::Bytes(b"{".to_vec()), false),
            (FileState::Irregular(Irregular::Folder), false),
            (FileState::Irregular(Irregular::Link), false),
            (FileState::Irregular(Irregular::TooLarge), false),
        ] {
            let world = World { records: BTreeMap::new(), file };
            let rendered = |records: &dyn Records| state_file(&scope, &touched, &world.view(records));
            let mut draft = Draft::new(&world);
            assert_eq!(rendered(&draft), None, "nothing is stored");
            draft.put(Kind::State.only(&scope), json!({"goal": "g"}));
            draft.put(Kind::Envelope.only(&scope), json!({"owner": "me"}));
            assert_eq!(rendered(&draft), Some(image.clone()), "without trouble nothing is looked at");
            draft.put(Kind::Trouble.only(&scope), json!({"code": "state_corrupt"}));
            let expected = is_readable.then(|| image.clone());
            assert_eq!(rendered(&draft), expected, "bytes that cannot be read stay, others do not hold up an image");
        }
    }
}
