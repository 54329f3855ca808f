//! Queues that keep statistics: how long they were on average, how long elements stayed. A doubly linked list in a vector,
//! so that an element can leave from the middle.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::inspect::{Inspect, QueueView, View};
use crate::{Context, ModelTime, Process, ProcessId, TimeAverage};

const NOWHERE: u32 = u32::MAX;

/// A place in a queue, good until its element leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    index: u32,
    generation: u32,
}

/// A queue in model time. A clone is the same queue.
pub struct Queue<T> {
    context: Context,
    inner: Rc<Inner<T>>,
}

struct Inner<T> {
    name: String,
    list: RefCell<List<T>>,
}

struct List<T> {
    nodes: Vec<Node<T>>,
    free: Vec<u32>,
    first: u32,
    last: u32,
    n: u32,
    length: TimeAverage,
    n_left: u64,
    /// Seconds that those who left have stayed, together.
    stayed: f64,
    /// When those who are in have entered, in seconds, together.
    entered: f64,
}

struct Node<T> {
    generation: u32,
    previous: u32,
    next: u32,
    entered: ModelTime,
    value: Option<T>,
}

impl<T: 'static> Queue<T> {
    /// An empty queue.
    #[must_use]
    pub fn new(context: &Context, name: impl Into<String>) -> Self {
        let list = List {
            nodes: Vec::new(),
            free: Vec::new(),
            first: NOWHERE,
            last: NOWHERE,
            n: 0,
            length: TimeAverage::new(context.now(), 0.0),
            n_left: 0,
            stayed: 0.0,
            entered: 0.0,
        };
        let inner = Rc::new(Inner { name: name.into(), list: RefCell::new(list) });
        let inspected: Rc<dyn Inspect> = inner.clone();
        context.registry().enter(&inspected);
        Self { context: context.clone(), inner }
    }
}

impl<T> Queue<T> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Adds a last element.
    pub fn push_back(&self, value: T) -> Link {
        self.list(|list, now| list.insert(now, list.last, NOWHERE, value))
    }

    /// Adds a first element.
    pub fn push_front(&self, value: T) -> Link {
        self.list(|list, now| list.insert(now, NOWHERE, list.first, value))
    }

    /// Adds an element before another one. Gives it back if that has left.
    pub fn insert_before(&self, link: Link, value: T) -> Result<Link, T> {
        self.list(|list, now| match list.find(link) {
            Some(index) => Ok(list.insert(now, list.nodes[index as usize].previous, index, value)),
            None => Err(value),
        })
    }

    /// Adds an element after another one. Gives it back if that has left.
    pub fn insert_after(&self, link: Link, value: T) -> Result<Link, T> {
        self.list(|list, now| match list.find(link) {
            Some(index) => Ok(list.insert(now, index, list.nodes[index as usize].next, value)),
            None => Err(value),
        })
    }

    /// Takes the first element.
    pub fn pop_front(&self) -> Option<T> {
        self.list(|list, now| list.take(now, list.first))
    }

    /// Takes the last element.
    pub fn pop_back(&self) -> Option<T> {
        self.list(|list, now| list.take(now, list.last))
    }

    /// Takes an element from wherever it is; nothing if it has left.
    pub fn remove(&self, link: Link) -> Option<T> {
        self.list(|list, now| list.find(link).and_then(|index| list.take(now, index)))
    }

    /// Takes all elements.
    pub fn clear(&self) {
        while self.pop_front().is_some() {}
    }

    /// How many elements are in.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.list.borrow().n as usize
    }

    /// Whether no element is in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Since when an element is in.
    #[must_use]
    pub fn entered(&self, link: Link) -> Option<ModelTime> {
        let list = self.inner.list.borrow();
        list.find(link).map(|index| list.nodes[index as usize].entered)
    }

    /// How many elements have left.
    #[must_use]
    pub fn n_left(&self) -> u64 {
        self.inner.list.borrow().n_left
    }

    /// The mean length over model time.
    #[must_use]
    pub fn mean_length(&self) -> f64 {
        self.inner.list.borrow().length.mean(self.context.now())
    }

    /// The greatest length so far.
    #[must_use]
    pub fn greatest_length(&self) -> f64 {
        self.inner.list.borrow().length.most()
    }

    /// How long the elements that have left stayed in the mean.
    #[must_use]
    pub fn mean_stay(&self) -> Duration {
        self.inner.list.borrow().mean_stay()
    }

    /// How long all elements stayed in the mean, those still in up to now.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub fn mean_stay_of_all(&self) -> Duration {
        let list = self.inner.list.borrow();
        let in_now = f64::from(list.n);
        let still = in_now * self.context.now().as_secs_f64() - list.entered;
        mean(list.stayed + still, list.n_left as f64 + in_now)
    }

    fn list<R>(&self, act: impl FnOnce(&mut List<T>, ModelTime) -> R) -> R {
        act(&mut self.inner.list.borrow_mut(), self.context.now())
    }
}

impl<T: Clone> Queue<T> {
    /// The first element.
    #[must_use]
    pub fn front(&self) -> Option<T> {
        let list = self.inner.list.borrow();
        list.nodes.get(list.first as usize)?.value.clone()
    }

    /// The last element.
    #[must_use]
    pub fn back(&self) -> Option<T> {
        let list = self.inner.list.borrow();
        list.nodes.get(list.last as usize)?.value.clone()
    }

    /// All elements, the first one first.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        let list = self.inner.list.borrow();
        let mut values = Vec::with_capacity(list.n as usize);
        let mut index = list.first;
        while let Some(node) = list.nodes.get(index as usize) {
            values.extend(node.value.clone());
            index = node.next;
        }
        values
    }
}

impl Queue<ProcessId> {
    /// Puts the process itself into the queue and passivates it. Who takes it out is to activate it.
    pub fn wait(&self, process: &Process<'_>) {
        process.must_belong_to(&self.context);
        self.push_back(process.id());
        process.passivate();
    }
}

impl<T> List<T> {
    fn find(&self, link: Link) -> Option<u32> {
        let node = self.nodes.get(link.index as usize)?;
        (node.generation == link.generation && node.value.is_some()).then_some(link.index)
    }

    fn insert(&mut self, now: ModelTime, previous: u32, next: u32, value: T) -> Link {
        let index = self.free.pop().unwrap_or_else(|| {
            let index = u32::try_from(self.nodes.len()).expect("fewer than 2^32 elements at once");
            let node =
                Node { generation: 0, previous: NOWHERE, next: NOWHERE, entered: now, value: None };
            self.nodes.push(node);
            index
        });
        let node = &mut self.nodes[index as usize];
        node.generation = node.generation.wrapping_add(1);
        let generation = node.generation;
        (node.previous, node.next, node.entered, node.value) = (previous, next, now, Some(value));
        match previous {
            NOWHERE => self.first = index,
            _ => self.nodes[previous as usize].next = index,
        }
        match next {
            NOWHERE => self.last = index,
            _ => self.nodes[next as usize].previous = index,
        }
        self.n += 1;
        self.entered += now.as_secs_f64();
        self.length.set(now, f64::from(self.n));
        Link { index, generation }
    }

    fn take(&mut self, now: ModelTime, index: u32) -> Option<T> {
        let node = self.nodes.get_mut(index as usize)?;
        let value = node.value.take()?;
        let (previous, next, entered) = (node.previous, node.next, node.entered);
        match previous {
            NOWHERE => self.first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NOWHERE => self.last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
        self.free.push(index);
        self.n -= 1;
        self.n_left += 1;
        self.entered -= entered.as_secs_f64();
        self.stayed += (now - entered).as_secs_f64();
        self.length.set(now, f64::from(self.n));
        Some(value)
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    fn mean_stay(&self) -> Duration {
        mean(self.stayed, self.n_left as f64)
    }
}

fn mean(sum: f64, n: f64) -> Duration {
    if n == 0.0 { Duration::ZERO } else { Duration::try_from_secs_f64(sum / n).unwrap_or_default() }
}

impl<T> Inspect for Inner<T> {
    fn view(&self, now: ModelTime) -> View {
        let list = self.list.borrow();
        View::Queue(QueueView {
            name: self.name.clone(),
            length: list.n as usize,
            mean_length: list.length.mean(now),
            mean_stay: list.mean_stay().as_secs_f64(),
            left: list.n_left,
        })
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { context: self.context.clone(), inner: Rc::clone(&self.inner) }
    }
}

impl<T> std::fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue({}, {} in)", self.name(), self.len())
    }
}
