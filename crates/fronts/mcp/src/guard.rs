//! Who may ask over HTTP, and in which form: pure checks on a request's head.
//!
//! A server on loopback can be reached by every web page that its user opens. `Host` is checked
//! because a page can point its own name at 127.0.0.1 (DNS rebinding); `Origin` and the content type
//! because a page can post to any address; the token because a port may be open to the network.
//! Names are compared as whole texts with a list made at the start: nothing is parsed out of what a
//! client sent but an IP address in its one canonical form.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use http::{HeaderValue, StatusCode, Uri};
use mutants::planted;
use subtle::ConstantTimeEq;

use crate::{HttpOptions, ServeError, message};

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// The `Host` is none of ours, absent, or there are several.
    Host,
    /// The `Origin` is not on the list.
    Origin,
    /// The token is wrong, absent, or there are several.
    Token,
    /// Nothing stands at this path.
    Path,
    /// The path does not know the method; the one it knows.
    Method(&'static str),
    /// The client does not take JSON.
    Accept,
    /// The client asks for a stream and does not take events.
    AcceptEvents,
    /// There is no such session.
    Session,
    /// The body is not declared as JSON.
    ContentType,
    /// The `MCP-Protocol-Version` is none that is spoken here.
    ProtocolVersion,
    /// The body has more than [`message::MAX_BYTES`].
    TooLarge,
    /// The body did not come in time.
    Slow,
    /// The body broke off.
    Broken,
    /// The server has been asked to stop.
    Stopping,
}

impl Denied {
    /// The HTTP status, the code and the sentence of the error object.
    pub(crate) fn answer(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Host => (StatusCode::FORBIDDEN, "foreign_host", "the Host is not this server's"),
            Self::Origin => (StatusCode::FORBIDDEN, "foreign_origin", "the Origin is not allowed"),
            Self::Token => (StatusCode::UNAUTHORIZED, "unauthorized", "a bearer token is needed"),
            Self::Path => (StatusCode::NOT_FOUND, "not_found", "nothing stands here: see /mcp and /health"),
            Self::Method(_) => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "not with this method"),
            Self::Accept => (StatusCode::NOT_ACCEPTABLE, "not_acceptable", "answers are application/json"),
            Self::AcceptEvents => (StatusCode::NOT_ACCEPTABLE, "not_acceptable", "a stream is text/event-stream"),
            Self::Session => (StatusCode::NOT_FOUND, "session_not_found", "there is no such session: initialize again"),
            Self::ContentType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "a body must be application/json")
            }
            Self::ProtocolVersion => (
                StatusCode::BAD_REQUEST,
                "unsupported_protocol_version",
                "this MCP-Protocol-Version is not spoken here",
            ),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", "a body has at most 1 MiB"),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "timeout", "the body did not come in time"),
            Self::Broken => (StatusCode::BAD_REQUEST, "bad_request", "the body broke off"),
            Self::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server is stopping"),
        }
    }
}

/// The lists and the token of one server.
pub(crate) struct Guard {
    /// `127.0.0.1:3100`, lower case.
    hosts: Vec<String>,
    /// `http://127.0.0.1:3100`, lower case.
    origins: Vec<String>,
    /// The port, when the server listens on every address of the machine.
    every_address: Option<u16>,
    token: Option<String>,
}

impl Guard {
    /// The guard of a server that listens on `bound`.
    ///
    /// **Errors**: what [`check`] refuses.
    pub(crate) fn new(bound: SocketAddr, options: &HttpOptions) -> Result<Self, ServeError> {
        check(options)?;
        let port = bound.port();
        let mut names = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        if !bound.ip().is_unspecified() {
            names.push(match bound.ip() {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            });
        }
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.append(&mut names);
        }
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        origins.extend(options.allow_origins.iter().filter_map(|text| origin(text)));
        Ok(Self {
            hosts,
            origins,
            every_address: bound.ip().is_unspecified().then_some(port),
            token: options.token.as_deref().map(|token| bare(token).to_owned()),
        })
    }

    /// Checks `Host` and `Origin`: before anything else, on every path.
    pub(crate) fn check_source(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Denied> {
        let host = single(headers, &HOST, Denied::Host)?.ok_or(Denied::Host)?;
        let target = uri.authority().map(http::uri::Authority::as_str);
        if !self.knows_host(host) || target.is_some_and(|target| !self.knows_host(target)) {
            return Err(Denied::Host);
        }
        match single(headers, &ORIGIN, Denied::Origin)? {
            Some(origin) if !self.knows_origin(origin) => Err(Denied::Origin),
            _ => Ok(()),
        }
    }

    /// Checks the bearer token, in a time that does not depend on where it differs.
    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = single(headers, &AUTHORIZATION, Denied::Token)?.ok_or(Denied::Token)?;
        let (scheme, given) = given.split_once(' ').ok_or(Denied::Token)?;
        let equal: bool = given.trim().as_bytes().ct_eq(token.as_bytes()).into();
        if scheme.eq_ignore_ascii_case("bearer") && equal { Ok(()) } else { Err(Denied::Token) }
    }

    /// Whether the server is known under this name and port.
    ///
    /// A server on every address of the machine also answers to any IP address with its port: only a name can be
    /// pointed elsewhere by its owner, an address cannot.
    fn knows_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host) || self.every_address.is_some_and(|port| is_address(&host, port))
    }

    fn knows_origin(&self, origin: &str) -> bool {
        // An empty list that checks nothing is the default of the library beneath.
        if planted("empty_origin_list") {
            return true;
        }
        self.origins.contains(&origin.to_ascii_lowercase())
    }
}

/// Refuses options under which no server may start.
pub(crate) fn check(options: &HttpOptions) -> Result<(), ServeError> {
    match &options.token {
        Some(token) if token.trim().is_empty() => return Err(ServeError::TokenEmpty),
        Some(token) if !bare(token).bytes().all(|byte| byte.is_ascii_graphic()) => {
            return Err(ServeError::TokenInvalid);
        }
        None if !options.address.ip().is_loopback() => return Err(ServeError::TokenRequired(options.address)),
        _ => {}
    }
    let wrong = options.allow_origins.iter().find(|text| origin(text).is_none());
    wrong.map_or(Ok(()), |text| Err(ServeError::InvalidOrigin(text.clone())))
}

/// A token without the line break that ends its file.
fn bare(token: &str) -> &str {
    let token = token.strip_suffix('\n').unwrap_or(token);
    token.strip_suffix('\r').unwrap_or(token)
}

/// Checks that a body is declared as JSON and is not too long by its own word.
pub(crate) fn check_body_head(headers: &HeaderMap) -> Result<(), Denied> {
    let declared = single(headers, &CONTENT_TYPE, Denied::ContentType)?.ok_or(Denied::ContentType)?;
    if !essence(declared).eq_ignore_ascii_case("application/json") {
        return Err(Denied::ContentType);
    }
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > message::MAX_BYTES as u64) { Err(Denied::TooLarge) } else { Ok(()) }
}

/// Checks that the client takes JSON, the usual form of an answer; one that says nothing takes anything.
pub(crate) fn check_accept(headers: &HeaderMap) -> Result<(), Denied> {
    let takes_json = !headers.contains_key(ACCEPT) || takes(headers, ["application/json", "application/*", "*/*"]);
    if takes_json { Ok(()) } else { Err(Denied::Accept) }
}

/// Whether the client says that it takes events.
pub(crate) fn takes_events(headers: &HeaderMap) -> bool {
    takes(headers, ["text/event-stream", "text/*", "*/*"])
}

fn takes(headers: &HeaderMap, ranges: [&str; 3]) -> bool {
    let listed = headers.get_all(ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|range| {
        let refused =
            range.split(';').skip(1).any(|part| matches!(part.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        !refused && ranges.iter().any(|one| essence(range).eq_ignore_ascii_case(one))
    })
}

/// An origin in the form in which browsers send it, lower case and without the scheme's own port.
///
/// **Shape**: `https://app.example`, `http://localhost:5173`; not `null`, nothing with `*`, a path or a user.
fn origin(text: &str) -> Option<String> {
    if text.contains(['*', '@']) {
        return None;
    }
    let uri: Uri = text.parse().ok()?;
    let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?.as_str().to_ascii_lowercase());
    let bare = matches!(uri.path(), "" | "/") && uri.query().is_none() && !text.contains('#');
    let default_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
    (bare && !authority.is_empty()).then(|| format!("{scheme}://{authority}"))
}

/// Whether `host` is an IP address in canonical form, with this port.
fn is_address(host: &str, port: u16) -> bool {
    let port = format!(":{port}");
    let Some(address) = host.strip_suffix(port.as_str()) else {
        return false;
    };
    match address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(v6) => v6.parse::<Ipv6Addr>().is_ok(),
        None => address.parse::<Ipv4Addr>().is_ok(),
    }
}

/// The one value of a header; `otherwise` for several, and for what is no text.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName, otherwise: Denied) -> Result<Option<&'a str>, Denied> {
    let mut values = headers.get_all(name).into_iter();
    match (values.next().map(HeaderValue::to_str), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(text)), None) => Ok(Some(text)),
        _ => Err(otherwise),
    }
}

fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}
