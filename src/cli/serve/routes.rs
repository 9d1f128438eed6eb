//! Which path is answered by what, and what is true of every answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::time;

use super::state::Server;
use super::trouble::Trouble;
use super::{api, page, work};

/// The paths, as they are named in what is counted. There are no others.
const PATHS: [&str; 13] = [
    "/",
    "/tables",
    "/healthz",
    "/metrics",
    "/api/v1/openapi.json",
    "/api/v1/position",
    "/api/v1/probe",
    "/api/v1/line",
    "/api/v1/grade",
    "/api/v1/tables",
    "/api/v1/depths",
    "/page",
    "other",
];

/// The whole server.
pub fn all(server: &Arc<Server>) -> Router {
    let mut router = Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/metrics", get(metrics))
        .merge(api::routes());
    for file in page::FILES {
        router = router.route(file.path, get(async || file.answer()));
    }
    router
        .fallback(async || Trouble::new(StatusCode::NOT_FOUND, "not-found", "there is nothing of this name."))
        .method_not_allowed_fallback(async || {
            let message = "this cannot be asked in this way: see the header Allow.";
            Trouble::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message)
        })
        .layer(DefaultBodyLimit::max(work::BODY_BYTES))
        .layer(from_fn_with_state(Arc::clone(server), around))
        .with_state(Arc::clone(server))
}

async fn metrics(State(server): State<Arc<Server>>) -> Result<Response, Trouble> {
    let text = server.metrics.text(server.started.elapsed()).map_err(|_| Trouble::internal())?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// Bounds, counts and headers around every answer.
async fn around(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = route(request.uri().path());
    let mut response = match server.work.request() {
        // Who watches the server is answered when it is busy, too.
        Err(_) if matches!(route, "/healthz" | "/metrics") => next.run(request).await,
        Err(busy) => busy.into_response(),
        Ok(_room) => match time::timeout(work::ANSWER + Duration::from_secs(5), next.run(request)).await {
            Ok(response) => response,
            Err(_) => Trouble::too_long().into_response(),
        },
    };
    secure(response.headers_mut());
    server.metrics.answered(route, response.status().as_u16(), begun.elapsed());
    response
}

fn route(path: &str) -> &'static str {
    let path = if path.starts_with("/page/") { "/page" } else { path };
    PATHS.into_iter().find(|&known| known == path).unwrap_or("other")
}

/// Headers that keep a browser from doing what no answer of ours asks for. No other site may read
/// the answers: there is no header that says so.
const SECURE: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

fn secure(headers: &mut HeaderMap) {
    for (name, value) in SECURE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Tables may be built, replaced or damaged at any time; so may the program.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
}
