//! How long an engine may think about a move.

use std::time::Duration;

/// What is said after `go`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// A time for each move.
    MoveTime(Duration),
    /// A depth of the search, in plies.
    Depth(u32),
    /// Boards to look at.
    Nodes(u64),
}

impl Limit {
    /// The command.
    pub fn go(self) -> String {
        match self {
            Limit::MoveTime(time) => format!("go movetime {}", time.as_millis()),
            Limit::Depth(depth) => format!("go depth {depth}"),
            Limit::Nodes(nodes) => format!("go nodes {nodes}"),
        }
    }
}

/// The options that say it.
#[derive(clap::Args)]
pub struct LimitOptions {
    /// Milliseconds to think about a move [default: 100]
    #[arg(long, value_name = "MS", conflicts_with_all = ["depth_limit", "nodes"],
        value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    movetime: Option<u64>,
    /// Search to a depth of N plies instead
    #[arg(long = "search-depth", alias = "depth", id = "depth_limit", value_name = "N", conflicts_with = "nodes",
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    depth: Option<u32>,
    /// Look at N boards instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seconds to wait for an answer, above the time to think, before an engine is given up as hung
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    patience: u64,
}

impl LimitOptions {
    /// The limit of each move.
    pub fn limit(&self) -> Limit {
        match (self.depth, self.nodes) {
            (Some(depth), _) => Limit::Depth(depth),
            (_, Some(nodes)) => Limit::Nodes(nodes),
            _ => Limit::MoveTime(Duration::from_millis(self.movetime.unwrap_or(100))),
        }
    }

    /// How long to wait besides.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}
