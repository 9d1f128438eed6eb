//! `awari serve`

mod api;
mod held;
mod listen;
mod metrics;
mod page;
mod routes;
mod state;
mod trouble;
mod work;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use awari::tablebase::State;
use tokio::net::TcpListener;
use tokio::runtime;

use super::style::Style;
use super::{Failure, RulesOption, start_threads};
use state::Server;

/// A page in the browser and an HTTP interface for programs
///
/// The page shows a board, what each move is worth, best lines, what the moves of a recorded game
/// cost, and the tables that are there. Programs ask below /api/v1; docs/http.md and
/// /api/v1/openapi.json describe it. Nothing is fetched from elsewhere, and no file is ever written.
///
/// Once it listens it prints its address. ^C or SIGTERM ends it: requests that are being answered are
/// finished first. The exit code is 0 then.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    bind: SocketAddr,
    /// Allow an address that other machines can reach
    #[arg(long)]
    public: bool,
    #[command(flatten)]
    rules: RulesOption,
}

const EXAMPLES: &str = "\
Examples:
  awari serve                                      then open http://127.0.0.1:8080
  awari serve --bind 127.0.0.1:0 --rules abapa
  awari serve --bind 0.0.0.0:80 --public --dir /data/awari
  curl 'http://127.0.0.1:8080/api/v1/probe?board=0+0+1+0+0+2+/+1+2+0+0+1+0'

--rules are those of requests that name none; the tables of all rule sets are served.";

impl Serve {
    /// Runs the command.
    ///
    /// # Errors
    /// If the address cannot be used, or the directory cannot be read.
    pub fn run(self, dir: &Path) -> Result<(), Failure> {
        if !self.bind.ip().is_loopback() && !self.public {
            return Err(Failure::usage(format_args!(
                "--bind {}: other machines can reach that address. If that is meant, add --public.",
                self.bind
            )));
        }
        let server = Arc::new(Server::new(dir, self.rules.rules).map_err(Failure::new)?);
        start_threads()?;
        let runtime = runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::new(format_args!("cannot start the threads: {error}.")))?;
        let ended = runtime.block_on(async {
            let failed = |error: io::Error| {
                Failure::new(format_args!(
                    "--bind {}: cannot listen there: {error}. Choose another port, or 0 for a free one.",
                    self.bind
                ))
            };
            let listener = TcpListener::bind(self.bind).await.map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            let stop = listen::stop_signals()
                .map_err(|error| Failure::new(format_args!("cannot listen for ^C: {error}.")))?;
            announce(&server, address).map_err(|error| Failure::output(&error))?;
            listen::serve(listener, &server, stop).await;
            Ok(())
        });
        // Nobody waits for what is still being computed.
        runtime.shutdown_background();
        ended
    }
}

/// Reads `--bind`.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let local = text.strip_prefix("localhost").unwrap_or_default();
        let like = format!("127.0.0.1{}", if local.starts_with(':') { local } else { ":8080" });
        format!("expected the number of an address and a port, like {like}, [::1]:8080 or 0.0.0.0:80")
    })
}

/// Prints the address, and says so if there is nothing to answer from.
fn announce(server: &Server, address: SocketAddr) -> io::Result<()> {
    let tables = server.held(server.rules).tables();
    if !tables.found().iter().any(|found| matches!(found.state, State::Usable)) {
        let (rules, dir) = (server.rules, tables.directory().display());
        let _ = Style::stderr().error(&format!(
            "no tables of rules {rules} in {dir}. Build some, for example with awari build --stones 12 \
             --rules {rules}: they are found while this server runs."
        ));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "http://{address}/")?;
    out.flush()
}
