//! Every kind with what it hits and what it leaves alone.

use std::cell::Cell;

use serde_json::json;

use super::*;

thread_local! {
    /// How many bytes the matchers looked at.
    pub(super) static LOOKED: Cell<usize> = const { Cell::new(0) };
}

/// `text` with what is to be masked between `«` and `»`.
fn check(kind: &str, marked: &str) {
    let text = marked.replace(['«', '»'], "");
    let shown = format!("[redacted:{kind}]");
    let parts = marked.split(['«', '»']).enumerate();
    let expected: String = parts.map(|(index, part)| if index % 2 == 0 { part } else { &shown }).collect();
    assert_eq!(masked(&text), expected, "{kind}: {text:?}");
    let refuses = RULES.iter().any(|rule| rule.kind == kind && rule.refuses);
    assert_eq!(refused_secret(&text), (refuses && marked.contains('«')).then_some(kind), "{text:?}");
}

#[test]
fn keys_of_services() {
    let (n36, n20) = ("a1".repeat(18), "B_".repeat(10));
    check("aws-key", "key «AKIAIOSFODNN7EXAMPLE», «ASIAIOSFODNN7EXAMPLE»");
    check("aws-key", "AKIA-42 AKIAIOSFODNN7EXAMPLEX xAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLe");
    check("aws-key", "子«AKIAIOSFODNN7EXAMPLE»子");
    check("github", &format!("«ghp_{n36}» and «ghs_{n36}»."));
    check("github", &format!("ghp_x ghx_{n36} aghp_{n36} ghp_{n36}_ ghp_{}", "a".repeat(256)));
    check("github", &format!("«github_pat_{n20}{n20}»-"));
    check("github", &format!("github_pat_{}", &n36[..29]));
    check("gitlab", &format!("«glpat-{n20}-x» glpat-short"));
    check("slack", "«xoxb-1234567890» xoxb-1 xoxz-1234567890 xox");
    check("stripe", &format!("«sk_test_{n36}» sk_test_mode rk_live_short rk_live_{n36}_"));
    check("google", &format!("AIzaSyA1 «AIza{}»-more", "x-_".repeat(11) + "yz"));
    check("google", &format!("AIza{}", "y".repeat(34)));
}

#[test]
fn keys_of_models_and_packages() {
    let n20 = "a-".repeat(10);
    for maker in ["proj", "svcacct", "ant-api03", "ant-admin01", "or-v1"] {
        check("llm-key", &format!("(«sk-{maker}-{n20}»)"));
        check("llm-key", &format!("sk-{maker}-{}", &n20[..19]));
    }
    check("llm-key", &format!("«sk-{}»-", "a".repeat(32)));
    check("llm-key", &format!("«sk-{}», sk-{}", "projX".repeat(7), "a".repeat(31)));
    check("llm-key", &format!("task sk-1, my-sk-widget, risk-free, x-sk-{}", "a".repeat(40)));
    check("package", &format!("«npm_{0}» npm_config npm_{0}x npm_{0}_", "a".repeat(36)));
    check("package", &format!("«pypi-{}» pypi-short", "a".repeat(50)));
    check("package", &format!("«hf_{0}» hf_{0}_ hf_x", "a".repeat(30)));
}

#[test]
fn tokens_and_private_keys() {
    let part = "a_-4567890";
    check("jwt", &format!("«eyJ{part}.eyJ{part}.{part}».x eyJ.a.b eyJ{part}.eyJ{part} eyJ{part}.eyJ{part}.short"));
    check("jwt", &format!("eyJ{part}.xyJ{part}.{part}"));
    check("private-key", "a «-----BEGIN RSA PRIVATE KEY-----\nAA\n-----END RSA PRIVATE KEY-----» b");
    check("private-key", "«-----BEGIN PRIVATE KEY-----\n-----END CERTIFICATE-----\n");
    check("private-key", "«-----BEGIN OPENSSH PRIVATE KEY-----AA-----END PRIVATE KEY-----»-----END PRIVATE KEY-----");
    check("private-key", "-----BEGIN PUBLIC KEY----- -----BEGIN  PRIVATE KEY----- -----BEGIN PRIVATE KEY----");
    check("private-key", "-----BEGIN ecPRIVATE KEY-----");
}

#[test]
fn values_of_headers_urls_and_variables() {
    check("auth-header", "Authorization: Bearer «abcdefgh1», authorization :\tTOKEN  «abcdefg.»");
    check("auth-header", "Bearer authentication Authorization: Bearer short xauthorization: basic abcdefgh");
    check("auth-header", "Authorization: Digest abcdefgh Authorization: basicabcdefgh ñuthorization: basic abcdefgh");
    check("url-password", "postgres://u:«pw»@h, git+ssh://a.b:«c:d»@h");
    check("url-password", "https://h:8080/ https://u:p/@h https://:p@h https://u:@h X://u:p@h Xa://u:p@h");
    check("env-secret", "DB_PASSWORD=«hunter2hunter2» API_KEY='«12345678»' APIKEY=\"«éééééééé»\"");
    check(
        "env-secret",
        "TOKEN=$CI_TOKEN SECRET=<secret-name> myTOKEN=12345678 TOKEN=1234567 TOKENS=12345678 PASSWORD=",
    );
}

#[test]
fn rules_are_applied_in_order() {
    let token = format!("GH_TOKEN=ghp_{}", "a".repeat(36));
    assert_eq!(masked(&token), "GH_TOKEN=[redacted:env-secret]");
    assert!(RULES.iter().all(|rule| suspects(&format!("[redacted{}]", rule.kind)) == 0), "a marker starts no rule");
}

#[test]
fn what_is_masked_stays_masked() {
    for text in ["postgres://u:pw@h", "DB_PASSWORD=hunter2hunter2", "Authorization: Bearer abcdefgh1"] {
        let once = masked(text).into_owned();
        assert_ne!(once, text);
        assert_eq!(masked(&once), once);
        assert!(holds_marker(&once) && !holds_marker(text));
    }
    assert!(!holds_marker("[redacted:] [redacted:other] [redacted:jwt"));
}

#[test]
fn values_are_masked_text_by_text() {
    let key = "AKIAIOSFODNN7EXAMPLE";
    let mut value = json!({"a": [key, 1, null], key: {"AKIAIOSFODNN7EXAMPL2": true}, "ASIAIOSFODNN7EXAMPLE": 2});
    mask(&mut value);
    let marker = "[redacted:aws-key]";
    let second = format!("{marker} 2");
    assert_eq!(value, json!({"a": [marker, 1, null], marker: {marker: true}, second: 2}));
    let mut apart = json!(["-----BEGIN PRIVATE KEY-----", "kept"]);
    mask(&mut apart);
    assert_eq!(apart, json!(["[redacted:private-key]", "kept"]));
    let refusal = Refusal::refused("unknown_field", format!("no field {key}")).field(key).with("other", key);
    assert!(!format!("{:?}", masked_refusal(refusal)).contains(key));
}

/// How many bytes the matchers look at to mask a text.
fn looked(text: &str) -> usize {
    LOOKED.set(0);
    drop(masked(text));
    LOOKED.get()
}

#[test]
fn hostile_text_costs_a_bounded_number_of_looks_per_byte() {
    let check = |unit: &str, size: usize, behind: &str| {
        let text = unit.repeat(size / unit.len()) + behind;
        let looked = looked(&text);
        assert!(looked <= 8 * text.len(), "{looked} bytes looked at in {} of {unit:?}", text.len());
    };
    let clues: Vec<&str> = RULES.iter().flat_map(|rule| rule.clues).copied().collect();
    for clue in &clues {
        check(clue, 1 << 17, "");
    }
    let unfinished = [
        "AKIAAKIAAKIAAKIA-",
        "x-glpat-",
        "xoxb-",
        "x-xoxb-1",
        "sk-proj-",
        "pypi-pypi",
        "hf_hf_hf_hf_hf_hf_hf_hf_hf_-",
        "eyJ0123456789.",
        "eyJ0123456789.eyJ0123456789.",
        "-eyJ-eyJ0123456789",
        "authorization: bearer ",
        "authorization : ",
        "a://u:",
        "a://u:p@",
        "a.://",
        "TOKEN=",
        "TOKEN=$",
        "TOKEN='",
        "TOKEN=1234567 ",
        "_TOKEN=12345678=",
        "-----BEGIN PRIVATE KEY",
        "-----BEGIN PRIVATE KEY----------END ",
        " : ",
        "AIza0123456789012345678901234567890123-",
    ];
    let letters = "a".repeat(1 << 12);
    for unit in clues.into_iter().chain(unfinished) {
        for end in ["", "-", "x", "_", " ", "é"] {
            check(&format!("{unit}{end}"), 1 << 12, &letters);
        }
    }
}

#[test]
fn names_that_become_the_same_cost_no_search_each() {
    let name = |number: usize| format!("AKIA{number:016}");
    let mut members: Object = (0..20_000).map(|number| (name(number), number.into())).collect();
    mask_members(&mut members);
    assert_eq!(members.len(), 20_000);
    assert_eq!(members["[redacted:aws-key] 20000"], 19_999);
}

mod properties {
    use proptest::prelude::*;
    use regex_lite::{Captures, Regex};

    use super::super::*;

    /// The expressions of the rules, in their order; `^` as section 5 of the specification defines it.
    const EXPRESSIONS: [&str; 13] = [
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{30,255}\b",
        r"\bglpat-[A-Za-z0-9_-]{20,}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"(?<before>^|[^A-Za-z0-9_-])sk-(?:(?:proj|svcacct|ant-api03|ant-admin01|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})",
        r"\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{50,}|\bhf_[A-Za-z0-9]{30,}\b",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"(?s)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY-----|\z)",
        r"(?i)\b(?<before>authorization\s*:\s*(?:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{8,})",
        r"\b(?<before>[a-z][a-z0-9+.-]*://[^\s/:@]+:)([^\s/@]+)(?<behind>@)",
        r#"\b(?<before>[A-Z0-9_]*(?:PASSWORD|SECRET|TOKEN|API_?KEY)=["']?)([^\s"'&$<{][^\s"'&]{7,})"#,
    ];

    fn masked_by_expressions(expressions: &[Regex], text: &str) -> String {
        let mut text = text.to_owned();
        for (rule, expression) in RULES.iter().zip(expressions) {
            let shown = |found: &Captures<'_>| {
                let group = |name| found.name(name).map_or("", |group| group.as_str());
                format!("{}[redacted:{}]{}", group("before"), rule.kind, group("behind"))
            };
            text = expression.replace_all(&text, shown).into_owned();
        }
        text
    }

    /// Whether the name of a header stands where a header's value belongs.
    fn is_nested(text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(2).any(|pair| ["bearer", "token"].contains(&pair[0]) && pair[1].contains("authorization"))
    }

    /// Parts of secrets, whole ones, and what stands between them.
    fn texts() -> impl Strategy<Value = String> {
        let runs =
            prop_oneof!["[A-Z0-9]{16}", "[a-z0-9]{30,37}", "[A-Za-z0-9_-]{9,12}", "[a-z_-]{19,51}", "[ -~é]{0,3}"];
        let clues: Vec<&str> = RULES.iter().flat_map(|rule| rule.clues).copied().collect();
        let between = prop::sample::select(vec![
            "",
            " ",
            "-",
            "_",
            ".",
            "x",
            "é",
            "\n",
            "@",
            "/",
            ":",
            "'",
            "\"",
            "&",
            "$",
            "=",
            "b://u:",
            "PASSWORD=",
            "API_KEY='",
            "TOKEN",
            "Authorization: Bearer ",
            "authorization :\tTOKEN ",
            "proj-",
            "or-v1-",
            ".eyJ",
            "PRIVATE KEY-----",
            "RSA ",
            "-----END ",
            "-----",
        ]);
        let parts =
            prop_oneof![runs, prop::sample::select(clues).prop_map(str::to_owned), between.prop_map(str::to_owned)];
        prop::collection::vec(parts, 0..14).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn matchers_do_what_the_expressions_say(texts in prop::collection::vec(texts(), 8)) {
            thread_local! {
                static EXPRESSIONS_READ: Vec<Regex> = EXPRESSIONS.map(|text| Regex::new(text).unwrap()).to_vec();
            }
            for text in texts {
                // What follows such a name is masked here too; an expression would pass it over.
                if is_nested(&text) {
                    continue;
                }
                let expected = EXPRESSIONS_READ.with(|read| masked_by_expressions(read, &text));
                prop_assert_eq!(masked(&text), expected, "{:?}", text);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_masked(text in "(?s)(sk-|AKIA|eyJ|ghp_|://|:|=|@|-----BEGIN |PRIVATE KEY-----|TOKEN|.){0,40}") {
            let masked = masked(&text).into_owned();
            prop_assert_eq!(refused_secret(&masked), None);
        }
    }
}
