//! A database from elsewhere may hold anything; none of it runs.

use serde_json::json;

use super::{ask, field, outside, project};

#[test]
fn triggers_of_others_do_not_run_on_our_writes() {
    let desk = project();
    outside(
        &desk,
        "CREATE TABLE loot (x);
         CREATE TRIGGER evil AFTER UPDATE ON state BEGIN INSERT INTO loot VALUES (NEW.value); END;
         CREATE TRIGGER evil_inbox AFTER DELETE ON mainstay_inbox BEGIN INSERT INTO loot VALUES (OLD.seq); END;
         CREATE TRIGGER evil_meta AFTER UPDATE ON mainstay_meta BEGIN INSERT INTO loot VALUES (NEW.value); END;",
    );
    desk.done("state_write", json!({"fields": {"branch": "x"}}));
    assert_eq!(ask(&desk, "SELECT value FROM state WHERE key = 'branch'"), "x");
    assert_eq!(ask(&desk, "SELECT count(*) FROM loot"), "0");
    assert_eq!(
        ask(&desk, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'evil%'"),
        "3",
        "they are not ours to drop"
    );
}

#[test]
fn a_trigger_under_our_name_is_replaced() {
    let desk = project();
    outside(
        &desk,
        "DROP TRIGGER mainstay_state_u;
         CREATE TRIGGER mainstay_state_u AFTER UPDATE ON state BEGIN DELETE FROM tasks; END;",
    );
    assert_eq!(field(&desk, "branch"), "main");
    outside(&desk, "UPDATE state SET value = 'theirs' WHERE key = 'branch'");
    assert_eq!(ask(&desk, "SELECT count(*) FROM tasks"), "1");
    assert_eq!(field(&desk, "branch"), "theirs");
}

#[test]
fn a_view_in_place_of_a_table_is_refused() {
    let desk = project();
    outside(
        &desk,
        "CREATE TABLE real (key, value, updated_at); DROP TABLE state;
         CREATE VIEW state AS SELECT key, value, updated_at FROM real;
         CREATE TRIGGER evil INSTEAD OF INSERT ON state BEGIN DELETE FROM tasks; END;",
    );
    for (tool, arguments) in [("state_read", json!({})), ("state_write", json!({"fields": {"branch": "x"}}))] {
        assert_eq!(desk.refused(tool, arguments), "db_corrupt");
    }
    assert_eq!(ask(&desk, "SELECT count(*) FROM tasks"), "1");
    assert_eq!(ask(&desk, "SELECT count(*) FROM real"), "0");
    assert_eq!(desk.journal().len(), 2);
}

#[test]
fn a_view_in_place_of_our_own_tables_is_refused() {
    for name in ["mainstay_inbox", "mainstay_meta"] {
        let desk = project();
        let columns = "1 AS seq, 'state' AS tbl, 'D' AS op, 'branch' AS old_pk, NULL AS pk, NULL AS refused";
        outside(&desk, &format!("DROP TABLE {name}; CREATE VIEW {name} AS SELECT {columns};"));
        let refusal = desk.call("state_write", json!({"fields": {"branch": "x"}})).unwrap_err();
        assert!(["db_corrupt", "backend_unavailable"].contains(&refusal.code.as_ref()), "{name}: {refusal}");
        assert_eq!(desk.journal().len(), 2, "{name}");
    }
}

#[test]
fn a_newer_programs_tables_are_left_alone() {
    let desk = project();
    outside(&desk, "UPDATE mainstay_meta SET value = 2 WHERE name = 'version'; UPDATE state SET value = 'theirs';");
    for (tool, arguments) in [("state_read", json!({})), ("state_write", json!({"fields": {"branch": "x"}}))] {
        assert_eq!(desk.refused(tool, arguments), "schema_too_new");
    }
    assert_eq!(ask(&desk, "SELECT value FROM state"), "theirs");
    assert_eq!(ask(&desk, "SELECT count(*) FROM mainstay_inbox"), "1", "what waits goes on waiting");
    assert_eq!(desk.journal().len(), 2);
}

#[test]
fn an_inbox_filled_by_hand_is_no_code() {
    let desk = project();
    outside(
        &desk,
        "INSERT INTO mainstay_inbox (tbl, op) VALUES ('sqlite_master', 'D'), ('state', 'X'), ('state; DROP', 'I');
         INSERT INTO mainstay_inbox (tbl, op, old_pk) VALUES (x'00ff', 'D', 'branch');",
    );
    assert_eq!(field(&desk, "branch"), "main");
    assert_eq!(ask(&desk, "SELECT count(*) FROM mainstay_inbox WHERE refused IS NULL"), "0");
    assert_eq!(desk.journal().len(), 2);
}
