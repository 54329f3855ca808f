//! Connects a process with all others: it calls those before it, those behind it call. Whatever else
//! comes to its port is turned away and ends nothing.
#![allow(clippy::disallowed_methods, reason = "connections; ARCHITECTURE.md names this place")]

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use quadrille_engine::{Error, Observer, Progress, Stopped};
use quadrille_secret::Secret;

use crate::greeting::{Ends, Hello, Kind, Refusal, answer, greet};
use crate::hosts::Hosts;
use crate::shared::peers;

/// How long a caller may take to greet.
const GREETING: Duration = Duration::from_secs(5);
/// How many callers may be greeting at a time.
const CALLERS: usize = 64;
const PERIOD: Duration = Duration::from_millis(10);
/// Between two attempts to reach a process that may not be up yet.
const RETRY: Duration = Duration::from_millis(100);

/// What connecting takes.
pub(crate) struct Calling {
    pub hosts: Hosts,
    pub own: usize,
    pub secret: Secret,
    pub hello: Hello,
    pub patience: Duration,
}

/// Connections by process.
pub(crate) type Links = BTreeMap<(Kind, usize), TcpStream>;

enum News {
    Connected(Ends, TcpStream, Hello),
    /// A process that cannot be reached, and why.
    Unreachable(usize, Refusal),
    /// Something called that is none of the others.
    TurnedAway(Option<SocketAddr>, Refusal),
}

impl Calling {
    /// The connections that this process has, by who is at the other end.
    fn wanted(&self) -> Vec<(Kind, usize)> {
        let others = (0..self.hosts.number()).filter(|&other| other != self.own);
        let with = |other: usize| {
            let has_pulse = self.own == 0 || other == 0;
            [Some((Kind::Data, other)), has_pulse.then_some((Kind::Pulse, other))]
        };
        others.flat_map(with).flatten().collect()
    }

    /// Connects with all others, or says which of them did not come, and why.
    pub fn connect(
        self,
        listener: TcpListener,
        observer: &mut Observer<'_>,
    ) -> Result<Links, Stopped> {
        let calling = Arc::new(self);
        let until = Instant::now() + calling.patience;
        let (sender, news) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let wanted = calling.wanted();
        for &(kind, other) in wanted.iter().filter(|(_, other)| *other < calling.own) {
            let (calling, sender) = (Arc::clone(&calling), sender.clone());
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || calling.call(kind, other, until, &is_over, &sender));
        }
        {
            let (calling, is_over) = (Arc::clone(&calling), Arc::clone(&is_over));
            thread::spawn(move || calling.listen(&listener, &is_over, &sender));
        }
        let mut links = Links::new();
        let mut turned_away = None;
        let ended = loop {
            if links.len() == wanted.len() {
                break Ok(links);
            }
            if Instant::now() > until {
                break Err(calling.missing(&wanted, &links, turned_away).into());
            }
            if let std::ops::ControlFlow::Break(bound) = observer(&Progress::default()) {
                break Err(bound.into());
            }
            match news.recv_timeout(PERIOD) {
                Ok(News::Connected(ends, stream, theirs)) => {
                    let other = if ends.from == calling.own { ends.to } else { ends.from };
                    if let Some(difference) = calling.hello.differs(&theirs) {
                        let name = calling.hosts.name(other);
                        let message = format!("process {other} at {name} {difference}");
                        break Err(peers(message).into());
                    }
                    links.entry((ends.kind, other)).or_insert(stream);
                }
                Ok(News::Unreachable(other, why)) => {
                    break Err(calling.unreachable(other, &why).into());
                }
                Ok(News::TurnedAway(from, why)) => turned_away = Some((from, why)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(peers("the threads that connect processes are gone").into());
                }
            }
        };
        is_over.store(true, Ordering::Relaxed);
        ended
    }

    fn unreachable(&self, other: usize, why: &Refusal) -> Error {
        let name = self.hosts.name(other);
        peers(match why {
            Refusal::Io(error) => {
                let seconds = self.patience.as_secs_f64();
                format!("process {other} at {name} cannot be reached within {seconds} s: {error}")
            }
            why => format!("process {other} at {name} is none of this cluster: {why}"),
        })
    }

    fn missing(
        &self,
        wanted: &[(Kind, usize)],
        links: &Links,
        turned_away: Option<(Option<SocketAddr>, Refusal)>,
    ) -> Error {
        let missing = wanted.iter().find(|link| !links.contains_key(link));
        let other = missing.map_or(0, |(_, other)| *other);
        let (name, seconds) = (self.hosts.name(other), self.patience.as_secs_f64());
        let mut message = format!("process {other} at {name} did not come within {seconds} s");
        if let Some((from, why)) = turned_away {
            let from = from.map_or("something".to_owned(), |from| from.ip().to_string());
            message += &format!("; {from} was turned away: {why}");
        }
        peers(message)
    }

    /// Calls a process until it answers.
    fn call(
        &self,
        kind: Kind,
        other: usize,
        until: Instant,
        is_over: &AtomicBool,
        news: &Sender<News>,
    ) {
        let ends = Ends { from: self.own, to: other, kind };
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let connected = match left.is_zero() {
                true => Err(io::ErrorKind::TimedOut.into()),
                false => self.open(other, left),
            };
            let failed = match connected {
                Err(error) => Refusal::Io(error),
                Ok(stream) => {
                    let by = until.min(Instant::now() + GREETING);
                    match greet(&stream, ends, &self.secret, &self.hello, by) {
                        Ok(theirs) => {
                            let _ = news.send(News::Connected(ends, stream, theirs));
                            return;
                        }
                        Err(refusal) => refusal,
                    }
                }
            };
            // A process that is about to start, or about to end, is tried again.
            let is_hopeless = !matches!(failed, Refusal::Io(_));
            if is_hopeless || Instant::now() + RETRY > until {
                let _ = news.send(News::Unreachable(other, failed));
                return;
            }
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            thread::sleep(RETRY);
        }
    }

    fn open(&self, other: usize, left: Duration) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "it has no address");
        for address in self.hosts.addresses(other)? {
            match TcpStream::connect_timeout(&address, left.min(Duration::from_secs(2))) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Answers those who call, each on a thread of its own, so that none keeps others waiting.
    fn listen(self: Arc<Self>, listener: &TcpListener, is_over: &AtomicBool, news: &Sender<News>) {
        let n_callers = Arc::new(AtomicUsize::new(0));
        if listener.set_nonblocking(true).is_err() {
            return;
        }
        while !is_over.load(Ordering::Relaxed) {
            let Ok((stream, from)) = listener.accept() else {
                thread::sleep(PERIOD);
                continue;
            };
            if n_callers.load(Ordering::Relaxed) >= CALLERS {
                continue;
            }
            n_callers.fetch_add(1, Ordering::Relaxed);
            let (calling, news) = (Arc::clone(&self), news.clone());
            let n_callers = Arc::clone(&n_callers);
            thread::spawn(move || {
                let heard = calling.hear(&stream, from);
                let _ = news.send(match heard {
                    Ok((ends, theirs)) => News::Connected(ends, stream, theirs),
                    Err(why) => News::TurnedAway(Some(from), why),
                });
                n_callers.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }

    fn hear(&self, stream: &TcpStream, from: SocketAddr) -> Result<(Ends, Hello), Refusal> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let calls = |process: usize| process > self.own && process < self.hosts.number();
        let is_known = |process: usize| calls(process) && self.hosts.is_of(process, from.ip());
        let proof = (&self.secret, &self.hello);
        answer(stream, self.own, is_known, proof, Instant::now() + GREETING)
    }
}
