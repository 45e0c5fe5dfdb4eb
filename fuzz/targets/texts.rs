//! Text that several formats read or write.

use format::three_way::{Keep, merge};
use format::{equality, fence, fenced_blocks as blocks, markdown, merge_patch as patches, redaction as secrets};
use model::{Object, Value};

pub(super) fn redaction(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let masked = secrets::masked(&text);
    assert_eq!(secrets::masked(&masked), masked, "what is masked stays as it is");
}

/// Stored text cannot close the fence, nor break out of its line.
pub(super) fn fence(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for body in [fence::line(&text), fence::payload(Value::String(text.clone().into_owned()))] {
        let block = fence::block("fuzz", &body);
        assert_eq!(block.matches('<').count(), 2, "{block:?}");
        assert_eq!(block.lines().count(), 3, "{block:?}");
        assert!(!body.chars().any(char::is_control), "{body:?}");
    }
}

pub(super) fn fenced_blocks(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for block in blocks::fenced_blocks(&text) {
        assert!(text.contains(block.info), "what a block says of itself stands in the text");
        let _ = block.is_in("yaml");
    }
}

/// Whatever a cell or a line holds comes back out of it.
pub(super) fn cells(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let cell = markdown::escape_cell(&text).into_owned();
    assert!(!cell.contains('\n'), "a cell is one line: {cell:?}");
    let row = markdown::row(&["first", &cell]);
    let _ = markdown::split_row(&row);
    for line in markdown::lines(&text) {
        let _ = markdown::split_row(line).map(|cells| markdown::is_separator(&cells));
    }
}

/// A patch that was merged changes nothing when it is merged again (RFC 7396).
pub(super) fn merge_patch(bytes: &[u8]) {
    let Some([mut target, patch, _]) = documents(bytes) else { return };
    patches::merge(&mut target, &patch);
    let once = target.clone();
    patches::merge(&mut target, &patch);
    assert!(equality::equal(&once, &target), "{patch}");
}

/// Two sides that say the same end in that.
pub(super) fn three_way(bytes: &[u8]) {
    let Some(documents) = documents(bytes) else { return };
    let [Value::Object(base), Value::Object(main), Value::Object(sub)] = documents else { return };
    let merged = merge(&base, &main, &sub, Keep::Main);
    let again = merge(&base, &main, &main, Keep::Main);
    assert!(equality::equal_members(&again.value, &main), "{again:?} is not {main:?}");
    let _: (Object, usize) = (merged.value, merged.clashes.len());
}

/// Three JSON documents, a line each.
fn documents(bytes: &[u8]) -> Option<[Value; 3]> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| serde_json::from_slice(line).ok());
    Some([lines.next()??, lines.next()??, lines.next().flatten().unwrap_or_default()])
}
