//! What is counted, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of times, in seconds.
const CLASSES: [f64; 9] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0];

/// The counts.
#[derive(Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<&'static str, Route>>,
    connections: AtomicI64,
    positions: AtomicU64,
    damaged: AtomicU64,
}

#[derive(Default)]
struct Route {
    statuses: BTreeMap<u16, u64>,
    classes: [u64; CLASSES.len()],
    count: u64,
    seconds: f64,
}

/// A connection, as long as it is open.
pub struct Connection<'a>(&'a AtomicI64);

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// A request that was answered.
    pub fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let route = routes.entry(route).or_default();
        *route.statuses.entry(status).or_default() += 1;
        let seconds = took.as_secs_f64();
        if let Some(class) = CLASSES.iter().position(|&end| seconds <= end) {
            route.classes[class] += 1;
        }
        route.count += 1;
        route.seconds += seconds;
    }

    /// A connection that was opened.
    pub fn connection(&self) -> Connection<'_> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connection(&self.connections)
    }

    /// Positions that were probed.
    pub fn probed(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    /// A question that met a damaged table.
    pub fn damaged(&self) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
    }

    /// All of it.
    ///
    /// # Errors
    /// None: the text grows in memory.
    pub fn text(&self, up: Duration) -> Result<String, fmt::Error> {
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}")
        };
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        head(&mut text, "awari_http_requests_total", "counter", "Requests answered.")?;
        for (route, counts) in routes.iter() {
            for (status, count) in &counts.statuses {
                writeln!(text, "awari_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}")?;
            }
        }
        head(&mut text, "awari_http_request_seconds", "histogram", "Time to the answer.")?;
        for (route, counts) in routes.iter() {
            let mut so_far = 0;
            for (end, count) in CLASSES.iter().zip(&counts.classes) {
                so_far += count;
                writeln!(
                    text,
                    "awari_http_request_seconds_bucket{{route=\"{route}\",le=\"{end}\"}} {so_far}"
                )?;
            }
            let Route { count, seconds, .. } = counts;
            writeln!(text, "awari_http_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}")?;
            writeln!(text, "awari_http_request_seconds_sum{{route=\"{route}\"}} {seconds}")?;
            writeln!(text, "awari_http_request_seconds_count{{route=\"{route}\"}} {count}")?;
        }
        let single = [
            (
                "awari_connections",
                "gauge",
                "Connections open.",
                self.connections.load(Ordering::Relaxed) as f64,
            ),
            (
                "awari_positions_total",
                "counter",
                "Positions probed.",
                self.positions.load(Ordering::Relaxed) as f64,
            ),
            (
                "awari_damaged_total",
                "counter",
                "Questions that met a damaged table.",
                self.damaged.load(Ordering::Relaxed) as f64,
            ),
            ("awari_up_seconds", "gauge", "Time since the start.", up.as_secs_f64()),
        ];
        for (name, kind, help, value) in single {
            head(&mut text, name, kind, help)?;
            writeln!(text, "{name} {value}")?;
        }
        Ok(text)
    }
}
