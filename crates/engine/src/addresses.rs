//! What the URI of a resource names, and which URIs an entry is about.

use model::{Refusal, Space, Value};

/// What every URI of a resource begins with.
pub(crate) const SCHEME: &str = "mainstay://";

/// The longest URI that is looked at. **Units**: bytes.
const LONGEST: usize = 2048;

/// What a URI names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// `mainstay://state`: every format's summary and work.
    State,
    /// `mainstay://tasks`: what is ready and what is blocked.
    Tasks,
    /// `mainstay://history{?since,space}`: the journal.
    History { since: Option<String>, space: Option<String> },
    /// `mainstay://records/{+space}`: the records of a space.
    Records { space: String },
    /// `mainstay://FORMAT/NAME`: a file or a reading tool of a format.
    Of { format: String, name: String },
}

impl Address {
    /// Reads a URI.
    ///
    /// **Errors**: `resource_not_found`; `invalid_argument` (field `uri`) for one that is too long or not well formed.
    pub(crate) fn read(uri: &str) -> Result<Self, Refusal> {
        if uri.len() > LONGEST {
            return Err(Refusal::invalid("uri", format!("a uri has at most {LONGEST} bytes")));
        }
        let rest = uri.strip_prefix(SCHEME).ok_or_else(|| missing(uri))?;
        let (path, query) = rest.split_once('?').map_or((rest, ""), |(path, query)| (path, query));
        let address = match path.split_once('/') {
            None | Some((_, "")) => match path.trim_end_matches('/') {
                "state" => Self::State,
                "tasks" => Self::Tasks,
                "history" => return history(query),
                _ => return Err(missing(uri)),
            },
            Some(("records", space)) => Self::Records { space: decoded(space)? },
            Some((format, name)) => Self::Of { format: format.to_owned(), name: name.to_owned() },
        };
        if query.is_empty() { Ok(address) } else { Err(missing(uri)) }
    }

    /// Whether an entry that touches a space may have changed what stands there.
    pub(crate) fn is_about(&self, space: &Space) -> bool {
        match self {
            Self::State | Self::Tasks | Self::History { space: None, .. } => true,
            Self::History { space: Some(filter), .. } | Self::Records { space: filter } => space.is_within(filter),
            Self::Of { format, .. } => space.format() == format,
        }
    }
}

/// The refusal of a URI that names nothing.
pub(crate) fn missing(uri: &str) -> Refusal {
    let shown: String = uri.chars().take(200).collect();
    let refusal = Refusal::invalid("uri", format!("there is no resource {shown:?}"));
    Refusal { code: "resource_not_found".into(), ..refusal }
        .hint("resources/list and resources/templates/list show them")
}

fn history(query: &str) -> Result<Address, Refusal> {
    let (mut since, mut space) = (None, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let slot = match name {
            "since" => &mut since,
            "space" => &mut space,
            _ => {
                return Err(Refusal::invalid("uri", format!("history has no parameter {name:?}"))
                    .allowed(vec![Value::from("since"), Value::from("space")]));
            }
        };
        *slot = Some(decoded(value)?).filter(|value| !value.is_empty());
    }
    Ok(Address::History { since, space })
}

/// A part of a URI with its percent signs undone.
fn decoded(text: &str) -> Result<String, Refusal> {
    let wrong = || Refusal::invalid("uri", "a percent sign is followed by two hexadecimal digits of UTF-8 text");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
        bytes.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits"));
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_read() {
        let history = |since: Option<&str>, space: Option<&str>| Address::History {
            since: since.map(str::to_owned),
            space: space.map(str::to_owned),
        };
        let of = |format: &str, name: &str| Address::Of { format: format.to_owned(), name: name.to_owned() };
        for (uri, expected) in [
            ("mainstay://state", Address::State),
            ("mainstay://state/", Address::State),
            ("mainstay://tasks", Address::Tasks),
            ("mainstay://history", history(None, None)),
            ("mainstay://history?", history(None, None)),
            ("mainstay://history?since=17", history(Some("17"), None)),
            ("mainstay://history?since=&space=upgrade%2fx", history(None, Some("upgrade/x"))),
            ("mainstay://history?space=msd&since=2h", history(Some("2h"), Some("msd"))),
            ("mainstay://records/upgrade/dotnet", Address::Records { space: "upgrade/dotnet".into() }),
            ("mainstay://records/msd%2F%C3%A9", Address::Records { space: "msd/é".into() }),
            ("mainstay://hseos/STATE.md", of("hseos", "STATE.md")),
            ("mainstay://hseos/../../etc/passwd", of("hseos", "../../etc/passwd")),
        ] {
            assert_eq!(Address::read(uri).unwrap(), expected, "{uri}");
        }
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let long = format!("mainstay://records/{}", "x".repeat(LONGEST));
        for (uri, code) in [
            ("", "resource_not_found"),
            ("file:///etc/passwd", "resource_not_found"),
            ("mainstay://", "resource_not_found"),
            ("mainstay://nothing", "resource_not_found"),
            ("mainstay://state?x=1", "resource_not_found"),
            ("mainstay://history?limit=1", "invalid_argument"),
            ("mainstay://history?since=%zz", "invalid_argument"),
            ("mainstay://history?since=%4", "invalid_argument"),
            ("mainstay://records/%ff", "invalid_argument"),
            (&long, "invalid_argument"),
        ] {
            assert_eq!(Address::read(uri).unwrap_err().code, code, "{uri}");
        }
    }

    #[test]
    fn an_entry_is_about_its_space_and_what_stands_above() {
        let about = |uri: &str, space: &str| Address::read(uri).unwrap().is_about(&Space::new(space));
        for (uri, space, expected) in [
            ("mainstay://state", "hseos", true),
            ("mainstay://history?since=3", "msd/api", true),
            ("mainstay://history?space=msd", "msd/api", true),
            ("mainstay://history?space=msd", "hseos", false),
            ("mainstay://records/upgrade/x", "upgrade/x", true),
            ("mainstay://records/upgrade/x", "upgrade/xy", false),
            ("mainstay://hseos/STATE.md", "hseos", true),
            ("mainstay://hseos/STATE.md", "eneo", false),
        ] {
            assert_eq!(about(uri, space), expected, "{uri} {space}");
        }
    }
}
