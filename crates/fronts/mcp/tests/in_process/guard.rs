//! Who may ask: the guard's tables.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{StatusCode, Uri};

use super::raw::loopback;
use crate::guard::{Denied, Guard, check, check_accept, check_body_head};
use crate::{HttpOptions, ServeError};

fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap());
    }
    map
}

fn guard(bound: &str, options: &HttpOptions) -> Guard {
    Guard::new(bound.parse().unwrap(), options).unwrap()
}

fn source(guard: &Guard, lines: &[(&str, &str)]) -> Result<(), Denied> {
    guard.check_source(&Uri::from_static("/mcp"), &headers(lines))
}

#[test]
fn the_host_must_be_ours_to_the_letter() {
    let guard = guard("127.0.0.1:3100", &loopback());
    for host in ["127.0.0.1:3100", "localhost:3100", "LocalHost:3100", "[::1]:3100"] {
        assert_eq!(source(&guard, &[("host", host)]), Ok(()), "{host}");
    }
    for host in [
        "",
        "evil.example",
        "evil.example:3100",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:3101",
        "localhost:80",
        "localhost.:3100",
        "127.0.0.1.:3100",
        "localhost.evil.example:3100",
        "127.0.0.1.evil.example:3100",
        "evil@localhost:3100",
        "localhost:3100@evil.example",
        "evil@127.0.0.1:3100",
        "2130706433:3100",
        "0x7f000001:3100",
        "0177.0.0.1:3100",
        "127.1:3100",
        "0.0.0.0:3100",
        "192.168.0.9:3100",
        "::1:3100",
        "[::ffff:127.0.0.1]:3100",
        "[0:0:0:0:0:0:0:1]:3100",
        "localhost:3100, evil.example",
        " localhost:3100",
        "http://localhost:3100",
    ] {
        assert_eq!(source(&guard, &[("host", host)]), Err(Denied::Host), "{host:?}");
    }
    assert_eq!(source(&guard, &[]), Err(Denied::Host));
    let twice = [("host", "localhost:3100"), ("host", "evil.example")];
    assert_eq!(source(&guard, &twice), Err(Denied::Host));
    let foreign_target = Uri::from_static("http://evil.example/mcp");
    assert_eq!(guard.check_source(&foreign_target, &headers(&[("host", "localhost:3100")])), Err(Denied::Host));
}

#[test]
fn the_usual_port_may_be_left_out() {
    let guard = guard("127.0.0.1:80", &loopback());
    for host in ["localhost", "localhost:80", "[::1]", "127.0.0.1"] {
        assert_eq!(source(&guard, &[("host", host), ("origin", "http://localhost")]), Ok(()), "{host}");
    }
}

#[test]
fn the_origin_must_be_on_the_list() {
    let allow = vec!["https://App.example/".to_owned(), "http://dev.example:80".to_owned()];
    let guard = guard("127.0.0.1:3100", &HttpOptions { allow_origins: allow, ..loopback() });
    let with = |origin: &str| source(&guard, &[("host", "localhost:3100"), ("origin", origin)]);
    for origin in [
        "http://127.0.0.1:3100",
        "http://localhost:3100",
        "http://[::1]:3100",
        "https://app.example",
        "http://dev.example",
    ] {
        assert_eq!(with(origin), Ok(()), "{origin}");
    }
    for origin in [
        "",
        "null",
        "*",
        "http://localhost",
        "http://localhost:3101",
        "https://localhost:3100",
        "http://localhost:3100/",
        "http://localhost:3100.evil.example",
        "http://evil.example",
        "https://app.example.evil.example",
        "http://app.example",
        "https://app.example:8443",
        "localhost:3100",
    ] {
        assert_eq!(with(origin), Err(Denied::Origin), "{origin:?}");
    }
    let twice = [("host", "localhost:3100"), ("origin", "http://localhost:3100"), ("origin", "http://evil.example")];
    assert_eq!(source(&guard, &twice), Err(Denied::Origin));
}

#[test]
fn an_open_address_needs_a_token_and_answers_to_addresses() {
    let open = |address: &str, token: Option<&str>| HttpOptions {
        address: address.parse().unwrap(),
        token: token.map(str::to_owned),
        ..loopback()
    };
    for address in ["0.0.0.0:3100", "[::]:3100", "192.168.0.9:3100"] {
        assert!(matches!(check(&open(address, None)), Err(ServeError::TokenRequired(_))), "{address}");
        assert!(check(&open(address, Some("secret"))).is_ok(), "{address}");
        assert!(matches!(check(&open(address, Some(" \n"))), Err(ServeError::TokenEmpty)), "{address}");
    }
    for address in ["127.0.0.1:3100", "127.9.9.9:3100", "[::1]:3100"] {
        assert!(check(&open(address, None)).is_ok(), "{address}");
        assert!(matches!(check(&open(address, Some(""))), Err(ServeError::TokenEmpty)), "{address}");
    }

    let one = guard("192.168.0.9:3100", &open("192.168.0.9:3100", Some("secret")));
    assert_eq!(source(&one, &[("host", "192.168.0.9:3100")]), Ok(()));
    assert_eq!(source(&one, &[("host", "192.168.0.10:3100")]), Err(Denied::Host));

    let every = guard("0.0.0.0:3100", &open("0.0.0.0:3100", Some("secret")));
    for host in ["192.168.0.9:3100", "[fe80::1]:3100", "localhost:3100"] {
        assert_eq!(source(&every, &[("host", host)]), Ok(()), "{host}");
    }
    for host in ["evil.example:3100", "3232235529:3100", "192.168.0.9", "192.168.0.9:3101", "192.168.000.9:3100"] {
        assert_eq!(source(&every, &[("host", host)]), Err(Denied::Host), "{host}");
    }
}

#[test]
fn an_allowed_origin_must_be_one() {
    for origin in
        ["null", "*", "https://*.example", "app.example", "https://app.example/x", "https://a@b", "", "https://"]
    {
        let options = HttpOptions { allow_origins: vec![origin.to_owned()], ..loopback() };
        let refused = check(&options).unwrap_err();
        assert_eq!(refused.code(), "invalid_argument", "{origin}");
    }
}

#[test]
fn the_token_is_asked_for_once_and_whole() {
    let guard = guard("127.0.0.1:3100", &HttpOptions { token: Some("s3cret\n".into()), ..loopback() });
    let with = |lines: &[(&str, &str)]| guard.check_token(&headers(lines));
    for value in ["Bearer s3cret", "bearer s3cret", "BEARER  s3cret"] {
        assert_eq!(with(&[("authorization", value)]), Ok(()), "{value}");
    }
    for value in ["", "Bearer", "Bearer ", "s3cret", "Bearer s3cre", "Bearer s3cret2", "Bearer S3CRET", "Basic s3cret"]
    {
        assert_eq!(with(&[("authorization", value)]), Err(Denied::Token), "{value:?}");
    }
    assert_eq!(with(&[]), Err(Denied::Token));
    let doubled = [("authorization", "Bearer s3cret"), ("authorization", "Bearer s3cret")];
    assert_eq!(with(&doubled), Err(Denied::Token));
}

#[test]
fn a_token_that_no_header_can_carry_is_refused() {
    for token in ["one\ntwo", "s3cret\n\n", "sécret", "s3\0cret", " s3cret", "two words", "tab\t", "del\x7f"] {
        let refused = check(&HttpOptions { token: Some(token.to_owned()), ..loopback() }).unwrap_err();
        assert_eq!(refused.code(), "config_invalid", "{token:?}");
    }
    for token in ["s3cret", "s3cret\n", "s3cret\r\n", "!~"] {
        assert!(check(&HttpOptions { token: Some(token.to_owned()), ..loopback() }).is_ok(), "{token:?}");
    }
}

#[test]
fn a_body_is_json_and_answers_are_too() {
    let body = |lines: &[(&str, &str)]| check_body_head(&headers(lines));
    assert_eq!(body(&[("content-type", "application/json")]), Ok(()));
    assert_eq!(body(&[("content-type", "Application/JSON; charset=utf-8")]), Ok(()));
    for wrong in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""] {
        assert_eq!(body(&[("content-type", wrong)]), Err(Denied::ContentType), "{wrong}");
    }
    assert_eq!(body(&[]), Err(Denied::ContentType));
    let twice = [("content-type", "text/plain"), ("content-type", "application/json")];
    assert_eq!(body(&twice), Err(Denied::ContentType));
    let long = |length| body(&[("content-type", "application/json"), ("content-length", length)]);
    assert_eq!(long("1048576"), Ok(()));
    assert_eq!(long("1048577"), Err(Denied::TooLarge));

    for taken in ["application/json", "application/json, text/event-stream", "*/*", "text/html, application/*;q=0.1"] {
        assert_eq!(check_accept(&headers(&[("accept", taken)])), Ok(()), "{taken}");
    }
    assert_eq!(check_accept(&headers(&[])), Ok(()));
    for refused in ["text/html", "text/event-stream", "application/json;q=0", ""] {
        assert_eq!(check_accept(&headers(&[("accept", refused)])), Err(Denied::Accept), "{refused}");
    }
}

#[test]
fn each_refusal_has_its_status() {
    assert_eq!(Denied::Host.answer().0, StatusCode::FORBIDDEN);
    assert_eq!(Denied::Origin.answer().0, StatusCode::FORBIDDEN);
    assert_eq!(Denied::Token.answer().0, StatusCode::UNAUTHORIZED);
    assert_eq!(Denied::ContentType.answer().0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(Denied::TooLarge.answer().0, StatusCode::PAYLOAD_TOO_LARGE);
}
