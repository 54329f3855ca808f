//! Message boxes: messages between processes, matched on sender and receiver where these are named, with sending that
//! waits for the receiver (rendezvous) or does not.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::port::{Port, open};
use crate::{Context, ModelTime, Process, ProcessId, State};

/// A message as it is received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter<M> {
    /// The process that sent it; none if it came through a [`Port`].
    pub from: Option<ProcessId>,
    /// What was sent.
    pub message: M,
}

/// A box for messages. A clone is the same box.
pub struct MessageBox<M> {
    context: Context,
    content: Rc<RefCell<Content<M>>>,
}

struct Content<M> {
    stored: VecDeque<Stored<M>>,
    receivers: VecDeque<Receiver>,
    /// Letters for receivers that are scheduled but have not run yet.
    handed_over: Vec<(ProcessId, Letter<M>)>,
}

struct Stored<M> {
    letter: Letter<M>,
    to: Option<ProcessId>,
    /// Whether the sender waits until this is received.
    is_rendezvous: bool,
}

struct Receiver {
    process: ProcessId,
    from: Option<ProcessId>,
}

impl Receiver {
    fn takes<M>(&self, letter: &Letter<M>, to: Option<ProcessId>) -> bool {
        to.is_none_or(|to| to == self.process)
            && self.from.is_none_or(|from| letter.from == Some(from))
    }
}

impl<M: 'static> MessageBox<M> {
    /// An empty box.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        let content = Content {
            stored: VecDeque::new(),
            receivers: VecDeque::new(),
            handed_over: Vec::new(),
        };
        Self { context: context.clone(), content: Rc::new(RefCell::new(content)) }
    }

    /// Sends without waiting: to anybody, or to one process only.
    pub fn post(&self, sender: &Process<'_>, message: M, to: Option<ProcessId>) {
        sender.must_belong_to(&self.context);
        let letter = Letter { from: Some(sender.id()), message };
        if let Some(letter) = self.hand_over(letter, to, self.context.now()) {
            self.content.borrow_mut().stored.push_back(Stored { letter, to, is_rendezvous: false });
        }
    }

    /// Sends, and goes on when the message has been received.
    pub fn send(&self, sender: &Process<'_>, message: M, to: Option<ProcessId>) {
        sender.must_belong_to(&self.context);
        let letter = Letter { from: Some(sender.id()), message };
        if let Some(letter) = self.hand_over(letter, to, self.context.now()) {
            self.content.borrow_mut().stored.push_back(Stored { letter, to, is_rendezvous: true });
            sender.wait(State::BlockedOnSend);
        }
    }

    /// Receives the oldest message for this process, from anybody or from one process only; waits for one if there is none.
    ///
    /// # Panics
    /// Never, while the box is used through its methods.
    #[must_use]
    pub fn receive(&self, receiver: &Process<'_>, from: Option<ProcessId>) -> Letter<M> {
        if let Some(letter) = self.try_receive(receiver, from) {
            return letter;
        }
        self.content.borrow_mut().receivers.push_back(Receiver { process: receiver.id(), from });
        receiver.wait(State::BlockedOnReceive);
        let handed_over = &mut self.content.borrow_mut().handed_over;
        let place = handed_over.iter().position(|(process, _)| *process == receiver.id());
        handed_over.swap_remove(place.expect("who is woken has a letter")).1
    }

    /// Receives the oldest message for this process, if there is one.
    #[must_use]
    pub fn try_receive(
        &self,
        receiver: &Process<'_>,
        from: Option<ProcessId>,
    ) -> Option<Letter<M>> {
        receiver.must_belong_to(&self.context);
        let receiver = Receiver { process: receiver.id(), from };
        let stored = &mut self.content.borrow_mut().stored;
        let place = stored.iter().position(|stored| receiver.takes(&stored.letter, stored.to))?;
        let taken = stored.remove(place)?;
        if let (true, Some(sender)) = (taken.is_rendezvous, taken.letter.from) {
            self.context.schedule(sender, self.context.now());
        }
        Some(taken.letter)
    }

    /// How many messages are in the box.
    #[must_use]
    pub fn len(&self) -> usize {
        self.content.borrow().stored.len()
    }

    /// Whether no message is in the box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives the letter to the first receiver that waits for such a one; returns it if none does.
    fn hand_over(
        &self,
        letter: Letter<M>,
        to: Option<ProcessId>,
        time: ModelTime,
    ) -> Option<Letter<M>> {
        let content = &mut *self.content.borrow_mut();
        let Some(place) = content.receivers.iter().position(|receiver| receiver.takes(&letter, to))
        else {
            return Some(letter);
        };
        let receiver = content.receivers.remove(place)?;
        content.handed_over.push((receiver.process, letter));
        self.context.schedule(receiver.process, time);
        None
    }
}

impl<M: Send + 'static> MessageBox<M> {
    /// A way into this box for threads outside of the simulation.
    #[must_use]
    pub fn port(&self) -> Port<M> {
        let target = self.clone();
        open(self.context.doorbell(), move |message, time| {
            let letter = Letter { from: None, message };
            if let Some(letter) = target.hand_over(letter, None, time) {
                let stored = Stored { letter, to: None, is_rendezvous: false };
                target.content.borrow_mut().stored.push_back(stored);
            }
        })
    }
}

impl<M> Clone for MessageBox<M> {
    fn clone(&self) -> Self {
        Self { context: self.context.clone(), content: Rc::clone(&self.content) }
    }
}

impl<M> std::fmt::Debug for MessageBox<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let content = self.content.borrow();
        write!(
            f,
            "MessageBox({} stored, {} waiting)",
            content.stored.len(),
            content.receivers.len()
        )
    }
}
