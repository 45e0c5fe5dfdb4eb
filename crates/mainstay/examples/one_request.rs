//! Sends one request through the rooms and prints what each of them saw.
//!
//! `cargo run --example one_request`. The project is new, so the format is asked twice: the request
//! is rehearsed before a store is made for it. The contracts make it easy: a format and a store that print
//! and pass on are a format and a store.
#![allow(clippy::print_stdout, reason = "printing is what this example is for")]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use engine::{Engine, Identity, Setup};
use format::{Format, Seen, Sources, Surface, Taken, Touched, View};
use model::{
    Call, Change, Context, Environment, Image, ImageContent, Origin, Outcome, Record, RecordId, RecordKey, Refusal,
    Revision, Scan, Space, TableRows, Timestamp,
};
use store::{
    Checkpoint, EntryPage, ImageState, Keepsake, KeepsakeKind, NewEntry, Opener, PendingMove, Reads, Receipt, Splice,
    Store, StoreDamage, StoreError, StoreSize, StoredEntry, TableState, Txn,
};

static NARRATED: Narrated = Narrated;
static FORMATS: &[&dyn Format] = &[&NARRATED];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = tempfile::tempdir()?;
    let engine = Engine::open(Setup {
        project: Some(project.path().to_path_buf()),
        cwd: project.path().to_path_buf(),
        env: Environment::new(),
        formats: FORMATS,
        stores: Arc::new(NarratedStores),
    })?;
    let arguments = serde_json::from_str(r#"{"id":"T1","owner":"GHOST","description":"Implement the auth endpoint"}"#)?;
    let call = Call::new("tasks_add", arguments);
    println!("1 front     a call: {} {}", call.tool, serde_json::to_string(&call.arguments)?);
    let identity = Identity { actor: Some("ORBIT".into()), session: None, request_id: None, origin: Origin::Tool };
    let reply = engine.call(&call, &identity)?;
    println!("7 front     the reply: {}", serde_json::to_string(&reply.to_object())?);
    println!("\nTASKS.md now:\n\n{}", std::fs::read_to_string(project.path().join("TASKS.md"))?);
    Ok(())
}

/// The first format of the roll-call, telling what it is asked.
struct Narrated;

impl Narrated {
    fn inner() -> &'static dyn Format {
        formats::ALL[0]
    }
}

impl Format for Narrated {
    fn name(&self) -> &'static str {
        Self::inner().name()
    }
    fn surface(&self) -> &'static Surface {
        Self::inner().surface()
    }
    fn is_used(&self, files: &dyn format::Files) -> bool {
        Self::inner().is_used(files)
    }
    fn spaces(&self, call: Option<&Call>, view: &View<'_>, ctx: &Context) -> Result<Vec<Space>, Refusal> {
        Self::inner().spaces(call, view, ctx)
    }
    fn sources(&self, space: &Space, view: &View<'_>, ctx: &Context) -> Result<Sources, Refusal> {
        let sources = Self::inner().sources(space, view, ctx)?;
        let files: Vec<&str> = sources.files.iter().map(|file| file.path.as_str()).collect();
        println!("3 format    sources of {space}: {files:?}, table: {}", sources.table.is_some());
        Ok(sources)
    }
    fn take_in(&self, space: &Space, seen: &[Seen], view: &View<'_>, ctx: &Context) -> Taken {
        let taken = Self::inner().take_in(space, seen, view, ctx);
        println!("3 format    take in {} source(s): {} change(s)", seen.len(), taken.changes.len());
        taken
    }
    fn handle(&self, call: &Call, view: &View<'_>, ctx: &Context) -> Result<Outcome, Refusal> {
        let outcome = Self::inner().handle(call, view, ctx)?;
        println!("4 format    handle {} for {}:", call.tool, ctx.actor);
        for change in &outcome.changes {
            let after = change.after.as_ref().map_or("gone".to_owned(), ToString::to_string);
            println!("              {} -> {after}", change.key);
        }
        Ok(outcome)
    }
    fn render(&self, space: &Space, touched: &Touched<'_>, view: &View<'_>, ctx: &Context) -> Vec<Image> {
        let images = Self::inner().render(space, touched, view, ctx);
        for image in &images {
            let size = match &image.content {
                ImageContent::Bytes(bytes) => format!("{} bytes", bytes.len()),
                ImageContent::Absent => "absent".to_owned(),
                ImageContent::Folder => "a folder".to_owned(),
                ImageContent::NoFolder => "no folder".to_owned(),
            };
            println!("5 format    render {}: {size}", image.path);
        }
        images
    }
    fn rows(&self, changes: &[Change]) -> TableRows {
        let rows = Self::inner().rows(changes);
        for row in &rows.rows {
            println!("5 format    row of {}: {:?}", row.table, row.key);
        }
        rows
    }
}

/// The SQLite store, telling what it is given.
struct NarratedStores;
struct NarratedStore(Box<dyn Store>);
struct NarratedTxn<'a>(Box<dyn Txn + 'a>);

impl Opener for NarratedStores {
    fn open(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        let store = store_sqlite::SqliteOpener.open(folder)?;
        Ok(store.map(|store| Box::new(NarratedStore(store)) as Box<dyn Store>))
    }
    fn replace(&self, folder: &Path, with: &Path) -> Result<(), StoreError> {
        store_sqlite::SqliteOpener.replace(folder, with)
    }
    fn copy_files(&self, folder: &Path, copy: &Path) -> Result<(), StoreError> {
        store_sqlite::SqliteOpener.copy_files(folder, copy)
    }
    fn open_copy(&self, folder: &Path) -> Result<Option<Box<dyn Store>>, StoreError> {
        store_sqlite::SqliteOpener.open_copy(folder)
    }
    fn create(&self, folder: &Path) -> Result<Box<dyn Store>, StoreError> {
        println!("2 store     make the project's store");
        Ok(Box::new(NarratedStore(store_sqlite::SqliteOpener.create(folder)?)))
    }
}

impl Store for NarratedStore {
    fn read(&self) -> Result<Box<dyn Reads + '_>, StoreError> {
        self.0.read()
    }
    fn begin(&self) -> Result<Box<dyn Txn + '_>, StoreError> {
        println!("2 store     begin");
        Ok(Box::new(NarratedTxn(self.0.begin()?)))
    }
    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.0.check()
    }
    fn is_current(&self) -> bool {
        self.0.is_current()
    }
    fn damage(&self) -> Option<StoreDamage> {
        self.0.damage()
    }
    fn size(&self) -> Result<StoreSize, StoreError> {
        self.0.size()
    }
    fn backup(&self, file: &Path) -> Result<Revision, StoreError> {
        self.0.backup(file)
    }
    fn compact(&self) -> Result<(), StoreError> {
        self.0.compact()
    }
}

impl Reads for NarratedTxn<'_> {
    fn record(&self, key: &RecordKey) -> Result<Option<Record>, StoreError> {
        self.0.record(key)
    }
    fn scan(&self, space: &Space, kind: &str, scan: &Scan) -> Result<Vec<Record>, StoreError> {
        self.0.scan(space, kind, scan)
    }
    fn texts(
        &self,
        space: &Space,
        kind: &str,
        visit: &mut dyn FnMut(RecordId, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.0.texts(space, kind, visit)
    }
    fn kinds(&self, space: &Space) -> Result<Vec<String>, StoreError> {
        self.0.kinds(space)
    }
    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        self.0.spaces()
    }
    fn head(&self) -> Result<Revision, StoreError> {
        self.0.head()
    }
    fn entries(
        &self,
        page: &EntryPage,
        visit: &mut dyn FnMut(StoredEntry) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.0.entries(page, visit)
    }
    fn entries_after(&self, after: Revision, limit: usize) -> Result<Vec<StoredEntry>, StoreError> {
        self.0.entries_after(after, limit)
    }
    fn changes_of(&self, key: &RecordKey, after: Revision) -> Result<Vec<(Revision, Splice)>, StoreError> {
        self.0.changes_of(key, after)
    }
    fn receipt(&self, tool: &str, request_id: &str) -> Result<Option<Receipt>, StoreError> {
        self.0.receipt(tool, request_id)
    }
    fn images(&self, space: &Space) -> Result<Vec<ImageState>, StoreError> {
        self.0.images(space)
    }
    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.blob(digest)
    }
    fn tables(&self, space: &Space) -> Result<Vec<TableState>, StoreError> {
        self.0.tables(space)
    }
    fn pending_moves(&self) -> Result<Vec<PendingMove>, StoreError> {
        self.0.pending_moves()
    }
    fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        self.0.checkpoints()
    }
    fn oldest_computed(&self) -> Result<Option<Revision>, StoreError> {
        self.0.oldest_computed()
    }
    fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.0.meta(name)
    }
    fn keepsakes(&self, kind: KeepsakeKind, visit: &mut dyn FnMut(Keepsake)) -> Result<bool, StoreError> {
        self.0.keepsakes(kind, visit)
    }
}

impl Txn for NarratedTxn<'_> {
    fn append(&mut self, entry: &NewEntry<'_>) -> Result<Revision, StoreError> {
        let revision = self.0.append(entry)?;
        println!("6 store     entry {revision}: {} by {}, {} change(s)", entry.call, entry.actor, entry.changes.len());
        Ok(revision)
    }
    fn replay(&mut self, entry: &StoredEntry) -> Result<(), StoreError> {
        self.0.replay(entry)
    }
    fn fold(&mut self, after: Revision, baseline: &StoredEntry) -> Result<(), StoreError> {
        self.0.fold(after, baseline)
    }
    fn put_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.0.put_checkpoint(checkpoint)
    }
    fn delete_checkpoint(&mut self, id: &str) -> Result<(), StoreError> {
        self.0.delete_checkpoint(id)
    }
    fn put_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        self.0.put_receipt(receipt)
    }
    fn drop_receipts(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.0.drop_receipts(before)
    }
    fn put_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        let what = if image.intended.is_some() { "is intended" } else { "is confirmed" };
        println!("6 store     {} {what}", image.path);
        self.0.put_image(image)
    }
    fn delete_image(&mut self, image: &ImageState) -> Result<(), StoreError> {
        self.0.delete_image(image)
    }
    fn put_blob(&mut self, digest: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.0.put_blob(digest, bytes)
    }
    fn delete_blob(&mut self, digest: &str) -> Result<(), StoreError> {
        self.0.delete_blob(digest)
    }
    fn put_table(&mut self, table: &TableState) -> Result<(), StoreError> {
        println!("6 store     the table image is meant to show revision {}", table.intended);
        self.0.put_table(table)
    }
    fn put_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.0.put_move(pending)
    }
    fn settle_move(&mut self, pending: &PendingMove) -> Result<(), StoreError> {
        self.0.settle_move(pending)
    }
    fn put_meta(&mut self, name: &str, value: Option<&str>) -> Result<(), StoreError> {
        self.0.put_meta(name, value)
    }
    fn savepoint(&mut self) -> Result<(), StoreError> {
        self.0.savepoint()
    }
    fn release(&mut self) -> Result<(), StoreError> {
        self.0.release()
    }
    fn rollback(&mut self) -> Result<(), StoreError> {
        self.0.rollback()
    }
    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        println!("6 store     commit");
        self.0.commit()
    }
}
