//! Which value of a record stays where records, journal and images say different things.

use model::{Change, RecordKey};
use store::{StoredChange, from_text};

use super::claims::Claims;
use super::losses::Loss;
use super::salvage::{Texts, difference};

/// Answers what images say against the records when changes are laid over those.
pub(super) type Claiming<'a> = &'a dyn Fn(&[Change]) -> Claims;

/// What leads from the whole journal to the records; where an image says what the journal does, the record gives way.
///
/// Every value that gives way is told in `losses`.
pub(super) fn weigh(
    journal: &Texts,
    records: &Texts,
    claims: Claiming<'_>,
    losses: &mut Vec<Loss>,
) -> Vec<StoredChange> {
    let mut changes = difference(journal, records, false);
    let value = |texts: &Texts, key: &RecordKey| texts.get(key).and_then(|text| from_text(text).ok());
    let back = |change: &StoredChange| {
        let (before, after) = (value(records, &change.key), value(journal, &change.key));
        Change { key: change.key.clone(), before, after }
    };
    let back: Vec<Change> = changes.iter().map(back).collect();
    let against_records = claims(&[]);
    let against_journal = if back.is_empty() { Claims::new() } else { claims(&back) };
    let is_damaged = |change: &&Change| {
        // A text of the journal that is no value cannot be what an image shows.
        let is_value = change.after.is_some() == journal.contains_key(&change.key);
        is_value && against_records.contains_key(&change.key) && !against_journal.contains_key(&change.key)
    };
    let (damaged, entered): (Vec<&Change>, Vec<&Change>) = back.iter().partition(is_damaged);
    for Change { key, before, .. } in &damaged {
        let stays = format!("the journal and {} agree on another value, which stays", against_records[key].path);
        losses.push(Loss::of_value(key, "the record", before.as_ref(), &stays));
        changes.retain(|change| change.key != *key);
    }
    for Change { key, after, .. } in &entered {
        let stays = "the record says something else, which an entry by doctor now leads to";
        losses.push(Loss::of_value(key, "the journal", after.as_ref(), stays));
    }
    let damaged: Vec<Change> = damaged.into_iter().cloned().collect();
    losses.extend(outvoted(&if damaged.is_empty() { against_records } else { claims(&damaged) }));
    changes
}

/// What images say that the records outvote.
pub(super) fn outvoted(claims: &Claims) -> Vec<Loss> {
    let stays = "the record says something else, which stays";
    claims.iter().map(|(key, one)| Loss::of_value(key, one.path.as_str(), one.says.as_ref(), stays)).collect()
}
