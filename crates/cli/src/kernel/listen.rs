//! `westwood kernel record` and `verify --live`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use westwood_kernel::load::{self, Loaded};
use westwood_kernel::record::Recorder;
use westwood_kernel::recording::Header;
use westwood_kernel::{CallKind, Event, Verifier, environment};
use westwood_scenario::counted;
use westwood_scenario::spec::ControllerSpec;

use super::manage::named;
use super::verify::conclude;
use crate::args::{KernelRecordArgs, KernelVerifyArgs, ListenArgs};
use crate::exit::{CommandExit, Stop};
use crate::output::{print, tell};

/// Ctrl-C ends the listening, not the command: events heard so far are kept.
pub(super) fn interrupted() -> Result<Arc<AtomicBool>, Stop> {
    let asked = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&asked);
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed))
        .map_err(|e| Stop::new(CommandExit::Environment, format!("no signal handler: {e}")))?;
    Ok(asked)
}

/// True once the time is over.
pub(super) fn over(began: Instant, time: Option<westwood_cc::Duration>) -> bool {
    time.is_some_and(|time| began.elapsed().as_nanos() >= u128::from(time.as_nanos()))
}

fn chosen(name: Option<&str>) -> Result<Loaded, Stop> {
    Ok(match name {
        Some(name) => load::find(&named(name)?)?,
        None => load::only()?,
    })
}

fn spec(loaded: &Loaded) -> Result<ControllerSpec, Stop> {
    ControllerSpec::parse(&loaded.spec).map_err(Stop::bad_input)
}

/// Listens, and passes on the events of those connections that are wanted.
fn listen(loaded: &Loaded, args: &ListenArgs, mut sink: impl FnMut(&[u8])) -> Result<(), Stop> {
    let recorder = Recorder::new(loaded, args.ring << 20)?;
    let asked = interrupted()?;
    let began = Instant::now();
    let mut wanted = ConnectionFilter { port: args.port, connections: HashSet::new() };
    tell(format_args!("listening to {}; Ctrl-C ends it", loaded.controller.name));
    recorder.run(
        || asked.load(Ordering::Relaxed) || over(began, args.time),
        |bytes| {
            if wanted.is(bytes) {
                sink(bytes);
            }
        },
    )?;
    Ok(())
}

/// The connections with a port at either end.
struct ConnectionFilter {
    port: Option<u16>,
    connections: HashSet<u32>,
}

impl ConnectionFilter {
    /// Only a connection's first event names its ports.
    fn is(&mut self, bytes: &[u8]) -> bool {
        let Some(port) = self.port.map(u32::from) else { return true };
        let Some(event) = event(bytes) else { return true };
        let [_, _, local, remote, ..] = event.input;
        if event.kind == CallKind::Init && (local == port || remote == port) {
            self.connections.insert(event.id);
        }
        event.kind == CallKind::End || self.connections.contains(&event.id)
    }
}

fn event(bytes: &[u8]) -> Option<Event> {
    Event::from_bytes(bytes.first_chunk::<{ Event::SIZE }>()?)
}

pub(super) fn record(args: &KernelRecordArgs) -> Result<(), Stop> {
    let loaded = chosen(args.name.as_deref())?;
    let header = Header { spec: spec(&loaded)?, kernel: environment::release()? };
    let path = &args.output;
    let failed = |e: &std::io::Error| {
        Stop::new(CommandExit::Environment, format!("'{}' cannot be written: {e}", path.display()))
    };
    let mut file = BufWriter::with_capacity(1 << 20, create(path)?);
    file.write_all(header.to_string().as_bytes()).map_err(|e| failed(&e))?;
    let (mut events, mut error) = (0_u64, None);
    listen(&loaded, &args.listen, |bytes| {
        events += 1;
        if let Err(e) = file.write_all(bytes) {
            error.get_or_insert(e);
        }
    })?;
    if let Some(e) = error.or_else(|| file.flush().err()) {
        return Err(failed(&e));
    }
    // The last event is the recorder's own.
    print(&format!("{} in {}\n", counted(events.saturating_sub(1), "event"), path.display()))
}

fn create(path: &Path) -> Result<File, Stop> {
    File::create(path).map_err(|e| {
        Stop::bad_input(format!("--output: '{}' cannot be written: {e}", path.display()))
    })
}

pub(super) fn verify(args: &KernelVerifyArgs) -> Result<(), Stop> {
    let name = args.file.as_ref().map(|name| name.to_string_lossy().into_owned());
    let loaded = chosen(name.as_deref())?;
    let mut verifier = Verifier::new(spec(&loaded)?.choice);
    listen(&loaded, &args.listen, |bytes| {
        if let Some(event) = event(bytes) {
            verifier.take(&event);
        }
    })?;
    print(&format!("{} on Linux {}\n", loaded.spec, environment::release()?))?;
    conclude(&verifier)
}
