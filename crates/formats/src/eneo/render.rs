//! The three files that show the records.

use format::{Records, Touched, pretty};
use model::{Image, ImageContent, ProjectPath, Value};

use super::{document, paths, records};

/// The images that may have changed: the mirror with every change, since it follows the document.
pub(super) fn render(touched: &Touched<'_>, records: &dyn Records) -> Vec<Image> {
    let wanted = |path: &ProjectPath, kind: &str| {
        touched.paths.contains(path) || touched.changes.iter().any(|change| change.key.kind == kind)
    };
    let mut images = Vec::new();
    let document = |path: ProjectPath, object: Option<model::Object>| Image {
        path,
        content: object.map_or(ImageContent::Absent, |object| {
            ImageContent::Bytes(pretty::document(&Value::Object(object)).into_bytes())
        }),
    };
    if wanted(&paths::task(), "task") {
        images.push(document(paths::task(), records::task(records)));
    }
    if wanted(&paths::wave(), "wave") {
        images.push(document(paths::wave(), records::wave(records)));
    }
    let is_touched = touched.paths.contains(&paths::mirror()) || !touched.changes.is_empty();
    if let Some(word) = word(records).filter(|_| is_touched) {
        images.push(Image { path: paths::mirror(), content: ImageContent::Bytes(format!("{word}\n").into_bytes()) });
    }
    images
}

// The task's phase, else the word that was put while there is no task.
fn word(records: &dyn Records) -> Option<&'static str> {
    let task = records::task(records);
    if let Some(phase) = task.as_ref().and_then(document::phase_of) {
        return Some(phase);
    }
    if task.is_some() {
        return None;
    }
    document::word_of(records.get(&records::mirror_key())?.as_str()?)
}
