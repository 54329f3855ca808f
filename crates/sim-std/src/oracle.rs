//! A memory oracle on stable Rust: an allocator that keeps freed memory of an execution aside and
//! fills it with a pattern, so that freeing twice and writing after freeing are noticed.
//!
//! Install it in a test binary:
//!
//! ```ignore
//! #[global_allocator]
//! static MEMORY: quadrille_sim_std::oracle::Quarantine = quadrille_sim_std::oracle::Quarantine;
//! ```
//!
//! With the feature `oracle` this crate installs it by itself. Reads of freed memory are not
//! noticed as such, only what comes of them: the pattern is an address that is never valid.

use ::std::alloc::{GlobalAlloc, Layout, System};
use ::std::cell::{Cell, RefCell};
use ::std::collections::BTreeMap;
use ::std::ptr::{self, null_mut};

use quadrille_sim::strategy::Execution;
use quadrille_sim::{Fault, Monitor, task};

/// The allocator. Outside of simulations it is the system's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quarantine;

const PATTERN: u8 = 0xDB;

/// What is known about a block that was allocated in this execution.
#[derive(Clone, Copy)]
struct Block {
    layout: Layout,
    is_freed: bool,
}

/// What is known of the memory of an exploring thread's executions.
struct Known {
    /// Set while the oracle itself allocates.
    is_busy: Cell<bool>,
    blocks: RefCell<BTreeMap<usize, Block>>,
    kept_bytes: Cell<usize>,
    /// Whether an execution left blocks that are not released.
    has_blocks: Cell<bool>,
}

::std::thread_local! {
    static KNOWN: Known = const {
        Known {
            is_busy: Cell::new(false),
            blocks: RefCell::new(BTreeMap::new()),
            kept_bytes: Cell::new(0),
            has_blocks: Cell::new(false),
        }
    };
}

/// Calls `f` on what is known, unless the thread ends. Tasks that have threads of their own know what
/// the thread knows that explores them.
fn with_known<R>(f: impl FnOnce(&Known) -> R) -> Option<R> {
    let inherited: *const Known = task::inherited().cast();
    // SAFETY: `MemoryMonitor` leaves the variable of the exploring thread, which outlives the threads
    // of its tasks, as far as they ever go on; one of them runs at a time.
    match unsafe { inherited.as_ref() } {
        Some(known) => Some(f(known)),
        None => KNOWN.try_with(f).ok(),
    }
}

/// Whether an execution left blocks that are not released.
fn has_blocks() -> bool {
    with_known(|known| known.has_blocks.get()).unwrap_or(false)
}

/// No more than this is kept aside in one execution; then freed memory is really freed.
const MAX_KEPT: usize = 1 << 30;

/// Calls `f` on the blocks, unless the oracle is at work already or the thread ends.
fn with_blocks<R>(f: impl FnOnce(&mut BTreeMap<usize, Block>) -> R) -> Option<R> {
    with_known(|known| {
        if known.is_busy.replace(true) {
            return None;
        }
        let result = known.blocks.try_borrow_mut().ok().map(|mut blocks| f(&mut blocks));
        known.is_busy.set(false);
        result
    })
    .flatten()
}

/// What to do with a block that is given back.
enum Fate {
    /// It is not one of this execution's.
    Real,
    Keep(Layout),
    Wrong,
}

fn fate(address: usize) -> Fate {
    let is_pattern = address >> 16 == usize::from_ne_bytes([PATTERN; size_of::<usize>()]) >> 16;
    if is_pattern {
        task::alarm("memory: a pointer that was read from freed memory is freed");
        return Fate::Wrong;
    }
    let kept = with_known(|known| known.kept_bytes.get()).unwrap_or(0);
    let fate = with_blocks(|blocks| match blocks.get_mut(&address) {
        None => Fate::Real,
        Some(block) if block.is_freed => {
            task::alarm("memory: a block is freed twice");
            Fate::Wrong
        }
        Some(_) if kept > MAX_KEPT => {
            blocks.remove(&address);
            Fate::Real
        }
        Some(block) => {
            block.is_freed = true;
            Fate::Keep(block.layout)
        }
    });
    if let Some(Fate::Keep(layout)) = &fate {
        with_known(|known| known.kept_bytes.set(kept + layout.size()));
    }
    fate.unwrap_or(Fate::Real)
}

// SAFETY: every block comes from the system's allocator with the layout that was asked for, and
// goes back to it with the same layout, once: at the latest by `release`.
unsafe impl GlobalAlloc for Quarantine {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        let block = unsafe { System.alloc(layout) };
        if task::is_running() && !block.is_null() {
            with_blocks(|blocks| blocks.insert(block as usize, Block { layout, is_freed: false }));
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if task::is_running() {
            match fate(block as usize) {
                Fate::Real => {}
                Fate::Wrong => return,
                Fate::Keep(layout) => {
                    // SAFETY: the block is the caller's until now, and of this size.
                    return unsafe { ptr::write_bytes(block, PATTERN, layout.size()) };
                }
            }
        } else if has_blocks() {
            // An execution's block that is given back after it, for instance by who reports.
            with_blocks(|blocks| blocks.remove(&(block as usize)));
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !task::is_running() && !has_blocks() {
            // SAFETY: the caller's promise.
            return unsafe { System.realloc(block, layout, size) };
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        // SAFETY: a fresh block, as much as fits, then the old one as the caller promises.
        unsafe {
            let fresh = self.alloc(wanted);
            if !fresh.is_null() {
                ptr::copy_nonoverlapping(block, fresh, layout.size().min(size));
                self.dealloc(block, layout);
            }
            fresh
        }
    }
}

/// Looks for writes to freed memory and for leaks, and really frees what was kept aside.
fn release() -> (usize, usize) {
    let blocks = with_blocks(|blocks| ::std::mem::take(&mut *blocks)).unwrap_or_default();
    let (mut written, mut leaked) = (0, 0);
    for (address, block) in &blocks {
        let memory = *address as *mut u8;
        if !block.is_freed {
            leaked += 1;
            continue;
        }
        // SAFETY: the block was kept aside by `dealloc`, which filled it; nothing else frees it.
        unsafe {
            let bytes = ::std::slice::from_raw_parts(memory, block.layout.size());
            written += usize::from(bytes.iter().any(|&byte| byte != PATTERN));
            System.dealloc(memory, block.layout);
        }
    }
    with_known(|known| {
        known.is_busy.set(true);
        drop(blocks);
        known.is_busy.set(false);
        known.kept_bytes.set(0);
        known.has_blocks.set(false);
    });
    (written, leaked)
}

/// Judges the memory of every execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryMonitor {
    /// Whether blocks that are allocated in an execution and never freed are a fault. Statics that
    /// are initialised in it are such blocks.
    pub reports_leaks: bool,
}

impl Monitor for MemoryMonitor {
    fn begin(&mut self) {
        KNOWN.with(|known| {
            known.has_blocks.set(true);
            task::inherit(::std::ptr::from_ref(known).cast());
        });
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Option<Fault> {
        let (written, leaked) = release();
        let message = if written > 0 {
            format!("{written} blocks were written to after they were freed")
        } else if self.reports_leaks && execution.is_complete && leaked > 0 {
            format!("{leaked} blocks were never freed")
        } else {
            return None;
        };
        Some(Fault::Check { name: "memory".to_owned(), message })
    }
}
