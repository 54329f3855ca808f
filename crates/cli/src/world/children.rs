//! Processes that this one starts to share a search with, and what a process does that was started so: it
//! says on standard output where it listens, and reads on standard input where the others do.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::World;
use crate::watch::Line;

/// The variable that tells a process which of those it is that another one started.
const PROCESS: &str = "QUADRILLE_CLUSTER_PROCESS";
/// The variable that tells it that there is a terminal, where it is to be shown how far all came.
const TELLS: &str = "QUADRILLE_CLUSTER_TELLS";
const PERIOD: Duration = Duration::from_millis(5);
/// How long others may take to end by themselves once one did.
const FAREWELL: Duration = Duration::from_secs(3);

/// A process that another one started.
pub(crate) struct Child {
    /// Which one.
    pub(crate) process: usize,
}

/// What such a process is told.
pub(crate) struct Orders {
    pub(crate) secret: Vec<u8>,
    pub(crate) ports: Vec<u16>,
    pub(crate) listener: TcpListener,
}

impl World {
    /// Which process this is of those that another one started.
    pub(crate) fn child(&self) -> Option<Child> {
        let process = std::env::var(PROCESS).ok()?.parse().ok()?;
        Some(Child { process })
    }

    /// Whether this process tells the one that started it how far all came.
    pub(crate) fn tells_parent(&self) -> bool {
        std::env::var_os(TELLS).is_some()
    }

    /// Says where this process listens, and hears where the others do. It ends with the process that
    /// started it.
    pub(crate) fn report_for_duty(&self) -> io::Result<Orders> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{port}")?;
        stdout.flush()?;
        let mut lines = BufReader::new(io::stdin());
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let (secret, ports) = line.trim_end().split_once(' ').unwrap_or_default();
        let port = |word: &str| word.parse().map_err(|_| io::ErrorKind::InvalidData.into());
        let ports = ports.split(' ').map(port).collect::<io::Result<Vec<u16>>>()?;
        let secret = secret.as_bytes().to_vec();
        thread::spawn(move || {
            // Nothing more is said; the end of it is the end of who would say it.
            let _ = lines.read_to_end(&mut Vec::new());
            process::exit(2);
        });
        Ok(Orders { secret, ports, listener })
    }

    /// The command that this process was started with, and one option more.
    pub(crate) fn again(&self, option: &str) -> String {
        let mut words: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| {
                let word = word.to_string_lossy().into_owned();
                let is_plain =
                    |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@%".contains(&byte);
                match !word.is_empty() && word.bytes().all(is_plain) {
                    true => word,
                    false => format!("'{}'", word.replace('\'', "'\\''")),
                }
            })
            .collect();
        if !words.iter().any(|word| word == option) {
            words.push(option.to_owned());
        }
        format!("quadrille {}", words.join(" "))
    }
}

/// How a process ended.
pub(crate) struct Fate {
    /// Its exit code; none where a signal ended it.
    pub(crate) code: Option<i32>,
    signal: Option<i32>,
    /// Whether this process ended it.
    pub(crate) was_ended: bool,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Fate {
    /// As one tells it.
    pub(crate) fn how(&self) -> String {
        match (self.code, self.signal) {
            (Some(101), _) => "ended by a bug in quadrille".to_owned(),
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "was ended".to_owned(),
        }
    }
}

struct One {
    process: process::Child,
    port: Receiver<u16>,
    output: Option<JoinHandle<String>>,
    errors: Option<JoinHandle<String>>,
    was_ended: bool,
}

/// Processes that were started; they end with this value.
pub(crate) struct Children(Vec<One>);

impl Children {
    /// Starts so many processes with the arguments of this one. The first tells how far all came: on the
    /// line, if there is one.
    pub(crate) fn start(n: usize, line: Option<&Line>) -> io::Result<Self> {
        let program = std::env::current_exe()?;
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let mut children = Self(Vec::with_capacity(n));
        for number in 0..n {
            let mut command = Command::new(&program);
            command.args(&arguments).env(PROCESS, number.to_string());
            let line = line.filter(|_| number == 0).cloned();
            if line.is_some() {
                command.env(TELLS, "1");
            }
            let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut process = piped.stderr(Stdio::piped()).spawn()?;
            let (sender, port) = channel();
            let output = process.stdout.take().map(|output| {
                thread::spawn(move || {
                    let (mut output, mut line, mut text) =
                        (BufReader::new(output), String::new(), Vec::new());
                    let _ = output.read_line(&mut line);
                    if let Ok(port) = line.trim().parse() {
                        let _ = sender.send(port);
                    } else {
                        text = line.into_bytes();
                    }
                    let _ = output.read_to_end(&mut text);
                    String::from_utf8_lossy(&text).into_owned()
                })
            });
            let errors = process.stderr.take().map(|errors| {
                thread::spawn(move || {
                    let (mut errors, mut bytes, mut text) =
                        (BufReader::new(errors), Vec::new(), String::new());
                    while errors.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                        let read = String::from_utf8_lossy(&bytes);
                        // How far all came is told at once; the rest, once it is known who is to blame.
                        match (number == 0 && read.starts_with("{\"schema\""), &line) {
                            (true, Some(line)) => line.show(&read),
                            (true, None) => super::tell(&read),
                            (false, _) => text += &read,
                        }
                        bytes.clear();
                    }
                    text
                })
            });
            children.0.push(One { process, port, output, errors, was_ended: false });
        }
        Ok(children)
    }

    /// Tells each process of all others.
    pub(crate) fn introduce(&mut self, secret: &str, patience: Duration) -> io::Result<()> {
        let mut words = vec![secret.to_owned()];
        for one in &self.0 {
            // One that ends before it says anything is heard of when all are waited for.
            match one.port.recv_timeout(patience) {
                Ok(port) => words.push(port.to_string()),
                Err(_) => return Ok(()),
            }
        }
        let line = words.join(" ") + "\n";
        for one in &mut self.0 {
            if let Some(input) = &mut one.process.stdin {
                let _ = input.write_all(line.as_bytes());
            }
        }
        Ok(())
    }

    /// Waits until all have ended. Once one has ended otherwise than with an answer, the others have a
    /// while to say what they noticed.
    pub(crate) fn wait(mut self) -> Vec<Fate> {
        let mut until: Option<Instant> = None;
        loop {
            let mut n_running = 0;
            for one in &mut self.0 {
                match one.process.try_wait() {
                    Ok(None) => n_running += 1,
                    Ok(Some(status)) if matches!(status.code(), Some(0 | 1 | 3)) => {}
                    _ => {
                        until.get_or_insert_with(|| Instant::now() + FAREWELL);
                    }
                }
            }
            if n_running == 0 {
                break;
            }
            if until.is_some_and(|until| Instant::now() > until) {
                self.end();
            }
            thread::sleep(PERIOD);
        }
        std::mem::take(&mut self.0).into_iter().map(One::fate).collect()
    }

    fn end(&mut self) {
        for one in &mut self.0 {
            if matches!(one.process.try_wait(), Ok(None)) {
                one.was_ended = true;
                let _ = one.process.kill();
            }
        }
    }
}

impl One {
    fn fate(mut self) -> Fate {
        let status = self.process.wait().ok();
        let text = |thread: Option<JoinHandle<String>>| {
            thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
        };
        Fate {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(signal_of),
            was_ended: self.was_ended,
            output: text(self.output.take()),
            errors: text(self.errors.take()),
        }
    }
}

#[cfg(unix)]
fn signal_of(status: process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: process::ExitStatus) -> Option<i32> {
    None
}

/// No process outlives the one that started it.
impl Drop for Children {
    fn drop(&mut self) {
        self.end();
        self.0.iter_mut().for_each(|one| {
            let _ = one.process.wait();
        });
    }
}
