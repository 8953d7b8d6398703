//! The two hosts of an emulation, and what runs there.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use westwood_emu::stale_processes::{EmulatorMark, VARIABLE};
use westwood_emu::{EmuError, FlowEnd, Host, HostConfig};

use crate::args::EmulateArgs;
use crate::exit::{CommandExit, Stop};

/// The time that the server has to begin to listen.
const UNTIL_IT_LISTENS: Duration = Duration::from_secs(2);

/// The client's host and the server's.
pub(super) fn make(args: &EmulateArgs) -> Result<Vec<Host>, EmuError> {
    let cc = args.cc.as_ref().map(|cc| cc.kernel.as_str());
    if let Some(name) = cc {
        westwood_emu::host::check_controller(name)?;
    }
    // By the route: a namespace's default may only be one that is not restricted.
    let route = cc.map_or_else(String::new, |name| format!("congctl {name}"));
    let host = |end| HostConfig {
        end,
        flows: 0..1,
        mtu: u16::try_from(args.mtu.get()).unwrap_or(u16::MAX),
        single_segments: true,
        route: route.clone(),
        settings: Vec::new(),
    };
    Ok(vec![Host::new(&host(FlowEnd::Client))?, Host::new(&host(FlowEnd::Server))?])
}

/// Starts the server, if there is one, and waits until it listens.
pub(super) fn serve(
    args: &EmulateArgs,
    host: &Host,
    mark: &EmulatorMark,
) -> Result<Option<Child>, Stop> {
    let Some(text) = &args.server else { return Ok(None) };
    let mut command = Command::new("sh");
    command.arg("-c").arg(text).stdin(Stdio::null());
    // The server's output is not the command's.
    command.stdout(io::stderr());
    set_environment(&mut command, mark);
    let started = host.namespace.spawn(&mut command);
    let mut server = started.map_err(|e| {
        Stop::new(CommandExit::Environment, format!("--server: sh cannot be run: {e}"))
    })?;
    let begun = Instant::now();
    while begun.elapsed() < UNTIL_IT_LISTENS && !host.namespace.enter(listens).unwrap_or(true) {
        if let Ok(Some(status)) = server.try_wait() {
            if status.success() {
                break;
            }
            return Err(Stop::new(
                CommandExit::RunFailed,
                format!("--server: it ended with {status}"),
            ));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Some(server))
}

/// Whether a TCP socket listens in the calling thread's network.
fn listens() -> io::Result<bool> {
    // The fourth column is the state, and 0A is LISTEN.
    let listening =
        |text: &str| text.lines().any(|line| line.split_whitespace().nth(3) == Some("0A"));
    // Without IPv6 there is one of them.
    let ipv6 = fs::read_to_string("/proc/thread-self/net/tcp6").unwrap_or_default();
    Ok(listening(&fs::read_to_string("/proc/thread-self/net/tcp")?) || listening(&ipv6))
}

/// Starts the command.
pub(super) fn spawn(args: &EmulateArgs, host: &Host, mark: &EmulatorMark) -> Result<Child, Stop> {
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Stop::bad_input("COMMAND is missing"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    set_environment(&mut command, mark);
    host.namespace.spawn(&mut command).map_err(|e| {
        let name = program.to_string_lossy();
        Stop::bad_input(format!("the command '{name}' cannot be run: {e}"))
    })
}

/// Tells a process where it is.
fn set_environment(command: &mut Command, mark: &EmulatorMark) {
    let pairs: [(&str, String); 5] = [
        ("WESTWOOD_CLIENT", FlowEnd::Client.ipv4(0).to_string()),
        ("WESTWOOD_CLIENT6", FlowEnd::Client.ipv6(0).to_string()),
        ("WESTWOOD_SERVER", FlowEnd::Server.ipv4(0).to_string()),
        ("WESTWOOD_SERVER6", FlowEnd::Server.ipv6(0).to_string()),
        (VARIABLE, mark.name().to_owned()),
    ];
    command.envs(pairs.iter().map(|(name, value)| (name, OsStr::new(value))));
}

/// The exit code of a process, as a shell would say it.
pub(super) fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
