//! Answers beside docs/openapi.json: what is not described there must not come.

use std::sync::OnceLock;

use serde_json::Value;

use super::Answer;

/// The description.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(include_str!("../../docs/openapi.json")).unwrap())
}

/// Panics if an answer is not as described: its status, its type, its fields.
pub fn check(method: &str, path: &str, answer: &Answer) {
    let plain = path.split('?').next().unwrap();
    let operation = &document()["paths"][plain][method.to_lowercase()];
    // What is not there at all is answered by an error.
    let schema = if operation.is_null() {
        if answer.status == 200 {
            return;
        }
        &document()["components"]["schemas"]["Error"]
    } else {
        let described = &operation["responses"][answer.status.to_string()];
        let described = &described["content"];
        assert!(described.is_object(), "{method} {path}: status {} is not described", answer.status);
        let kind = answer.header("content-type").unwrap().split(';').next().unwrap();
        let schema = &described[kind]["schema"];
        assert!(schema.is_object(), "{method} {path}: {kind} is not described");
        if kind != "application/json" {
            return;
        }
        schema
    };
    if method == "HEAD" {
        return;
    }
    if let Err(trouble) = fits(schema, &answer.json()) {
        panic!("{method} {path}: {trouble}\n{}", answer.body);
    }
}

/// Whether a value is as a schema says; if not, where it is otherwise.
fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').ok_or("a reference to elsewhere")?;
        let schema = document().pointer(pointer).ok_or_else(|| format!("{name} is not there"))?;
        return fits(schema, value);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let troubles: Vec<String> = choices.iter().filter_map(|choice| fits(choice, value).err()).collect();
        if troubles.len() + 1 == choices.len() {
            return Ok(());
        }
        return Err(format!(
            "{} of {} fit: {}",
            choices.len() - troubles.len(),
            choices.len(),
            troubles.join("; or ")
        ));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    match &schema["type"] {
        Value::Array(kinds) if kinds.iter().any(is) => {}
        wanted if is(wanted) => {}
        wanted => return Err(format!("{value} is {kind}, not {wanted}")),
    }
    if let Some(known) = schema["enum"].as_array()
        && !known.contains(value)
    {
        return Err(format!("{value} is not in {known:?}"));
    }
    if let Some(number) = value.as_f64() {
        let beyond = |name: &str, by: fn(&f64, &f64) -> bool| {
            schema[name].as_f64().is_some_and(|end| by(&number, &end))
        };
        if beyond("minimum", f64::lt) || beyond("maximum", f64::gt) {
            return Err(format!("{value} is out of its range"));
        }
    }
    if let Value::Array(items) = value {
        let count = items.len() as u64;
        if schema["minItems"].as_u64().is_some_and(|least| count < least)
            || schema["maxItems"].as_u64().is_some_and(|most| count > most)
        {
            return Err(format!("{count} items"));
        }
        for (at, item) in items.iter().enumerate() {
            fits(&schema["items"], item).map_err(|trouble| format!("[{at}]: {trouble}"))?;
        }
    }
    if let Value::Object(fields) = value {
        let known = &schema["properties"];
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap()) {
                return Err(format!("{name} is left out"));
            }
        }
        for (name, field) in fields {
            let schema = match (&known[name], &schema["additionalProperties"]) {
                (Value::Null, Value::Object(_)) => &schema["additionalProperties"],
                // Described as any object.
                (Value::Null, Value::Null) => continue,
                (Value::Null, _) => return Err(format!("{name:?} is not described")),
                (known, _) => known,
            };
            fits(schema, field).map_err(|trouble| format!("{name}: {trouble}"))?;
        }
    }
    Ok(())
}
