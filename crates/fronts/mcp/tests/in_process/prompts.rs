//! Prompts and completions, as the protocol has them.

use model::Value;

use super::raw::Running;

fn ask(server: &Running, method: &str, params: &str) -> Value {
    server.post(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)).json()
}

#[test]
fn prompts_are_listed_with_their_arguments() {
    let server = Running::plain();
    let listed = ask(&server, "prompts/list", "{}")["result"]["prompts"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["resume", "handoff", "plan-next"]);
    assert_eq!(listed[0]["arguments"][0]["name"], "agent");
    assert_eq!(listed[0]["arguments"][0]["required"], false);
    for prompt in listed.as_array().unwrap() {
        assert!(!prompt["title"].as_str().unwrap().is_empty());
        assert!(!prompt["description"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_prompt_is_one_message_of_the_persons() {
    let server = Running::plain();
    let params = r#"{"name":"resume","arguments":{"agent":"GHOST"},"_meta":{"actor":"KANE"}}"#;
    assert_eq!(
        ask(&server, "prompts/get", params)["result"].to_string(),
        concat!(
            r#"{"description":"As asked.","messages":[{"role":"user","content":{"type":"text","#,
            r#""text":"{\"agent\":\"GHOST\"} Some(\"KANE\")"}}]}"#
        )
    );
    let unknown = ask(&server, "prompts/get", r#"{"name":"nope"}"#)["error"].clone();
    assert_eq!((unknown["code"].as_i64(), unknown["data"]["field"].as_str()), (Some(-32602), Some("name")));
    assert_eq!(ask(&server, "prompts/get", r#"{"name":7}"#)["error"]["code"], -32602);
}

#[test]
fn values_are_completed() {
    let server = Running::plain();
    let complete = |reference: &str| {
        let params = format!(r#"{{"ref":{reference},"argument":{{"name":"agent","value":"GH"}}}}"#);
        ask(&server, "completion/complete", &params)
    };
    let completed = complete(r#"{"type":"ref/prompt","name":"resume"}"#)["result"].clone();
    assert_eq!(completed.to_string(), r#"{"completion":{"values":["agent=GH"],"total":7,"hasMore":true}}"#);
    let unknown = complete(r#"{"type":"ref/resource","uri":"mainstay://nothing/{x}"}"#)["error"].clone();
    assert_eq!((unknown["code"].as_i64(), unknown["data"]["field"].as_str()), (Some(-32602), Some("ref")));
    assert_eq!(complete(r#"{"type":"ref/other"}"#)["error"]["code"], -32602);
}
