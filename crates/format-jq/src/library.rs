//! The functions that are defined in the language itself; a program compiles those it reaches.

use crate::term::Definition;

/// What a program uses of the library, compiled.
#[derive(Debug, Default)]
pub(crate) struct Library {
    /// In the order in which they were reached; `None` while one is being compiled.
    pub(crate) definitions: Vec<(&'static str, usize, Option<Definition>)>,
}

/// The source of a definition: its parameters, separated by semicolons, and its body.
pub(crate) fn source(name: &str, count: usize) -> Option<(&'static str, &'static str, &'static str)> {
    let fits = |(own, parameters, _): &&(&str, &str, &str)| {
        let parameters = if parameters.is_empty() { 0 } else { parameters.split(';').count() };
        *own == name && parameters == count
    };
    DEFINITIONS.iter().find(fits).copied()
}

const DEFINITIONS: &[(&str, &str, &str)] = &[
    ("recurse", "", ".."),
    ("recurse_down", "", ".."),
    ("values", "", "select(. != null)"),
    ("nulls", "", "select(. == null)"),
    ("booleans", "", "select(type == \"boolean\")"),
    ("numbers", "", "select(type == \"number\")"),
    ("strings", "", "select(type == \"string\")"),
    ("arrays", "", "select(type == \"array\")"),
    ("objects", "", "select(type == \"object\")"),
    ("iterables", "", "select(type | . == \"array\" or . == \"object\")"),
    ("scalars", "", "select(type | . != \"array\" and . != \"object\")"),
    ("finites", "", "select((isinfinite or isnan) | not)"),
    ("normals", "", "select(isnormal)"),
    ("first", "", ".[0]"),
    ("last", "", ".[-1]"),
    ("nth", "$n", ".[$n]"),
    ("nth", "$n;f", "if $n < 0 then error(\"Out of bounds negative array index\") else last(limit($n + 1; f)) end"),
    ("map", "f", "[.[] | f]"),
    ("map_values", "f", ".[] |= f"),
    ("with_entries", "f", "to_entries | map(f) | from_entries"),
    (
        "walk",
        "f",
        "def down: if type == \"object\" then .[] |= down elif type == \"array\" then [.[] | down] else . end | f; down",
    ),
    ("del", "f", "delpaths([path(f)])"),
    ("paths", "", "path(..) | select(. != [])"),
    ("paths", "f", ". as $root | paths | select(. as $path | $root | getpath($path) | f)"),
    ("leaf_paths", "", "paths(scalars)"),
    ("add", "f", "reduce f as $x (null; . + $x)"),
    ("any", "", "any(.[]; .)"),
    ("any", "f", "any(.[]; f)"),
    ("any", "source;f", "isempty(source | f | select(.)) | not"),
    ("all", "", "all(.[]; .)"),
    ("all", "f", "all(.[]; f)"),
    ("all", "source;f", "isempty(source | f | select(. | not))"),
    ("in", "o", ". as $key | o | has($key)"),
    ("inside", "o", ". as $part | o | contains($part)"),
    ("isvalid", "f", "try (f | true) catch false"),
    ("combinations", "", "if . == [] then [] else .[0][] as $x | [$x] + (.[1:] | combinations) end"),
    ("combinations", "$n", ". as $items | [range($n) | $items] | combinations"),
    (
        "tostream",
        "",
        "path(def deep: (.[]? | deep), .; deep) as $path | getpath($path) \
        | reduce path(.[]?) as $child ([$path, .]; [$path + $child])",
    ),
    (
        "fromstream",
        "f",
        "foreach f as $event ({done: false, whole: null}; \
        (if .done then {done: false, whole: null} else . end) \
        | if ($event | length) == 2 then setpath([\"whole\"] + $event[0]; $event[1]) | .done = ($event[0] == []) \
          else .done = (($event[0] | length) == 1) end; \
        if .done then .whole else empty end)",
    ),
    ("truncate_stream", "f", ". as $n | null | f | select((.[0] | length) > $n) | .[0] |= .[$n:]"),
    ("IN", "source", "any(source == .; .)"),
    ("IN", "source;others", "any(source == others; .)"),
    ("INDEX", "f", "INDEX(.[]; f)"),
    ("INDEX", "source;f", "reduce source as $row ({}; .[$row | f | tostring] = $row)"),
    ("abs", "", "if type == \"number\" and . < 0 then -. else . end"),
    ("ascii", "", "[.] | implode"),
    ("match", "re", "_matches(re)[]"),
    ("match", "re;flags", "_matches(re; flags)[]"),
    ("capture", "re", "match(re) | _named"),
    ("capture", "re;flags", "match(re; flags) | _named"),
    ("_named", "", "[.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries"),
    ("scan", "re", "scan(re; null)"),
    (
        "scan",
        "re;flags",
        "_matches(re; \"g\" + flags)[] \
        | if .captures == [] then .string else [.captures[].string] end",
    ),
    ("splits", "re", "split(re; null)[]"),
    ("splits", "re;flags", "split(re; flags)[]"),
    ("todate", "", "strftime(\"%Y-%m-%dT%H:%M:%SZ\")"),
    ("todateiso8601", "", "todate"),
    ("date", "", "todate"),
    ("fromdate", "", "strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime"),
    ("fromdateiso8601", "", "fromdate"),
    ("dateadd", "unit;n", ". + n"),
    ("datesub", "unit;n", ". - n"),
];
