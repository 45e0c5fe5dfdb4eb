//! The three files that show the records.

use format::{Records, Touched, pretty};
use model::{Change, Image, ImageContent, Object, ProjectPath, Value};

use super::{document, paths, records};

/// The images that may have changed: the mirror with every change, since it follows the document.
pub(super) fn render(touched: &Touched<'_>, records: &dyn Records) -> Vec<Image> {
    let is_wanted = |path: &ProjectPath, kind: &str| {
        touched.paths.contains(path) || touched.changes.iter().any(|change| change.key.kind == kind)
    };
    let mut images = Vec::new();
    let task = records::task(records);
    let (word, has_task) = (word(task.as_ref(), records), task.is_some());
    let path = paths::task();
    if is_wanted(&path, "task") {
        images.push(document(path, task));
    }
    let path = paths::wave();
    if is_wanted(&path, "wave") {
        images.push(document(path, records::wave(records)));
    }
    let path = paths::mirror();
    let is_mirrored = !touched.changes.is_empty() || touched.paths.contains(&path);
    let is_taken_back = |change: &Change| change.after.is_none() && ["task", "mirror"].contains(&&*change.key.kind);
    match word {
        Some(word) if is_mirrored => {
            images.push(Image { path, content: ImageContent::Bytes(format!("{word}\n").into_bytes()) });
        }
        // There was no phase yet, and so no mirror of it.
        None if !has_task && touched.changes.iter().any(is_taken_back) => {
            images.push(Image { path, content: ImageContent::Absent });
        }
        _ => {}
    }
    images
}

fn document(path: ProjectPath, object: Option<Object>) -> Image {
    let content = object.map_or(ImageContent::Absent, |object| {
        ImageContent::Bytes(pretty::document(&Value::Object(object)).into_bytes())
    });
    Image { path, content }
}

// The task's phase, else the word that was put while there is no task.
fn word(task: Option<&Object>, records: &dyn Records) -> Option<&'static str> {
    match task {
        Some(task) => document::phase_of(task),
        None => document::word_of(records.get(&records::mirror_key())?.as_str()?),
    }
}
