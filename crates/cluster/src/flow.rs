//! The dataflow of one worker, and the only file that knows how timely dataflow is used: batches go to
//! their owners at the epoch of their level, words go from every worker to all, acknowledgements go
//! back. That an epoch is over is told by timely's tracking of progress.
#![allow(clippy::disallowed_methods, reason = "the clock; ARCHITECTURE.md names this place")]

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

use timely::bytes::arc::Bytes;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{Allocator, Hooks, Push};
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::dataflow::operators::generic::Operator as _;
use timely::dataflow::operators::{Input as _, Probe as _};
use timely::dataflow::{InputHandle, ProbeHandle, Scope};
use timely::worker::Worker;
use timely::{Accountable, WorkerConfig};

use crate::wire::Wire;

/// How long a worker waits for something to arrive before it looks whether to go on.
const PATIENCE: Duration = Duration::from_millis(10);

/// Bytes that one worker sends to another.
#[derive(Clone, Default, Debug)]
pub(crate) struct Parcel {
    to: usize,
    pub from: usize,
    pub bytes: Vec<u8>,
    /// In which epoch it was sent; known once it arrived.
    epoch: u64,
    /// Whether there is anything: timely counts parcels.
    is_full: bool,
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(self.is_full)
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        let number = |at: usize| {
            let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
            word.map_or(0, u64::from_le_bytes) as usize
        };
        let [to, from, length] = [number(0), number(8), number(16)];
        let content = bytes.get(24..).and_then(|rest| rest.get(..length)).unwrap_or_default();
        Self { to, from, bytes: content.to_vec(), is_full: true, epoch: 0 }
    }

    fn length_in_bytes(&self) -> usize {
        24 + self.bytes.len().next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let padding = self.length_in_bytes() - 24 - self.bytes.len();
        let header = [self.to, self.from, self.bytes.len()].map(|it| (it as u64).to_le_bytes());
        // What timely hands over is memory, which takes everything.
        let written = writer
            .write_all(header.as_flattened())
            .and_then(|()| writer.write_all(&self.bytes))
            .and_then(|()| writer.write_all(&[0; 8][..padding]));
        debug_assert!(written.is_ok(), "the buffer of a message is as long as was asked for");
    }
}

/// Hands each parcel to the worker that it is for.
struct Post;

impl Distributor<Parcel> for Post {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [P],
    ) {
        let to = parcel.to;
        Message::push_at(parcel, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _: &T, _: &mut [P]) {}
}

type Handle = InputHandle<u64, NoopBuilder<Parcel>>;
type Inbox = Rc<RefCell<VecDeque<Parcel>>>;

/// Parcels of one kind: where they are put in, where they come out, and which epochs are over.
struct Channel {
    input: Handle,
    inbox: Inbox,
    probe: ProbeHandle<u64>,
    epoch: u64,
}

impl Channel {
    fn new(scope: Scope<'_, u64>, name: &str) -> Self {
        let inbox: Inbox = Rc::default();
        let (input, stream) = scope.new_input_with_builder::<NoopBuilder<Parcel>>();
        let sink = Rc::clone(&inbox);
        let pact = DistributorPact(|_| Post);
        let taken = stream.unary::<NoopBuilder<Parcel>, _, _, _>(pact, name, |_, _| {
            move |arrived, _| {
                arrived.for_each_time(|time, parcels| {
                    let epoch = *time.time();
                    let taken = parcels.map(std::mem::take);
                    sink.borrow_mut().extend(taken.map(|parcel| Parcel { epoch, ..parcel }));
                });
            }
        });
        let (probe, _) = taken.probe();
        Self { input, inbox, probe, epoch: 0 }
    }

    fn send(&mut self, to: usize, from: usize, bytes: Vec<u8>) {
        self.input.send_batch(&mut Parcel { to, from, bytes, is_full: true, epoch: 0 });
    }

    fn take(&self) -> Option<Parcel> {
        self.inbox.borrow_mut().pop_front()
    }

    /// What arrived of epochs that are over: others may have begun the next one.
    fn take_past(&self) -> Vec<Parcel> {
        let mut inbox = self.inbox.borrow_mut();
        let is_past = |parcel: &Parcel| parcel.epoch < self.epoch;
        let (past, next): (VecDeque<Parcel>, VecDeque<Parcel>) = inbox.drain(..).partition(is_past);
        *inbox = next;
        past.into()
    }

    /// Sends nothing more in this epoch.
    fn advance(&mut self) {
        self.epoch += 1;
        self.input.advance_to(self.epoch);
    }

    /// Whether every worker is in the same epoch and all that was sent before has arrived.
    fn is_over(&self) -> bool {
        !self.probe.less_than(&self.epoch)
    }
}

/// What a worker's connections are made of, on its own thread.
pub(crate) struct Start(Inner);

enum Inner {
    Alone(ProcessBuilder),
    Among(TcpBuilder),
}

/// The workers of a process, given its connections with all others; and what keeps the threads of these
/// connections: dropped, it waits for their ends.
pub(crate) fn workers(
    sockets: Vec<Option<Wire>>,
    own: usize,
    n_workers: usize,
) -> std::io::Result<(Vec<Start>, Box<dyn Any + Send>)> {
    let hooks = Hooks::default();
    let inner = ProcessBuilder::new_typed_vector(n_workers, hooks.refill.clone(), None);
    if sockets.len() == 1 {
        return Ok((inner.into_iter().map(|it| Start(Inner::Alone(it))).collect(), Box::new(())));
    }
    let (builders, guard) =
        initialize_networking_from_sockets(inner, sockets, own, n_workers, hooks)?;
    Ok((builders.into_iter().map(|it| Start(Inner::Among(it))).collect(), Box::new(guard)))
}

/// The connections of a worker to all others.
pub(crate) struct Flow {
    worker: Worker,
    batches: Channel,
    words: Channel,
    receipts: Channel,
    /// Bytes of batches sent that were not acknowledged.
    outstanding: usize,
    /// Bytes of batches taken that were not acknowledged, per sender.
    taken: Vec<usize>,
    /// Bytes of batches that were sent in all.
    pub sent: u64,
}

/// Bytes of batches that may be on the way from one worker: so that nothing is queued without bound.
const WINDOW: usize = 16 << 20;

impl Flow {
    pub fn new(start: Start) -> Self {
        let allocator = match start.0 {
            Inner::Alone(builder) => Allocator::Process(builder.build()),
            Inner::Among(builder) => Allocator::Tcp(builder.build()),
        };
        // Without a clock it would never wait.
        let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let n_workers = worker.peers();
        let [batches, words, receipts] = worker.dataflow::<u64, _, _>(|scope| {
            ["batches", "words", "receipts"].map(|name| Channel::new(scope, name))
        });
        let taken = vec![0; n_workers];
        Self { worker, batches, words, receipts, outstanding: 0, taken, sent: 0 }
    }

    pub fn index(&self) -> usize {
        self.worker.index()
    }

    pub fn n_workers(&self) -> usize {
        self.worker.peers()
    }

    /// Sends a batch to its owner.
    pub fn send(&mut self, to: usize, bytes: Vec<u8>) {
        let from = self.index();
        self.outstanding += bytes.len();
        self.sent += bytes.len() as u64;
        self.batches.send(to, from, bytes);
    }

    /// Whether more may be sent before others took what is on the way.
    pub fn has_room(&self) -> bool {
        self.outstanding < WINDOW
    }

    /// A batch that arrived.
    pub fn take(&mut self) -> Option<Parcel> {
        let batch = self.batches.take()?;
        let taken = &mut self.taken[batch.from];
        *taken += batch.bytes.len();
        if *taken > WINDOW / 4 / self.worker.peers() {
            let receipt = [self.batches.epoch, std::mem::take(taken) as u64].map(u64::to_le_bytes);
            let from = self.worker.index();
            self.receipts.send(batch.from, from, receipt.as_flattened().to_vec());
        }
        Some(batch)
    }

    /// Lets the dataflow go on, and waits a moment if there is nothing to do.
    pub fn step(&mut self, may_wait: bool) {
        self.worker.step_or_park(Some(if may_wait { PATIENCE } else { Duration::ZERO }));
        while let Some(receipt) = self.receipts.take() {
            if let Some((epoch, length)) = receipt.bytes.split_first_chunk::<8>()
                && u64::from_le_bytes(*epoch) == self.batches.epoch
                && let Ok(length) = length.try_into()
            {
                let length = u64::from_le_bytes(length) as usize;
                self.outstanding = self.outstanding.saturating_sub(length);
            }
        }
    }

    /// Sends no more batches of this level.
    pub fn end_level(&mut self) {
        self.batches.advance();
        self.receipts.advance();
        self.outstanding = 0;
        self.taken.fill(0);
    }

    /// Whether all batches of the level that was ended have arrived.
    pub fn is_level_over(&self) -> bool {
        self.batches.is_over()
    }

    /// Says a word to all workers; [`Flow::heard`] has the words of all.
    pub fn say(&mut self, word: &[u8]) {
        let from = self.index();
        for to in 0..self.n_workers() {
            self.words.send(to, from, word.to_vec());
        }
        self.words.advance();
    }

    /// What each worker said, by worker, once all have.
    pub fn heard(&mut self) -> Option<Vec<Vec<u8>>> {
        if !self.words.is_over() {
            return None;
        }
        let mut all = self.words.take_past();
        all.sort_by_key(|parcel| parcel.from);
        Some(all.into_iter().map(|parcel| parcel.bytes).collect())
    }

    /// Ends the dataflow: nothing is sent any more, and everything that was is taken. Says whether that
    /// succeeded before `is_hopeless`.
    pub fn close(self, is_hopeless: impl Fn() -> bool) -> bool {
        let Self { mut worker, batches, words, receipts, .. } = self;
        drop([batches, words, receipts].map(|channel| channel.input));
        while worker.step_or_park(Some(PATIENCE)) {
            if is_hopeless() {
                std::mem::forget(worker);
                return false;
            }
        }
        true
    }

    /// Gives the dataflow up without an end that others would take for a proper one.
    pub fn abandon(self) {
        std::mem::forget(self);
    }
}
