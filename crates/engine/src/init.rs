//! `init`: turning formats on in a project. Existing files stay as they are.

use format::{Files as _, Format, View};
use model::{Object, Origin, ProjectPath, Refusal, Value};

use crate::engine::Engine;
use crate::images;
use crate::records::StoreRecords;
use crate::refusals;

impl Engine {
    /// Writes `mainstay.toml`, `.mainstay/` and what each format needs; twice changes nothing.
    ///
    /// Without names: the formats whose markers stand, else the first of the roll-call.
    /// **Shape**: `{created,kept,formats}`. **Errors**: `invalid_argument` (field `format`), `format_off` for one that
    /// the project's own list leaves out: `mainstay.toml` stays as its owner wrote it.
    pub fn init(&self, names: &[String]) -> Result<Object, Refusal> {
        let formats = self.chosen(names)?;
        formats.iter().try_for_each(|format| self.check_is_not_off(*format))?;
        let ctx = self.bare_context(Origin::Tool)?;
        let records = StoreRecords::new(None);
        let view = View { records: &records, files: self.files(), probes: self.probes() };
        let mut wanted = vec![(ProjectPath::known("mainstay.toml"), settings_text(&formats).into_bytes())];
        for format in &formats {
            // A configuration that cannot be read refuses here, before anything is written.
            for space in format.spaces(None, &view, &ctx)? {
                format.sources(&space, &view, &ctx)?;
            }
            wanted.extend(format.init(&view, &ctx));
        }
        let ignore = ProjectPath::known(".mainstay/.gitignore");
        let had_home = self.files().read(&ignore, 1024) != format::FileState::Absent;
        self.home().make()?;
        let (mut created, mut kept) = (Vec::new(), Vec::new());
        if had_home {
            kept.push(ignore);
        } else {
            created.push(ignore);
        }
        for (path, bytes) in wanted {
            match images::create_new(self.files(), &path, &bytes) {
                Ok(()) => {
                    images::sync_folder_of(self.files(), &path)
                        .map_err(|error| refusals::of_io(path.as_str(), &error))?;
                    created.push(path);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => kept.push(path),
                Err(error) => return Err(refusals::of_io(path.as_str(), &error)),
            }
        }
        let list = |paths: Vec<ProjectPath>| paths.iter().map(|path| path.as_str().into()).collect::<Vec<Value>>();
        let mut object = Object::new();
        object.insert("created".into(), list(created).into());
        object.insert("kept".into(), list(kept).into());
        object.insert("formats".into(), formats.iter().map(|format| Value::from(format.name())).collect());
        Ok(object)
    }

    fn chosen(&self, names: &[String]) -> Result<Vec<&'static dyn Format>, Refusal> {
        let by_name = |name: &String| {
            self.formats().iter().copied().find(|format| format.name() == name).ok_or_else(|| {
                let known: Vec<Value> = self.formats().iter().map(|format| format.name().into()).collect();
                Refusal::invalid("format", format!("there is no format named {name:?}")).allowed(known)
            })
        };
        if !names.is_empty() {
            return names.iter().map(by_name).collect();
        }
        let on = self.formats_on();
        Ok(if on.is_empty() { self.formats().iter().copied().take(1).collect() } else { on })
    }
}

fn settings_text(formats: &[&dyn Format]) -> String {
    let names: Vec<String> = formats.iter().map(|format| format!("{:?}", format.name())).collect();
    format!(
        "# Settings of Mainstay for this project. Data only: nothing in here is ever run.\n\n\
         # The formats that are on. Without this line: those whose files are found.\n\
         formats = [{}]\n",
        names.join(", ")
    )
}
