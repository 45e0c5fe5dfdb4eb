//! `cargo xtask dist`: the release as people get it, and each way to install it tried.
//!
//! From the same sources and the same compiler come the same bytes: archives hold no times, names or
//! owners of the machine that packed them, and the program none of its paths.

mod archive;
mod install;
mod licences;
mod npm;
mod program;
mod rebuilt;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use flate2::Compression;

use crate::arguments::Arguments;
use crate::bench;
use crate::product::{Product, cargo, host, output, target_folder};

use archive::Member;

/// The shells that get a completion script, and what its file is called.
const SHELLS: [(&str, &str); 4] =
    [("bash", "mainstay.bash"), ("zsh", "_mainstay"), ("fish", "mainstay.fish"), ("powershell", "mainstay.ps1")];

/// The pages of the repository that go along.
const PAGES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// A release on its way into files.
struct Release {
    binary: PathBuf,
    version: String,
    compression: Compression,
    /// What it runs on, as the compiler says: `x86_64-unknown-linux-gnu`.
    host: String,
    folder: PathBuf,
}

/// The files of a release.
struct Packed {
    archive: PathBuf,
    npm: PathBuf,
    wheel: PathBuf,
}

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    let is_checked = !arguments.flag("--unchecked");
    if arguments.flag("--rehearse") {
        let product = Product::chosen(arguments)?;
        arguments.end()?;
        return rehearse(&product);
    }
    let binary = arguments.binary()?;
    arguments.end()?;
    make(binary, is_checked)
}

/// Packs a release of this machine's kind, that of `binary` where one is named; installs it by every way.
///
/// Its counts are held against their budgets. What was built here is built once more in another folder: the same
/// bytes must come out.
pub(crate) fn make(binary: Option<PathBuf>, is_checked: bool) -> Result<(), String> {
    let is_ours = binary.is_none();
    let binary = binary.map_or_else(|| Product::released().map(|product| product.binary), Ok)?;
    let release = Release::of(binary, "dist", Compression::best())?;
    program::check(&release)?;
    let packed = release.pack()?;
    if is_checked {
        bench::check_released(&Product::at(release.binary.clone()))?;
        release.check_packing(&packed)?;
        install::check(&packed, is_ours.then_some(install::Profile::Release))?;
        if is_ours {
            rebuilt::check(&release.binary)?;
        }
    }
    for (name, digest) in digests(&packed)? {
        println!("{digest}  {name}");
    }
    println!("\nin {}", release.folder.display());
    Ok(())
}

/// Packs the program as tests build it, and installs that by every way: all of a release but its program.
pub(crate) fn rehearse(product: &Product) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let binary = place.path().join("mainstay");
    // Nobody looks at its symbols, and packing them takes longer than all the rest.
    output(Command::new("strip").arg("-o").arg(&binary).arg(&product.binary))?;
    let release = Release::of(binary, "dist-rehearsed", Compression::fast())?;
    let packed = release.pack()?;
    release.check_packing(&packed)?;
    install::check(&packed, Some(install::Profile::Development))
}

impl Release {
    fn of(binary: PathBuf, folder: &str, compression: Compression) -> Result<Self, String> {
        let (version, folder) = (env!("CARGO_PKG_VERSION").to_owned(), target_folder()?.join(folder));
        Ok(Self { binary, version, compression, host: host()?, folder })
    }

    /// Packs once more, and holds the sums against what they are about.
    fn check_packing(&self, packed: &Packed) -> Result<(), String> {
        let first = digests(packed)?;
        if digests(&self.pack()?)? != first {
            return Err("packed once more, the release has other bytes".into());
        }
        output(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&self.folder))
            .map(drop)
    }

    fn pack(&self) -> Result<Packed, String> {
        // What a former run left would be taken for a part of this release.
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).map_err(|error| shown(&self.folder, &error))?;
        }
        fs::create_dir_all(&self.folder).map_err(|error| shown(&self.folder, &error))?;
        let third_party = licences::of_the_program(&self.host)?;
        let program = fs::read(&self.binary).map_err(|error| shown(&self.binary, &error))?;
        let mut notices = licences::of_the_toolchain(&self.host)?;
        notices.push(Member::text("THIRD-PARTY.md", third_party));
        let pages = PAGES.iter().map(|page| {
            let path = testkit::repository().join(page);
            fs::read(&path).map(|bytes| Member::text(*page, bytes)).map_err(|error| shown(&path, &error))
        });
        let papers: Vec<Member> = notices.into_iter().map(Ok).chain(pages).collect::<Result<_, String>>()?;
        let packed = Packed {
            archive: self.folder.join(format!("mainstay-{}-{}.tar.gz", self.version, self.host)),
            npm: self.folder.join(format!("mainstay-{}.tgz", self.version)),
            wheel: self.folder.join(wheel::file_name(&self.version, &self.host)?),
        };
        self.pack_archive(&packed.archive, &program, &papers)?;
        npm::pack(&packed.npm, self, &program, &papers)?;
        wheel::pack(&packed.wheel, self, &program, &papers)?;
        let sums: String = digests(&packed)?.iter().flat_map(|(name, digest)| [digest, "  ", name, "\n"]).collect();
        let file = self.folder.join("SHA256SUMS");
        fs::write(&file, sums).map_err(|error| shown(&file, &error))?;
        Ok(packed)
    }

    fn pack_archive(&self, file: &Path, program: &[u8], papers: &[Member]) -> Result<(), String> {
        let mut members = vec![Member::program("mainstay", program.to_vec())];
        members.extend(papers.iter().cloned());
        for (shell, name) in SHELLS {
            let script = output(Command::new(&self.binary).args(["completions", shell]))?;
            members.push(Member::text(format!("completions/{name}"), script));
        }
        members.extend(self.man_pages()?);
        archive::tar_gz(file, &format!("mainstay-{}-{}", self.version, self.host), members, self.compression)
    }

    fn man_pages(&self) -> Result<Vec<Member>, String> {
        let folder = self.folder.join("man");
        output(cargo().args(["run", "--quiet", "--package", "mainstay", "--example", "man_pages", "--"]).arg(&folder))?;
        let mut pages = Vec::new();
        for entry in fs::read_dir(&folder).map_err(|error| shown(&folder, &error))? {
            let path = entry.map_err(|error| shown(&folder, &error))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pages.push(Member::text(format!("man/{name}"), fs::read(&path).map_err(|error| shown(&path, &error))?));
        }
        fs::remove_dir_all(&folder).map_err(|error| shown(&folder, &error))?;
        Ok(pages)
    }
}

fn digests(packed: &Packed) -> Result<Vec<(String, String)>, String> {
    let digest = |path: &PathBuf| {
        let bytes = fs::read(path).map_err(|error| shown(path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let digest = hex(&Sha256::digest(bytes));
        Ok((name, digest))
    };
    [&packed.archive, &packed.npm, &packed.wheel].into_iter().map(digest).collect()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn shown(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
