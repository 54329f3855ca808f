//! Schedules: the decisions of one execution as data and as a short string to replay it by.
//!
//! `q1:a3b2ac:4.0:Xf9k2Q` (`q1c11:…` for that memory model): task a (the body of the test) takes three steps, b two, a one, c one;
//! draws 4 and 0; then one character per step that hashes all operations so far, so that a replay
//! notices the first operation that differs.

use std::fmt;
use std::str::FromStr;

use crate::config::Memory;
use crate::operation::{Operation, Request, TaskId};

/// One decision of a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This task performs its pending operation.
    Run(TaskId),
    /// A choice that is not about tasks came out as this number.
    Draw(u32),
}

/// All decisions of one execution, and what they led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub(crate) memory: Memory,
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) draws: Vec<u32>,
    pub(crate) checks: Vec<u8>,
}

/// Why a string is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    /// Which byte of the string, from 0.
    pub position: usize,
    /// What should stand there.
    pub expected: &'static str,
}

const VERSION: &str = "q1";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The hash of a growing list of operations, six bits of which are a check.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Check(u64);

impl Check {
    /// Adds an operation. Places are left out: a comment more in the source changes nothing.
    pub(crate) fn add(&mut self, task: TaskId, request: &Request) {
        let mut hash = self.0 ^ u64::from(task.0) ^ (u64::from(request.object.0) << 16);
        for &byte in request.action.word().as_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
        self.0 = hash.rotate_left(29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    pub(crate) fn digit(self) -> u8 {
        DIGITS[(self.0 >> 58) as usize]
    }
}

impl Schedule {
    /// The schedule of an execution.
    #[must_use]
    pub fn of(trace: &[Operation], draws: &[u32], memory: Memory) -> Schedule {
        let mut check = Check::default();
        let mut checks = Vec::with_capacity(trace.len());
        for operation in trace {
            let Operation { action, object, access, place, .. } = *operation;
            check.add(operation.task, &Request::new(action, object, access, place));
            checks.push(check.digit());
        }
        let tasks = trace.iter().map(|operation| operation.task).collect();
        Schedule { memory, tasks, draws: draws.to_vec(), checks }
    }

    /// The memory model of the execution.
    #[must_use]
    pub const fn memory(&self) -> Memory {
        self.memory
    }

    /// How many steps it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether it has no step.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// How often a task other than the one before takes a step.
    #[must_use]
    pub fn switches(&self) -> usize {
        self.tasks.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(VERSION)?;
        f.write_str(match self.memory {
            Memory::Sc => ":",
            Memory::C11 => "c11:",
        })?;
        for run in self.tasks.chunk_by(|a, b| a == b) {
            match u8::try_from(run[0].0) {
                Ok(small @ 0..26) => write!(f, "{}", (b'a' + small) as char)?,
                _ => write!(f, "({})", run[0].0)?,
            }
            if run.len() > 1 {
                write!(f, "{}", run.len())?;
            }
        }
        f.write_str(":")?;
        for (index, draw) in self.draws.iter().enumerate() {
            write!(f, "{}{draw}", if index == 0 { "" } else { "." })?;
        }
        f.write_str(":")?;
        self.checks.iter().try_for_each(|&check| write!(f, "{}", check as char))
    }
}

/// Reads a string from left to right.
struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, ScheduleError> {
        Err(ScheduleError { position: self.position, expected })
    }

    fn expect(&mut self, text: &'static str) -> Result<(), ScheduleError> {
        if self.bytes[self.position..].starts_with(text.as_bytes()) {
            self.position += text.len();
            return Ok(());
        }
        self.fail(text)
    }

    fn number(&mut self) -> Result<Option<u32>, ScheduleError> {
        let mut number: Option<u32> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let more = number.unwrap_or(0).checked_mul(10);
            let Some(more) = more.and_then(|n| n.checked_add(u32::from(digit - b'0'))) else {
                return self.fail("a number below 2^32");
            };
            number = Some(more);
            self.position += 1;
        }
        Ok(number)
    }

    fn task(&mut self) -> Result<Option<TaskId>, ScheduleError> {
        match self.peek() {
            Some(letter @ b'a'..=b'z') => {
                self.position += 1;
                Ok(Some(TaskId(u16::from(letter - b'a'))))
            }
            Some(b'(') => {
                self.position += 1;
                let number = self.number()?.and_then(|number| u16::try_from(number).ok());
                let Some(number) = number else { return self.fail("the number of a task") };
                self.expect(")")?;
                Ok(Some(TaskId(number)))
            }
            _ => Ok(None),
        }
    }
}

/// Longer schedules than this are refused: no execution is that long.
const MAX_STEPS: usize = 100_000_000;

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let mut reader = Reader { bytes: text.as_bytes(), position: 0 };
        let mut schedule = Schedule::default();
        reader.expect(VERSION)?;
        if reader.expect("c11").is_ok() {
            schedule.memory = Memory::C11;
        }
        reader.expect(":")?;
        while let Some(task) = reader.task()? {
            let count = reader.number()?.unwrap_or(1) as usize;
            if count == 0 || schedule.tasks.len() + count > MAX_STEPS {
                return reader.fail("a number of steps between 1 and 100 million");
            }
            schedule.tasks.extend(std::iter::repeat_n(task, count));
        }
        reader.expect(":")?;
        while let Some(draw) = reader.number()? {
            schedule.draws.push(draw);
            if reader.peek() == Some(b'.') {
                reader.position += 1;
            }
        }
        reader.expect(":")?;
        while let Some(check) = reader.peek().filter(|byte| DIGITS.contains(byte)) {
            schedule.checks.push(check);
            reader.position += 1;
        }
        if reader.position < text.len() {
            return reader.fail("a check: a letter, a digit, `-` or `_`");
        }
        if schedule.checks.len() != schedule.tasks.len() {
            return reader.fail("one check per step; the string is cut off");
        }
        Ok(schedule)
    }
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScheduleError { position, expected } = self;
        write!(f, "this is no schedule: expected {expected} at byte {position}")
    }
}

impl std::error::Error for ScheduleError {}
