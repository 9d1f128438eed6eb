//! How much is done at once, and how long it may take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::{task, time};

use super::trouble::Trouble;

/// Requests that are being answered, at most; fewer than connections, so that who asks more is told.
const REQUESTS: usize = 256;

/// How long long work waits for its turn.
const TURN: Duration = Duration::from_secs(5);

/// How long an answer may take.
pub const ANSWER: Duration = Duration::from_secs(20);

/// How long the body of a request may take to arrive.
pub const BODY: Duration = Duration::from_secs(10);

/// Bytes of the body of a request, at most.
pub const BODY_BYTES: usize = 1 << 20;

/// What bounds the work.
pub struct Work {
    requests: Semaphore,
    long: Arc<Semaphore>,
}

impl Default for Work {
    fn default() -> Work {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Work { requests: Semaphore::new(REQUESTS), long: Arc::new(Semaphore::new(processors)) }
    }
}

impl Work {
    /// Room for one more request.
    ///
    /// # Errors
    /// 503 if there is none.
    pub fn request(&self) -> Result<impl Drop + '_, Trouble> {
        self.requests.try_acquire().map_err(|_| Trouble::busy())
    }

    /// Does what may take long on a thread of its own, as many at once as there are processors.
    /// Work that nobody waits for any more still counts until it ends; it is given the time when it
    /// should give up.
    ///
    /// # Errors
    /// 503 if there is too much to do, 500 if the work failed; or what the work says.
    pub async fn long<T: Send + 'static>(
        &self,
        work: impl FnOnce(Instant) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let turn = time::timeout(TURN, Arc::clone(&self.long).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(Trouble::busy()) };
        let give_up = Instant::now() + ANSWER;
        let work = move |_turn: OwnedSemaphorePermit| work(give_up);
        task::spawn_blocking(move || work(turn)).await.unwrap_or_else(|_| Err(Trouble::internal()))
    }
}
