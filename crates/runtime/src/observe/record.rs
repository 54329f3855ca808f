//! An observer that writes the log that `quadrille monitor` reads (`docs/monitor.md`).

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::Observe;
use crate::error::Cause;
use crate::plan::{ActId, Kind, Plan, RoleId};

/// An observer that writes a line of JSON per act.
///
/// That a role waits is written only where it waits for a single act, since the log names the act.
#[derive(Debug)]
pub struct Recorder<W> {
    out: Mutex<Output<W>>,
}

#[derive(Debug)]
struct Output<W> {
    to: W,
    /// The first error, after which nothing more is written.
    failed: Option<io::Error>,
}

impl<W: Write + Send> Recorder<W> {
    /// A recorder that writes to `to`.
    pub fn new(to: W) -> Self {
        Self { out: Mutex::new(Output { to, failed: None }) }
    }

    /// The writer, or the error that ended the log.
    pub fn into_inner(self) -> io::Result<W> {
        let Output { mut to, failed } =
            self.out.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(()), Err)?;
        to.flush()?;
        Ok(to)
    }

    fn write(&self, line: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.failed.is_none()
            && let Err(error) = writeln!(out.to, "{line}")
        {
            out.failed = Some(error);
        }
    }
}

impl<W: Write + Send> Observe for Recorder<W> {
    fn did(&self, plan: &Plan, act: ActId) {
        self.write(&event(plan, act));
    }

    fn waits(&self, plan: &Plan, role: RoleId, acts: &[ActId]) {
        if let &[act] = acts {
            // The event of an exchange names its sender, not the receiver that waits.
            let kind = plan.acts[act.index()].kind;
            let who = match kind {
                Kind::Exchange => format!(r#""role":{},"#, name(plan, role)),
                _ => String::new(),
            };
            self.write(&format!(r#"{{"event":"wait",{who}"for":{}}}"#, event(plan, act)));
        }
    }

    fn left(&self, plan: &Plan, role: RoleId, _: &Cause) {
        self.write(&format!(r#"{{"event":"leave","role":{}}}"#, name(plan, role)));
    }
}

/// An act as an event of the log.
fn event(plan: &Plan, act: ActId) -> String {
    let act = &plan.acts[act.index()];
    let message = act.label.map_or_else(String::new, |label| string(&plan.labels[label.index()]));
    let from = name(plan, act.from);
    let to = || match &act.to[..] {
        [to] => name(plan, *to),
        many => {
            let names: Vec<String> = many.iter().map(|&to| name(plan, to)).collect();
            format!("[{}]", names.join(","))
        }
    };
    match act.kind {
        Kind::Send => {
            format!(r#"{{"event":"send","role":{from},"message":{message},"to":{}}}"#, to())
        }
        Kind::Exchange => {
            format!(r#"{{"event":"exchange","role":{from},"message":{message},"to":{}}}"#, to())
        }
        Kind::Receive => {
            format!(r#"{{"event":"receive","role":{},"message":{message},"from":{from}}}"#, to())
        }
        Kind::Close => format!(r#"{{"event":"close","role":{from},"to":{}}}"#, to()),
        Kind::Local => format!(r#"{{"event":"local","role":{from},"message":{message}}}"#),
    }
}

fn name(plan: &Plan, role: RoleId) -> String {
    string(&plan.roles[role.index()])
}

/// A JSON string.
fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            character if character < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
