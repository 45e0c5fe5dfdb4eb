//! `cargo xtask site`: the documents as one folder of HTML, every link followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::arguments::Arguments;
use crate::product::target_folder;

/// The documents outside `docs/` that are part of the site.
const PAGES: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md"];

const STYLE: &str = "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif;\
color:#1c1c1c;background:#fff}pre,code{font-family:ui-monospace,monospace;font-size:.9em}pre{padding:.8rem;\
overflow-x:auto;background:#f4f4f2;border-radius:4px}table{border-collapse:collapse;display:block;overflow-x:auto}\
td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}a{color:#0b5394}\
nav{margin-bottom:2rem}@media(prefers-color-scheme:dark){body{background:#161616;color:#e4e4e4}\
pre{background:#242424}a{color:#8ab8e8}td,th{border-color:#444}}";

/// A document: its path in the repository and its text.
type Documents = BTreeMap<String, String>;

pub(crate) fn run(arguments: &mut Arguments) -> Result<(), String> {
    arguments.end()?;
    let folder = render()?;
    println!("{}", folder.join("docs/README.html").display());
    Ok(())
}

/// Renders every document; fails where a link leads nowhere.
pub(crate) fn render() -> Result<PathBuf, String> {
    let root = testkit::repository();
    let documents = documents(&root)?;
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        documents.iter().map(|(path, text)| (path.as_str(), anchors(text))).collect();
    let site = target_folder()?.join("site");
    if site.exists() {
        fs::remove_dir_all(&site).map_err(|error| format!("{}: {error}", site.display()))?;
    }
    let mut broken = Vec::new();
    for (path, text) in &documents {
        let page = page(path, text, &mut |target| follow(&root, path, target, &anchors, &mut broken));
        let file = site.join(path).with_extension("html");
        let made = fs::create_dir_all(file.parent().unwrap_or(&site)).and_then(|()| fs::write(&file, page));
        made.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if broken.is_empty() { Ok(site) } else { Err(format!("links that lead nowhere:\n{}", broken.join("\n"))) }
}

fn documents(root: &Path) -> Result<Documents, String> {
    let mut waiting: Vec<PathBuf> = PAGES.iter().map(PathBuf::from).chain([PathBuf::from("docs")]).collect();
    let mut documents = Documents::new();
    while let Some(path) = waiting.pop() {
        let place = root.join(&path);
        let failed = |error: std::io::Error| format!("{}: {error}", place.display());
        if place.is_dir() {
            for entry in fs::read_dir(&place).map_err(failed)? {
                waiting.push(path.join(entry.map_err(failed)?.file_name()));
            }
        } else if path.extension().is_some_and(|ending| ending == "md") {
            documents.insert(path.display().to_string(), fs::read_to_string(&place).map_err(failed)?);
        }
    }
    Ok(documents)
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// What the headings of a document are called in links, as the usual forges call them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take().map(|text| slug(&text))),
            Event::Text(part) | Event::Code(part) => {
                if let Some(text) = &mut heading {
                    text.push_str(&part);
                }
            }
            _ => {}
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// One page; `follow` says where a link goes on the site, or nothing where it stays mere text.
fn page(path: &str, text: &str, follow: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut is_kept = Vec::new();
    let mut linked = |event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let target = follow(&dest_url);
            is_kept.push(target.is_some());
            target.map(|target| Event::Start(Tag::Link { link_type, dest_url: CowStr::from(target), title, id }))
        }
        Event::End(TagEnd::Link) => is_kept.pop().unwrap_or(false).then_some(event),
        // What a document holds of HTML is shown, not obeyed.
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        other => Some(other),
    };
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options()).filter_map(&mut linked).collect();
    for at in 0..events.len() {
        let text: String = match &events[at] {
            Event::Start(Tag::Heading { .. }) => {
                let inside = events[at..].iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                inside
                    .filter_map(
                        |event| if let Event::Text(part) | Event::Code(part) = event { Some(&**part) } else { None },
                    )
                    .collect()
            }
            _ => continue,
        };
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(CowStr::from(slug(&text)));
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    let up = "../".repeat(path.matches('/').count());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{path} · Mainstay</title>\n<style>{STYLE}</style>\n\
         <nav><a href=\"{up}docs/README.html\">Mainstay: documentation</a></nav>\n{body}</html>\n"
    )
}

/// Where a link of a document goes on the site; a link to code stays text, one that leads nowhere is noted.
fn follow(
    root: &Path,
    document: &str,
    target: &str,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
    broken: &mut Vec<String>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Some(target.to_owned());
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { document.to_owned() } else { beside(document, file) };
    if let Some(known) = anchors.get(path.as_str()) {
        if anchor.is_some_and(|anchor| !known.contains(anchor)) {
            broken.push(format!("{document}: {target} names no heading"));
        }
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        return Some(if file.is_empty() { anchor } else { format!("{}html{anchor}", file.trim_end_matches("md")) });
    }
    if !root.join(&path).exists() {
        broken.push(format!("{document}: {target} is not there"));
    }
    None
}

/// The path that a link beside a document names, from the root of the repository.
fn beside(document: &str, file: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
            _ => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_what_leads_nowhere_is_told() {
        let root = testkit::repository();
        let known = BTreeMap::from([("docs/a.md", BTreeSet::from(["one-two".to_owned()]))]);
        let cases = [
            ("a.md", Some("a.html"), 0),
            ("a.md#one-two", Some("a.html#one-two"), 0),
            ("#one-two", Some("#one-two"), 0),
            ("a.md#three", Some("a.html#three"), 1),
            ("../Cargo.toml", None, 0),
            ("gone.md", None, 1),
            ("https://example.org", Some("https://example.org"), 0),
        ];
        for (target, goes_to, faults) in cases {
            let mut broken = Vec::new();
            let found = follow(&root, "docs/a.md", target, &known, &mut broken);
            assert_eq!((found.as_deref(), broken.len()), (goes_to, faults), "{target}: {broken:?}");
        }
    }

    #[test]
    fn headings_get_the_names_that_links_use() {
        let page = page("docs/a.md", "# One: `two`\n\n<script>x</script>\n", &mut |_| None);
        assert!(page.contains("<h1 id=\"one-two\">"), "{page}");
        assert!(!page.contains("<script>"), "{page}");
    }
}
