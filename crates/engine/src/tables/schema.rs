//! The tables, the inbox and the triggers, generated from a format's data.

use std::collections::BTreeMap;

use format::{ColumnType, TableImage};
use rusqlite::{Connection, ErrorCode};

/// Our own tables: name, text, and the columns that one found there has to have.
///
/// What outside programs change lands in the inbox; the other is what we remember in the file.
///
/// **Source**: hseos specification, section "Table image".
pub(super) const OWN: &[(&str, &str, &[&str])] = &[
    (
        "mainstay_inbox",
        "CREATE TABLE mainstay_inbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT NOT NULL, op TEXT NOT NULL, \
         row_id INTEGER,\n  old_pk, pk, c1, c2, c3, c4, c5, c6, c7,\n  \
         at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), refused TEXT, closed_at TEXT)",
        &["seq", "tbl", "op", "old_pk", "pk", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "refused", "closed_at"],
    ),
    ("mainstay_meta", "CREATE TABLE mainstay_meta (name TEXT PRIMARY KEY, value)", &["name", "value"]),
];

/// Columns of the inbox that hold the cells after the primary key.
pub(super) const CELLS: usize = 7;

/// What the file says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) version: i64,
    pub(super) nonce: String,
    pub(super) revision: u64,
    pub(super) cookie: i64,
}

/// `CREATE TABLE` for one table.
pub(super) fn create_table(image: &TableImage) -> String {
    let columns: Vec<String> = image
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let kind = match column.kind {
                ColumnType::Text => "TEXT",
                ColumnType::Integer => "INTEGER",
            };
            let key = match (place, column.kind) {
                (0, ColumnType::Integer) => " PRIMARY KEY AUTOINCREMENT",
                (0, ColumnType::Text) => " PRIMARY KEY",
                _ => "",
            };
            let not_null = if column.not_null { " NOT NULL" } else { "" };
            let default = column.default.map_or(String::new(), |default| {
                if default.starts_with('\'') { format!(" DEFAULT {default}") } else { format!(" DEFAULT ({default})") }
            });
            format!("  {} {kind}{key}{not_null}{default}", column.name)
        })
        .collect();
    format!("CREATE TABLE {} (\n{}\n)", image.table, columns.join(",\n"))
}

/// The three triggers of one table, as name and text. Each makes one plain copy of columns.
pub(super) fn triggers(image: &TableImage) -> [(String, String); 3] {
    let table = image.table;
    let key = image.columns[0].name;
    let cells: Vec<String> = (1..image.columns.len()).map(|number| format!("c{number}")).collect();
    let fresh: Vec<String> = image.columns[1..].iter().map(|column| format!("NEW.{}", column.name)).collect();
    let (cells, fresh) = (cells.join(","), fresh.join(","));
    let trigger = |op: char, event: &str, body: String| {
        let name = format!("mainstay_{table}_{}", op.to_ascii_lowercase());
        let text =
            format!("CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN INSERT INTO mainstay_inbox {body}; END");
        (name, text)
    };
    [
        trigger(
            'I',
            "INSERT",
            format!("(tbl,op,row_id,pk,{cells}) VALUES ('{table}','I',NEW.rowid,NEW.{key},{fresh})"),
        ),
        trigger(
            'U',
            "UPDATE",
            format!("(tbl,op,row_id,old_pk,pk,{cells}) VALUES ('{table}','U',NEW.rowid,OLD.{key},NEW.{key},{fresh})"),
        ),
        trigger('D', "DELETE", format!("(tbl,op,row_id,old_pk) VALUES ('{table}','D',OLD.rowid,OLD.{key})")),
    ]
}

/// Everything in the schema by lower-case name, as SQLite compares names: its type and its text.
pub(super) fn master(connection: &Connection) -> rusqlite::Result<BTreeMap<String, (String, String)>> {
    let mut statement = connection.prepare("SELECT name, type, coalesce(sql, '') FROM sqlite_master")?;
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, String>(0)?.to_ascii_lowercase(), (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// The schema cookie: SQLite counts it up whenever the schema changes.
pub(super) fn cookie(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA schema_version", [], |row| row.get(0))
}

/// What the file says about itself; `None` when it says nothing, or nothing that makes sense.
pub(super) fn read_meta(connection: &Connection) -> rusqlite::Result<Option<Meta>> {
    let mut meta = Meta::default();
    let mut statement = match connection.prepare("SELECT name, value FROM mainstay_meta") {
        // There is no such table, or it is a view of somebody's.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => return Ok(None),
        prepared => prepared?,
    };
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0).unwrap_or_default();
        match name.as_str() {
            "version" => meta.version = row.get(1).unwrap_or_default(),
            "nonce" => meta.nonce = row.get(1).unwrap_or_default(),
            "revision" => meta.revision = row.get::<_, i64>(1).unwrap_or_default().cast_unsigned(),
            "cookie" => meta.cookie = row.get(1).unwrap_or_default(),
            _ => {}
        }
    }
    Ok((meta.version != 0).then_some(meta))
}

/// Writes what the file says about itself, as far as it does not say so already.
pub(super) fn write_meta(connection: &Connection, meta: &Meta, said: Option<&Meta>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("REPLACE INTO mainstay_meta (name, value) VALUES (?1, ?2)")?;
    let is_new = |differs: fn(&Meta, &Meta) -> bool| said.is_none_or(|said| differs(said, meta));
    if is_new(|said, meta| said.version != meta.version) {
        statement.execute(("version", meta.version))?;
    }
    if is_new(|said, meta| said.nonce != meta.nonce) {
        statement.execute(("nonce", &meta.nonce))?;
    }
    if is_new(|said, meta| said.cookie != meta.cookie) {
        statement.execute(("cookie", meta.cookie))?;
    }
    statement.execute(("revision", meta.revision.cast_signed()))?;
    Ok(())
}

/// Whether every table is a table, and every trigger stands with our own text.
pub(super) fn stands(tables: &[TableImage], master: &BTreeMap<String, (String, String)>) -> bool {
    let is_table = |name: &str| master.get(name).is_some_and(|(kind, _)| kind == "table");
    is_table("mainstay_inbox") && tables.iter().all(|image| is_table(image.table) && triggers_stand(image, master))
}

/// Whether the three triggers of one table stand with our own text.
pub(super) fn triggers_stand(image: &TableImage, master: &BTreeMap<String, (String, String)>) -> bool {
    triggers(image)
        .iter()
        .all(|(name, text)| master.get(name).is_some_and(|(kind, found)| kind == "trigger" && found == text))
}

/// The first of `wanted` that a table has no column for.
pub(super) fn missing_column<'a>(
    connection: &Connection,
    table: &str,
    wanted: impl IntoIterator<Item = &'a str>,
) -> rusqlite::Result<Option<&'a str>> {
    let mut statement = connection.prepare("SELECT lower(name) FROM pragma_table_info(?1)")?;
    let names: Vec<String> = statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(wanted.into_iter().find(|column| !names.iter().any(|name| name == column)))
}

/// Whether the rows of a table have numbers, which the triggers note.
pub(super) fn has_rowid(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let text = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND lower(name) = ?1";
    connection.query_row(text, [table], |row| Ok(row.get::<_, i64>(0)? == 0))
}

#[cfg(test)]
mod tests {
    use super::{create_table, triggers};
    use format::{Column, ColumnType, TableImage};

    static IMAGE: TableImage = TableImage {
        table: "notes",
        kind: "note",
        columns: &[
            Column { name: "id", kind: ColumnType::Integer, not_null: false, default: None },
            Column { name: "text", kind: ColumnType::Text, not_null: true, default: Some("'-'") },
            Column { name: "at", kind: ColumnType::Text, not_null: true, default: Some("datetime('now')") },
        ],
    };

    #[test]
    fn a_table_is_written_as_it_is_declared() {
        assert_eq!(
            create_table(&IMAGE),
            "CREATE TABLE notes (\n  id INTEGER PRIMARY KEY AUTOINCREMENT,\n  text TEXT NOT NULL DEFAULT '-',\n  \
             at TEXT NOT NULL DEFAULT (datetime('now'))\n)"
        );
    }

    #[test]
    fn a_trigger_is_one_plain_copy() {
        let texts = triggers(&IMAGE).map(|(_, text)| text);
        assert_eq!(
            texts,
            [
                "CREATE TRIGGER mainstay_notes_i AFTER INSERT ON notes BEGIN INSERT INTO mainstay_inbox \
                 (tbl,op,row_id,pk,c1,c2) VALUES ('notes','I',NEW.rowid,NEW.id,NEW.text,NEW.at); END",
                "CREATE TRIGGER mainstay_notes_u AFTER UPDATE ON notes BEGIN INSERT INTO mainstay_inbox \
                 (tbl,op,row_id,old_pk,pk,c1,c2) VALUES ('notes','U',NEW.rowid,OLD.id,NEW.id,NEW.text,NEW.at); END",
                "CREATE TRIGGER mainstay_notes_d AFTER DELETE ON notes BEGIN INSERT INTO mainstay_inbox \
                 (tbl,op,row_id,old_pk) VALUES ('notes','D',OLD.rowid,OLD.id); END",
            ]
        );
    }
}
