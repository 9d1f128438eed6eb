//! Connections: how many, how long, and how they end.

use std::io;
use std::pin::pin;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time;

use super::routes;
use super::state::Server;
use crate::cli::failure::INTERRUPTED;

/// Connections at once, at most; more wait to be accepted.
const CONNECTIONS: usize = 512;

/// How long the head of a request may take, from the end of the answer before it on.
const HEAD: Duration = Duration::from_secs(15);

/// How long a connection is used; a client that does not read its answers holds it no longer.
const LONGEST: Duration = Duration::from_secs(300);

/// How long requests have to be answered after the server was told to stop.
const LAST: Duration = Duration::from_secs(10);

/// What ends the server.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

/// Listens for ^C and SIGTERM from now on.
///
/// # Errors
/// If the system refuses.
pub fn stop_signals() -> io::Result<Stop> {
    Ok(Stop { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
}

impl Stop {
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// How many connections there may be at once. Half of the files that the process may have open are left
/// for tables and for what the system needs: who has too many connections must not be told that tables
/// cannot be read.
fn connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let half = files.map_or(CONNECTIONS, |files| usize::try_from(files / 2).unwrap_or(CONNECTIONS));
    half.clamp(1, CONNECTIONS)
}

/// Serves until it is told to stop, and all that was asked by then is answered. Told a second
/// time, the process ends.
pub async fn serve(listener: TcpListener, server: &Arc<Server>, mut stop: Stop) {
    let room = Arc::new(Semaphore::new(connections()));
    let service = routes::all(server);
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = stop.asked() => break,
        };
        let Some((stream, place)) = accepted else { continue };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            // Who has said all he wants to say still waits for the answer.
            .half_close(true)
            .max_buf_size(1 << 16)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service.clone()));
        let connection = graceful.watch(connection);
        let server = Arc::clone(server);
        tokio::spawn(async move {
            let _open = server.metrics.connection();
            let _place: OwnedSemaphorePermit = place;
            // Whatever the other side did wrong ends its connection and nothing else.
            let _ = time::timeout(LONGEST, connection).await;
        });
    }
    drop(listener);
    let mut last = pin!(time::timeout(LAST, graceful.shutdown()));
    tokio::select! {
        _ = &mut last => {}
        () = stop.asked() => process::exit(INTERRUPTED.into()),
    }
}

/// The next connection, as soon as there is room for one.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Answers are small and waited for. If it cannot be had, they are slower.
            let _ = stream.set_nodelay(true);
            Some((stream, place))
        }
        Err(_) => {
            // The other side is gone already, or the process has too many files open: soon it may not.
            time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
