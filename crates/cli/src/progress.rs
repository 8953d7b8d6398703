//! The progress of the work on stderr, and its end by Ctrl-C.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use westwood_experiment::run::{GridProgress, RunQueue};
use westwood_scenario::counted;

use crate::exit::{CommandExit, Stop};
use crate::output::tell;

/// Work whose progress can be seen from another thread.
pub(crate) trait Progress: Send + Sync {
    /// The work done and the whole work, in a unit of its own.
    fn position(&self) -> (u64, u64);
    /// The same in words.
    fn message(&self) -> String;
    /// Ends the work.
    fn cancel(&self) -> &AtomicBool;
}

impl Progress for GridProgress {
    fn position(&self) -> (u64, u64) {
        (self.simulated().as_nanos(), self.total().as_nanos())
    }

    fn message(&self) -> String {
        let seconds = |time: westwood_cc::Duration| time.as_nanos() / 1_000_000_000;
        format!("{} of {} s simulated", seconds(self.simulated()), seconds(self.total()))
    }

    fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
}

impl Progress for RunQueue {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10^4")]
    fn position(&self) -> (u64, u64) {
        const WHOLE: f64 = 10_000.0;
        ((self.share() * WHOLE) as u64, WHOLE as u64)
    }

    fn message(&self) -> String {
        let (done, all) = self.runs();
        format!("{done} of {}", counted(all as u64, "run"))
    }

    fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
}

/// Lets Ctrl-C end all this work; asked twice it does not wait for the runs to notice.
pub(crate) fn stop_on_interrupt(works: Vec<Arc<dyn Progress>>) -> Result<(), Stop> {
    let handler = ctrlc::set_handler(move || {
        let stop = |again: bool, work: &Arc<dyn Progress>| {
            work.cancel().swap(true, Ordering::Relaxed) || again
        };
        if works.iter().fold(false, stop) {
            std::process::exit(i32::from(CommandExit::Interrupted as u8));
        }
    });
    handler.map_err(|e| Stop::new(CommandExit::Environment, format!("no signal handler: {e}")))
}

/// A bar that follows work until it is dropped, which wakes the thread that draws it at once.
pub(crate) struct Bar {
    end: Option<Sender<()>>,
    follower: Option<JoinHandle<()>>,
}

impl Bar {
    /// A bar on a terminal, a line a minute elsewhere; nothing if progress is not to be shown.
    pub(crate) fn follow<W: Progress + 'static>(progress: &Arc<W>, quiet: bool) -> Self {
        let (end, ended) = channel();
        let follower = (!quiet).then(|| {
            let progress = Arc::clone(progress);
            let terminal = std::io::stderr().is_terminal();
            std::thread::spawn(move || {
                if terminal { draw(&*progress, &ended) } else { log(&*progress, &ended) }
            })
        });
        Self { end: Some(end), follower }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end = None;
        if let Some(follower) = self.follower.take() {
            let _ = follower.join();
        }
    }
}

/// Waits so long; false if the work has ended meanwhile.
fn goes_on(ended: &Receiver<()>, wait: Duration) -> bool {
    ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout)
}

/// For a log file: work of less than a minute leaves no line in it.
fn log(progress: &impl Progress, ended: &Receiver<()>) {
    const EVERY: Duration = Duration::from_secs(60);
    let begin = Instant::now();
    let (at_first, all) = progress.position();
    while goes_on(ended, EVERY) {
        let (done, message) = (progress.position().0, progress.message());
        let percent = 100 * u128::from(done) / u128::from(all.max(1));
        let left =
            minutes_left(begin.elapsed(), done.saturating_sub(at_first), all - done.min(all));
        tell(format_args!("{percent:>3} %  {message}  {left}"));
    }
}

/// The time left at the pace so far.
fn minutes_left(elapsed: Duration, done: u64, left: u64) -> String {
    match elapsed.as_secs().saturating_mul(left).checked_div(done) {
        Some(seconds) => format!("{} min left", seconds.div_ceil(60)),
        None => "time left not known yet".to_owned(),
    }
}

fn draw(progress: &impl Progress, ended: &Receiver<()>) {
    const TICK: Duration = Duration::from_millis(100);
    // Work that is over in a moment needs no bar.
    const PATIENCE: u32 = 4;
    let mut ticks = 0;
    let bar = ProgressBar::hidden();
    let template = "{bar:30} {percent:>3} %  {msg}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━ "));
    }
    bar.set_length(progress.position().1);
    while goes_on(ended, TICK) {
        ticks += 1;
        if ticks == PATIENCE {
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        bar.set_position(progress.position().0);
        bar.set_message(progress.message());
    }
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        assert_eq!(minutes_left(Duration::from_secs(120), 40, 60), "3 min left");
        assert_eq!(minutes_left(Duration::from_secs(90), 60, 40), "1 min left");
        assert_eq!(minutes_left(Duration::from_secs(60), 0, 100), "time left not known yet");
    }
}
