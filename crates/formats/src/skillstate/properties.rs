//! What holds for any text and any state: nothing panics, and what is written reads back.

use format::equality::equal_members;
use format::field_schema::FieldType;
use model::{Object, Value};
use proptest::prelude::*;

use super::envelope::Envelope;
use super::patch::{changes, plan};
use super::response::candidate;
use super::spec::{Spec, builtin};
use super::validation::Wanted;
use super::{checkpoints, spec};

/// JSON as people and models write it, and what they break.
fn texts() -> impl Strategy<Value = String> {
    let words = "(```json|~~~|```|\\{|\\}|\\[|\\]|\"|:|,|\n|\r|\\\\|state_patch|action|version|state|schema|1e999|-0|null|\u{feff}| |é|x){0,60}";
    prop_oneof![words, ".{0,200}"]
}

fn values() -> impl Strategy<Value = Value> {
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        "[a-c<&é]{0,6}".prop_map(Value::from),
    ];
    leaves.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]{0,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn objects() -> impl Strategy<Value = Object> {
    prop::collection::btree_map("[a-d]{1,2}", values(), 0..5).prop_map(|members| members.into_iter().collect())
}

/// A spec that takes any field.
fn open_spec() -> Spec {
    Spec { additional_fields: true, ..builtin() }
}

proptest! {
    #[test]
    fn foreign_text_never_panics(text in texts()) {
        let _ = Envelope::read(text.as_bytes());
        let _ = spec::parse(text.as_bytes());
        let _ = checkpoints::from_file(text.as_bytes());
        let label = checkpoints::label(&text);
        prop_assert!(checkpoints::id_of(&format!("1-{label}.json")).is_some(), "{}", label);
        if let Some(block) = candidate(&text) {
            prop_assert!(text.contains(block));
        }
    }

    #[test]
    fn state_files_read_back(state in objects(), others in objects()) {
        let others: Object = others.into_iter().filter(|(name, _)| name != "state" && name != "version").collect();
        let envelope = Envelope { state, others };
        let written = format::pretty::document(&envelope.to_object());
        prop_assert_eq!(Envelope::read(written.as_bytes()), Ok(envelope));
    }

    #[test]
    fn a_patch_does_what_it_says_and_twice_nothing_more(state in objects(), patch in objects()) {
        let wanted = Wanted { patch: Some(&patch), append: None };
        if let Ok(planned) = plan(wanted, &state, &open_spec()) {
            let said = changes(&state, &planned.state);
            let is_quiet = ["added", "updated", "deleted"].iter().all(|list| said[*list] == Value::Array(vec![]));
            prop_assert_eq!(is_quiet, !planned.changed);
            prop_assert_eq!(planned.changed, !equal_members(&state, &planned.state));
            for (name, value) in &patch {
                match value {
                    Value::Null => prop_assert!(!planned.state.contains_key(name)),
                    Value::Object(_) => prop_assert!(FieldType::Object.fits(&planned.state[name])),
                    value => prop_assert!(format::equality::equal(&planned.state[name], value)),
                }
            }
            let again = plan(wanted, &planned.state, &open_spec()).unwrap();
            prop_assert!(!again.changed);
        }
    }
}
