//! Who may depend on whom.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The picture: a package, what it may depend on, and what its tests may depend on besides.
const ALLOWED: &[(&str, &[&str], &[&str])] = &[
    ("mainstay-model", &[], &[]),
    // Planted faults: nothing in a release build.
    ("mainstay-mutants", &[], &[]),
    ("mainstay-format", &["mainstay-model"], &[]),
    ("mainstay-jq", &["mainstay-model"], &[]),
    ("mainstay-formats", &["mainstay-format", "mainstay-jq", "mainstay-model"], &[]),
    ("mainstay-store", &["mainstay-model"], &[]),
    ("mainstay-store-memory", &["mainstay-store", "mainstay-model"], &[]),
    ("mainstay-store-sqlite", &["mainstay-store", "mainstay-model", "mainstay-mutants"], &[]),
    (
        "mainstay-engine",
        &["mainstay-format", "mainstay-store", "mainstay-model", "mainstay-mutants"],
        &["mainstay-formats", "mainstay-store-memory", "mainstay-store-sqlite"],
    ),
    ("mainstay-hosts", &["mainstay-format", "mainstay-model"], &[]),
    (
        "mainstay-front-cli",
        &["mainstay-engine", "mainstay-format", "mainstay-hosts", "mainstay-model", "mainstay-mutants"],
        &[],
    ),
    (
        "mainstay-front-hook",
        &["mainstay-engine", "mainstay-format", "mainstay-hosts", "mainstay-model"],
        &["mainstay-formats"],
    ),
    ("mainstay-front-mcp", &["mainstay-engine", "mainstay-format", "mainstay-model", "mainstay-mutants"], &[]),
    (
        "mainstay",
        &[
            "mainstay-model",
            "mainstay-format",
            "mainstay-formats",
            "mainstay-store",
            "mainstay-store-sqlite",
            "mainstay-engine",
            "mainstay-front-cli",
            "mainstay-front-hook",
            "mainstay-front-mcp",
        ],
        &["mainstay-hosts", "mainstay-testkit"],
    ),
    // Outside the house: they drive the built program and know none of its rooms.
    ("mainstay-testkit", &[], &[]),
    ("xtask", &["mainstay-testkit"], &[]),
    (
        "mainstay-fuzz",
        &[
            "mainstay-model",
            "mainstay-format",
            "mainstay-formats",
            "mainstay-store",
            "mainstay-store-memory",
            "mainstay-engine",
            "mainstay-front-cli",
            "mainstay-front-hook",
            "mainstay-front-mcp",
            "mainstay-testkit",
        ],
        &[],
    ),
];

/// One dependency between two packages of the workspace.
#[derive(Debug)]
struct Arrow {
    from: String,
    to: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Normal,
    Tests,
    Build,
}

pub(super) fn findings(root: &Path) -> Result<Vec<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root);
    let output = command.output().map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(wrong(&packages(&metadata), &arrows(&metadata)))
}

fn packages(metadata: &Value) -> Vec<&str> {
    metadata["packages"].as_array().into_iter().flatten().filter_map(|package| package["name"].as_str()).collect()
}

fn arrows(metadata: &Value) -> Vec<Arrow> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .flat_map(|package| {
            // Only what stands in this tree has a path.
            let ours = package["dependencies"].as_array().into_iter().flatten().filter(|to| to["path"].is_string());
            ours.map(|to| Arrow { from: word(&package["name"]), to: word(&to["name"]), kind: kind(&to["kind"]) })
        })
        .collect()
}

fn word(name: &Value) -> String {
    name.as_str().unwrap_or_default().to_owned()
}

fn kind(kind: &Value) -> Kind {
    match kind.as_str() {
        None => Kind::Normal,
        Some("dev") => Kind::Tests,
        Some(_) => Kind::Build,
    }
}

fn wrong(packages: &[&str], arrows: &[Arrow]) -> Vec<String> {
    let place_of = |name: &str| ALLOWED.iter().find(|(package, ..)| *package == name);
    let homeless = packages.iter().filter(|name| place_of(name).is_none());
    let mut findings: Vec<_> = homeless.map(|name| format!("{name}: has no place in the picture of arrows")).collect();
    for Arrow { from, to, kind } in arrows {
        let Some((_, normal, tests)) = place_of(from) else {
            continue;
        };
        let to_name = to.as_str();
        let allowed = match kind {
            Kind::Normal => normal.contains(&to_name),
            // A test may use what its package uses, also with more features.
            Kind::Tests => normal.contains(&to_name) || tests.contains(&to_name),
            Kind::Build => false,
        };
        if !allowed {
            findings.push(format!("{from} -> {to} ({kind:?}): no such arrow in the picture"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{arrows, packages, wrong};
    use serde_json::{Value, json};

    fn check(metadata: &Value, expected: &[&str]) {
        assert_eq!(wrong(&packages(metadata), &arrows(metadata)), expected);
    }

    fn one(from: &str, to: &str, kind: Option<&str>) -> Value {
        json!({"packages": [{"name": from, "dependencies": [{"name": to, "kind": kind, "path": "somewhere"}]}]})
    }

    #[test]
    fn arrows_outside_the_picture_are_found() {
        check(&one("mainstay-engine", "mainstay-store", None), &[]);
        check(&one("mainstay-engine", "mainstay-formats", Some("dev")), &[]);
        check(&one("mainstay-store-sqlite", "mainstay-store", Some("dev")), &[]);
        check(
            &one("mainstay-engine", "mainstay-formats", None),
            &["mainstay-engine -> mainstay-formats (Normal): no such arrow in the picture"],
        );
        check(
            &one("mainstay-formats", "mainstay-store", Some("dev")),
            &["mainstay-formats -> mainstay-store (Tests): no such arrow in the picture"],
        );
        check(
            &one("mainstay-engine", "mainstay-model", Some("build")),
            &["mainstay-engine -> mainstay-model (Build): no such arrow in the picture"],
        );
        check(
            &one("mainstay-front-cli", "mainstay", None),
            &["mainstay-front-cli -> mainstay (Normal): no such arrow in the picture"],
        );
        check(&one("stray", "mainstay-model", None), &["stray: has no place in the picture of arrows"]);
    }

    #[test]
    fn foreign_packages_are_no_arrows() {
        check(
            &json!({"packages": [{"name": "mainstay-model", "dependencies": [{"name": "jiff", "kind": null}]}]}),
            &[],
        );
    }
}
