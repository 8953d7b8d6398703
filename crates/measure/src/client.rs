//! One test of the iperf3 protocol, as its client.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use westwood_cc::Rate;

use crate::amount::Amount;
use crate::connection_log::{ConnectionLog, TransferResult};
use crate::error::MeasureError;
use crate::protocol::{ControlChannel, Cookie, ProtocolState};
use crate::results::{own_results, parameters, received};
use crate::stream::DataStream;

/// The time that the server may take to answer on the control channel: queues on the path may be
/// long.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time for which a busy server is asked, and the pause between.
const BUSY: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_secs(1);
/// iperf3 stops listening for a moment after each test, and refuses or resets connections
/// meanwhile.
const AWAY: Duration = Duration::from_secs(1);
/// The same of a server that has run a test for this client: it is there.
const AWAY_AFTER_A_TEST: Duration = Duration::from_secs(30);
const AWAY_AGAIN: Duration = Duration::from_millis(50);
/// The interval at which the connections are polled: the precision of completion times.
const TICK: Duration = Duration::from_millis(2);
/// A transfer that gets nothing through for this long has failed.
const STALLED: Duration = Duration::from_secs(120);

/// The address of the iperf3 server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerAddress {
    /// Its name or address.
    pub host: String,
    /// The port of its control channel, 5201 unless it was told otherwise.
    pub port: u16,
}

/// Tells the bandwidth estimate of a socket's controller, if it has one and lets itself be asked.
#[derive(Clone, Copy)]
pub struct EstimateReader<'a>(pub &'a (dyn Fn(&TcpStream) -> Option<Rate> + Sync));

impl fmt::Debug for EstimateReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Estimates")
    }
}

/// A client of an iperf3 server.
#[derive(Debug)]
pub struct Client<'a> {
    server: &'a ServerAddress,
    /// Set by Ctrl-C.
    interrupted: &'a AtomicBool,
    /// The interval between samples of the connections.
    interval: Duration,
    estimates: Option<EstimateReader<'a>>,
    /// The server has run a test.
    has_served: AtomicBool,
}

impl<'a> Client<'a> {
    /// A client that samples its connections once every `interval`, and stops when `interrupted`.
    pub fn new(server: &'a ServerAddress, interrupted: &'a AtomicBool, interval: Duration) -> Self {
        let has_served = AtomicBool::new(false);
        Self { server, interrupted, interval, estimates: None, has_served }
    }

    /// The same client, whose samples have the estimates that `estimates` tells.
    pub fn with_estimates(self, estimates: EstimateReader<'a>) -> Self {
        Self { estimates: Some(estimates), ..self }
    }

    /// The server's address: the first of its addresses to which there is a route. The server does
    /// not notice.
    pub fn address(&self) -> Result<SocketAddr, MeasureError> {
        let has_route = |to: &SocketAddr| {
            let own: IpAddr = match to {
                SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
                SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
            };
            UdpSocket::bind((own, 0)).and_then(|socket| socket.connect(to)).is_ok()
        };
        let found = self.addresses()?.find(has_route);
        found.ok_or_else(|| self.unreachable(io::ErrorKind::HostUnreachable.into()))
    }

    fn addresses(&self) -> Result<std::vec::IntoIter<SocketAddr>, MeasureError> {
        let ServerAddress { host, port } = self.server;
        let no_address = |why| MeasureError::NoAddress { host: host.clone(), why };
        (host.as_str(), *port).to_socket_addrs().map_err(no_address)
    }

    fn unreachable(&self, why: io::Error) -> MeasureError {
        let ServerAddress { host, port } = self.server;
        MeasureError::Unreachable { server: format!("{host} port {port}"), why }
    }

    /// Sends data under a controller, named as the kernel does, over `flows` connections.
    pub fn run(
        &self,
        controller: &str,
        amount: Amount,
        flows: usize,
    ) -> Result<TransferResult, MeasureError> {
        let cookie = Cookie::new();
        let mut control = self.begin(&cookie)?;
        let answer = self.test(&mut control, &cookie, controller, amount, flows);
        self.has_served.fetch_or(answer.is_ok(), Ordering::Relaxed);
        if matches!(answer, Err(MeasureError::Interrupted | MeasureError::Refused { .. })) {
            // The server would find out by itself; so it is free at once.
            let _ = control.say(ProtocolState::ClientTerminate);
        }
        answer
    }

    /// Opens the control channel, and waits while the server is busy or between two tests.
    fn begin(&self, cookie: &Cookie) -> Result<ControlChannel, MeasureError> {
        let began = Instant::now();
        let served = self.has_served.load(Ordering::Relaxed);
        let away = if served { AWAY_AFTER_A_TEST } else { AWAY };
        loop {
            match self.ask(cookie) {
                Err(MeasureError::Busy) if began.elapsed() < BUSY => self.pause(AGAIN)?,
                Err(error) if began.elapsed() < away && is_away(&error) => {
                    self.pause(AWAY_AGAIN)?;
                }
                answer => return answer,
            }
        }
    }

    fn ask(&self, cookie: &Cookie) -> Result<ControlChannel, MeasureError> {
        let mut control = ControlChannel(self.connect()?);
        control.begin(cookie)?;
        control.expect(ProtocolState::ParamExchange)?;
        Ok(control)
    }

    fn connect(&self) -> Result<TcpStream, MeasureError> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in self.addresses()? {
            match TcpStream::connect_timeout(&address, Duration::from_secs(10)) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(PATIENCE))?;
                    stream.set_write_timeout(Some(PATIENCE))?;
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(e) => last = e,
            }
        }
        Err(self.unreachable(last))
    }

    /// Waits, but not through Ctrl-C.
    pub fn pause(&self, time: Duration) -> Result<(), MeasureError> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(MeasureError::Interrupted);
            }
            thread::sleep(Duration::from_millis(20).min(time));
        }
        Ok(())
    }

    fn test(
        &self,
        control: &mut ControlChannel,
        cookie: &Cookie,
        controller: &str,
        amount: Amount,
        flows: usize,
    ) -> Result<TransferResult, MeasureError> {
        let to = control.0.peer_addr()?;
        control.send(&parameters(amount, flows))?;
        control.expect(ProtocolState::CreateStreams)?;
        let open = |_| DataStream::open(to, controller, cookie);
        let streams: Vec<DataStream> = (0..flows).map(open).collect::<Result<_, _>>()?;
        control.expect(ProtocolState::TestStart)?;
        control.expect(ProtocolState::TestRunning)?;
        let watched = self.pour(control, &streams, amount)?;
        for stream in &streams {
            let had = stream.controller()?;
            if had != controller {
                return Err(MeasureError::Changed { asked: controller.to_owned(), had });
            }
        }
        control.say(ProtocolState::TestEnd)?;
        control.expect(ProtocolState::ExchangeResults)?;
        control.send(&own_results(&streams, &watched))?;
        let results = control.receive()?;
        control.expect(ProtocolState::DisplayResults)?;
        control.say(ProtocolState::IperfDone)?;
        streams.into_iter().for_each(DataStream::discard);
        let received = received(&results, flows)?;
        Ok(watched.measured(amount, &received))
    }

    /// Writes to all streams, a thread for each, and watches them.
    fn pour(
        &self,
        control: &ControlChannel,
        streams: &[DataStream],
        amount: Amount,
    ) -> Result<ConnectionLog, MeasureError> {
        let stop = AtomicBool::new(false);
        // Before the first byte: the watching thread may have to wait for its turn.
        let watched = ConnectionLog::new(streams.len());
        let most = match amount {
            Amount::SizeBytes(size) => Some(size),
            Amount::TimeMs(_) => None,
        };
        thread::scope(|scope| {
            let writers: Vec<_> =
                streams.iter().map(|s| scope.spawn(|| s.pour(most, &stop))).collect();
            let watched = self.sample_connections(watched, control, streams, amount);
            stop.store(true, Ordering::Relaxed);
            for writer in writers {
                let poured = writer.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
                // The cause that ended the sampling comes first.
                if watched.is_ok() {
                    poured?;
                }
            }
            watched
        })
    }

    fn sample_connections(
        &self,
        mut watched: ConnectionLog,
        control: &ControlChannel,
        streams: &[DataStream],
        amount: Amount,
    ) -> Result<ConnectionLog, MeasureError> {
        let mut next_sample = Duration::ZERO;
        loop {
            let elapsed = watched.began.elapsed();
            for (flow, stream) in streams.iter().enumerate() {
                watched.look(flow, stream)?;
            }
            if elapsed >= next_sample {
                watched.sample(elapsed, |flow| {
                    let EstimateReader(bwe_of) = self.estimates?;
                    bwe_of(&streams[flow].socket)
                });
                next_sample += self.interval;
            }
            let over = match amount {
                Amount::SizeBytes(_) => watched.flows.iter().all(|flow| flow.done.is_some()),
                Amount::TimeMs(time) => elapsed >= Duration::from_millis(time),
            };
            if over {
                let last = watched.flows.iter().filter_map(|flow| flow.done).max();
                watched.lasted = last.unwrap_or(elapsed);
                return Ok(watched);
            }
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(MeasureError::Interrupted);
            }
            if elapsed.saturating_sub(watched.moved) > STALLED {
                return Err(MeasureError::Connection(io::ErrorKind::TimedOut.into()));
            }
            silent(control)?;
            thread::sleep(TICK);
        }
    }
}

/// No server listens, or it has just gone.
fn is_away(error: &MeasureError) -> bool {
    match error {
        MeasureError::Unreachable { why, .. } | MeasureError::Connection(why) => matches!(
            why.kind(),
            io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::BrokenPipe
        ),
        MeasureError::Closed => true,
        _ => false,
    }
}

/// An error if the server has something to say while the test runs: it can only be its end.
fn silent(control: &ControlChannel) -> Result<(), MeasureError> {
    control.0.set_nonblocking(true)?;
    let peeked = control.0.peek(&mut [0]);
    control.0.set_nonblocking(false)?;
    match peeked {
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(()),
        Err(e) => Err(e.into()),
        Ok(_) => {
            let state = ControlChannel(control.0.try_clone()?).next()?;
            Err(MeasureError::Server(format!("says {state:?} in the middle of a test")))
        }
    }
}
