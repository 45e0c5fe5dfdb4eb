//! Every kind with what it hits and what it leaves alone.

use serde_json::json;

use super::*;

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

mod properties {
    use proptest::prelude::*;

    use super::super::*;

    proptest! {
        #[test]
        fn any_text_can_be_masked(text in "(?s)(sk-|AKIA|eyJ|ghp_|://|:|=|@|-----BEGIN |PRIVATE KEY-----|TOKEN|.){0,40}") {
            let masked = masked(&text).into_owned();
            prop_assert_eq!(refused_secret(&masked), None);
        }
    }
}
