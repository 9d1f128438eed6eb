//! The page: every file of it is in the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A file of the page.
pub struct File {
    /// Where it is found.
    pub path: &'static str,
    kind: &'static str,
    text: &'static str,
}

impl File {
    /// The file, as an answer.
    pub fn answer(&self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.text).into_response()
    }
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal $kind:ident $file:literal)*) => {
        &[$(File { path: $path, kind: $kind, text: include_str!(concat!("page/", $file)) }),*]
    };
}

/// All files.
pub static FILES: &[File] = files! {
    "/" HTML "index.html"
    "/tables" HTML "tables.html"
    "/page/style.css" CSS "style.css"
    "/page/icon.svg" SVG "icon.svg"
    "/page/app.js" JS "app.js"
    "/page/board.js" JS "board.js"
    "/page/chart.js" JS "chart.js"
    "/page/dom.js" JS "dom.js"
    "/page/game.js" JS "game.js"
    "/page/moves.js" JS "moves.js"
    "/page/record.js" JS "record.js"
    "/page/server.js" JS "server.js"
    "/page/tables.js" JS "tables.js"
    "/page/words.js" JS "words.js"
};
