//! The suite that every store passes, and a store that fails on purpose.
//!
//! `store::contract_suite!(opener)` makes one test of each case; the expression is evaluated for
//! each of them and gives an [`Opener`](crate::Opener). Only stores see files: a case works in a
//! fresh folder of its own.

#![allow(clippy::unwrap_used, reason = "this is code of tests")]

mod desk;
mod failing;
mod folding;
mod journal;
mod keeping;
mod opening;
mod random;
mod records;
mod transactions;

pub use failing::{Failing, FailingOpener, Faults};
pub use folding::{
    a_store_takes_the_place_of_another, checkpoints, entries_are_folded, entries_are_read_forwards,
    entries_are_replayed, oldest_computed_reply, what_does_not_fit_is_not_replayed,
};
pub use journal::{
    a_false_before_is_a_conflict, a_key_changed_twice_is_a_conflict, append_gives_consecutive_revisions,
    changes_of_a_record, entries_are_paged, entries_keep_every_field, unwinding_gives_what_was_appended,
    unwinding_skips_entries,
};
pub use keeping::{blobs, images, marked_blobs, meta, pending_moves, receipts, receipts_are_dropped_by_age, tables};
pub use opening::{
    create_is_idempotent, others_see_what_was_committed, size_grows_and_the_store_is_sound, there_is_nothing_at_first,
    what_stands_at_its_place_is_current,
};
pub use random::random_operations;
pub use records::{
    ids_do_not_run_into_each_other, kinds_and_spaces, numbers_and_member_order_survive, records_round_trip,
    scans_are_in_order, unreadable_values_are_refused,
};
pub use transactions::{
    a_second_writer_finds_the_store_busy, a_view_does_not_move, dropping_undoes, reads_see_what_was_written,
    rollback_undoes_back_to_the_savepoint, savepoints_do_not_nest, writing_works_from_other_threads,
};

/// Makes a test of each case of the contract, for the stores of one opener.
#[macro_export]
macro_rules! contract_suite {
    ($opener:expr) => {
        $crate::contract_suite! { @cases $opener;
            records_round_trip, numbers_and_member_order_survive, scans_are_in_order,
            ids_do_not_run_into_each_other, kinds_and_spaces, unreadable_values_are_refused,
            append_gives_consecutive_revisions, a_false_before_is_a_conflict, a_key_changed_twice_is_a_conflict,
            entries_keep_every_field, entries_are_paged, changes_of_a_record,
            unwinding_gives_what_was_appended, unwinding_skips_entries,
            entries_are_read_forwards, entries_are_replayed, what_does_not_fit_is_not_replayed,
            entries_are_folded, checkpoints, oldest_computed_reply, a_store_takes_the_place_of_another,
            images, blobs, marked_blobs, tables, pending_moves, receipts, receipts_are_dropped_by_age, meta,
            reads_see_what_was_written, rollback_undoes_back_to_the_savepoint, savepoints_do_not_nest,
            dropping_undoes, a_view_does_not_move, a_second_writer_finds_the_store_busy,
            writing_works_from_other_threads,
            there_is_nothing_at_first, create_is_idempotent, others_see_what_was_committed,
            what_stands_at_its_place_is_current, size_grows_and_the_store_is_sound, random_operations,
        }
    };
    (@cases $opener:expr; $($case:ident),+ $(,)?) => {
        $(
            #[test]
            fn $case() {
                $crate::suite::$case(&$opener);
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macro_runs_every_case() {
        let source = include_str!("mod.rs");
        let (exports, listed) = source.split_once("macro_rules!").unwrap();
        let words = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect()
        };
        let (_, listed) = listed.split_once("$opener;").unwrap();
        let listed = words(listed.split_once('}').unwrap().0);
        for line in exports.split("pub use ").skip(1) {
            let names = words(line.split_once(';').unwrap().0.split_once("::").unwrap().1);
            for name in names.iter().filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())) {
                assert!(listed.contains(name), "{name} is exported and not run");
            }
        }
    }
}
