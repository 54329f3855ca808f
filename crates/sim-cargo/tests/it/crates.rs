//! The crates that the tests explore. They use `std` only, and know nothing of any scheduler.

use std::fs;
use std::path::{Path, PathBuf};

/// A workspace with a crate that has races and dependencies, one that has no threads, and one that
/// does what no scheduler can interrupt.
pub(crate) fn write(folder: &Path) -> PathBuf {
    let root = folder.join("unmodified");
    let package = |name: &str, edition: &str, more: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n{more}"
        )
    };
    let needs =
        "\n[dependencies]\nold = { path = \"../old\" }\nmacros = { path = \"../macros\" }\n";
    for (path, text) in [
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"inner\", \"macros\", \"old\", \"own\", \"plain\", \"race\", \"stuck\"]\n"
                .to_owned(),
        ),
        ("macros/Cargo.toml", package("macros", "2021", "\n[lib]\nproc-macro = true\n")),
        ("macros/src/lib.rs", MACROS.to_owned()),
        ("old/Cargo.toml", package("old", "2015", "")),
        ("old/src/lib.rs", OLD.to_owned()),
        ("own/Cargo.toml", package("own", "2018", "\n[dependencies]\ninner = { path = \"../inner\" }\n")),
        ("own/src/lib.rs", OWN.to_owned()),
        ("inner/Cargo.toml", package("inner", "2024", "")),
        ("inner/src/lib.rs", INNER.to_owned()),
        ("inner/src/parts.rs", PARTS.to_owned()),
        ("plain/Cargo.toml", package("plain", "2024", "")),
        ("plain/src/lib.rs", PLAIN.to_owned()),
        ("race/Cargo.toml", package("race", "2021", needs)),
        ("race/build.rs", BUILD.to_owned()),
        ("race/src/lib.rs", RACE.to_owned()),
        ("stuck/Cargo.toml", package("stuck", "2024", "")),
        ("stuck/src/lib.rs", STUCK.to_owned()),
    ] {
        let path = root.join(path);
        if !fs::read_to_string(&path).is_ok_and(|known| known == text) {
            fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    root
}

/// A compiler that takes no crate of these names from the command line.
pub(crate) fn write_refusing_compiler(folder: &Path, names: &[&str]) -> PathBuf {
    let path = folder.join(format!("rustc-without-{}.sh", names.len()));
    let patterns: Vec<String> = names.iter().map(|name| format!("{name}=*")).collect();
    let text = format!(
        "#!/bin/sh\nfor word in \"$@\"; do\n  case \"$word\" in {}) \
         echo \"error: this crate cannot be given\" >&2; exit 1;; esac\ndone\n\
         exec rustc \"$@\"\n",
        patterns.join("|")
    );
    fs::write(&path, text).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    path
}

/// A procedural macro, which is compiled against the real `std`.
const MACROS: &str = r#"//! A macro.
use proc_macro::TokenStream;

/// Doubles a number, on another thread of the compiler.
#[proc_macro]
pub fn twice(input: TokenStream) -> TokenStream {
    let text = input.to_string();
    let doubled = std::thread::spawn(move || format!("2 * ({text})")).join();
    doubled.unwrap().parse().unwrap()
}
"#;

/// A build script, which is compiled against the real `std`.
const BUILD: &str = r#"fn main() {
    let ran = std::thread::spawn(|| 1).join().unwrap();
    println!("cargo::rustc-env=BUILT={ran}");
}
"#;

/// A dependency of the first edition.
const OLD: &str = r#"//! A counter that is not one.
extern crate core;

use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads and writes in two steps.
pub fn increment(counter: &AtomicUsize) {
    let seen = counter.load(Ordering::SeqCst);
    counter.store(::core::cmp::max(seen, seen + 1), Ordering::SeqCst);
}
"#;

/// A crate without `std` of its own accord, in several files.
const INNER: &str = r"//! A counter in two steps.
#![no_std]
extern crate std;

mod parts;

pub use parts::Counter;

/// Reads and writes.
pub fn increment(counter: &Counter) {
    let seen = counter.load(core::sync::atomic::Ordering::SeqCst);
    counter.store(seen + 1, core::sync::atomic::Ordering::SeqCst);
}
";

const PARTS: &str = r"//! What it is.
pub type Counter = core::sync::atomic::AtomicUsize;
";

/// A crate whose threads have variables of their own.
const OWN: &str = r#"//! Variables of threads.
#![cfg(test)]

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

thread_local!(static SEEN: Cell<usize> = Cell::new(0));

#[test]
fn locals_of_threads() {
    let counter = Arc::new(inner::Counter::new(0));
    let other = Arc::clone(&counter);
    let thread = thread::spawn(move || {
        assert_eq!(SEEN.with(|seen| seen.replace(1)), 0, "shared");
        inner::increment(&other);
    });
    assert_eq!(SEEN.with(|seen| seen.replace(1)), 0, "shared");
    inner::increment(&counter);
    thread.join().unwrap();
    assert_eq!(counter.load(std::sync::atomic::Ordering::SeqCst), 2, "lost");
}
"#;

const PLAIN: &str = r"//! No threads.
#[test]
fn adds() {
    assert_eq!(1 + 1, 2);
}
";

const RACE: &str = r#"//! Races.
#![cfg(test)]

use std::sync::atomic::{AtomicUsize, Ordering::{Acquire, Relaxed, SeqCst}};
use std::sync::{Arc, Mutex};
use std::thread;

#[test]
fn check_then_act() {
    let seats = Arc::new(AtomicUsize::new(macros::twice!(1) / 2));
    let other = Arc::clone(&seats);
    let take = |seats: &AtomicUsize| {
        if seats.load(SeqCst) > 0 {
            assert_ne!(seats.fetch_sub(1, SeqCst), 0, "sold twice");
        }
    };
    let thread = thread::spawn(move || take(&other));
    take(&seats);
    thread.join().unwrap();
}

#[test]
fn by_hash_order() {
    let map: std::collections::HashMap<u32, ()> = (0..10).map(|key| (key, ())).collect();
    let locks = [Mutex::new(0), Mutex::new(0)];
    let first = map.keys().next().map_or(0, |key| key % 2);
    *locks[first as usize].lock().unwrap() += 1;
    *locks[0].lock().unwrap() += 1;
}

#[test]
fn counts_in_a_static_lock() {
    static COUNT: Mutex<u64> = Mutex::new(0);
    *COUNT.lock().unwrap() += 1;
}

#[test]
fn waits_with_if() {
    let shared = Arc::new((Mutex::new(false), std::sync::Condvar::new()));
    let other = Arc::clone(&shared);
    let setter = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut is_set = shared.0.lock().unwrap();
    if !*is_set {
        is_set = shared.1.wait(is_set).unwrap();
    }
    assert!(*is_set, "woken without a cause");
    drop(is_set);
    setter.join().unwrap();
}

#[test]
fn relaxed_message() {
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let other = Arc::clone(&shared);
    let thread = thread::spawn(move || {
        other.0.store(1, Relaxed);
        other.1.store(1, Relaxed);
    });
    if shared.1.load(Acquire) == 1 {
        assert_eq!(shared.0.load(Relaxed), 1, "not there");
    }
    thread.join().unwrap();
}

#[test]
fn knows_threads_of_the_system() {
    extern "C" {
        fn pthread_self() -> usize;
    }
    let turns = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&turns);
    let thread = thread::spawn(move || {
        other.fetch_add(1, SeqCst);
        unsafe { pthread_self() }
    });
    turns.fetch_add(1, SeqCst);
    assert_ne!(unsafe { pthread_self() }, thread.join().unwrap(), "one thread");
}

#[test]
fn poisons() {
    let lock = Arc::new(Mutex::new(()));
    let other = Arc::clone(&lock);
    let thread = thread::spawn(move || {
        let _guard = other.lock();
        panic!("on purpose");
    });
    let _ = lock.lock().is_ok();
    assert!(thread.join().is_err());
    assert!(lock.is_poisoned());
}

#[test]
fn under_a_lock() {
    assert_eq!(env!("BUILT"), "1");
    let seats = Arc::new(Mutex::new(1));
    let other = Arc::clone(&seats);
    let thread = thread::spawn(move || *other.lock().unwrap() += 1);
    *seats.lock().unwrap() += 1;
    thread.join().unwrap();
    assert_eq!(*seats.lock().unwrap(), 3);
}

#[test]
fn through_a_dependency() {
    let counter = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&counter);
    let thread = thread::spawn(move || old::increment(&other));
    old::increment(&counter);
    thread.join().unwrap();
    assert_eq!(counter.load(SeqCst), 2);
}

#[test]
#[should_panic(expected = "too late")]
fn panics_as_it_should() {
    let _guard = Mutex::new(0).lock().map(|_| ()).unwrap();
    panic!("it is too late");
}

#[test]
#[should_panic(expected = "too late")]
fn panics_otherwise() {
    let _guard = Mutex::new(0).lock().map(|_| ()).unwrap();
    panic!("another reason");
}

#[test]
fn writes_after_free() {
    let pointer = Box::into_raw(Box::new(7_u64)) as usize;
    let done = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&done);
    let thread = thread::spawn(move || {
        if other.load(SeqCst) == 1 {
            unsafe { *(pointer as *mut u64) = 8 };
        }
    });
    drop(unsafe { Box::from_raw(pointer as *mut u64) });
    done.store(1, SeqCst);
    thread.join().unwrap();
}

#[test]
fn leaks() {
    let lock = Mutex::new(0);
    *lock.lock().unwrap() += 1;
    std::mem::forget(Box::new(7_u64));
}

#[test]
fn follows_a_null_pointer() {
    let pointer = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&pointer);
    let value = Box::into_raw(Box::new(7_u64)) as usize;
    let thread = thread::spawn(move || other.store(value, SeqCst));
    // Nothing makes sure that it was set.
    let found = pointer.load(SeqCst) as *const u64;
    assert_eq!(unsafe { found.read_volatile() }, 7);
    thread.join().unwrap();
}

#[test]
fn statics_begin_anew() {
    static COUNTER: AtomicUsize = AtomicUsize::new(3);
    static CELL: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    thread_local! { static OWN: std::cell::Cell<u32> = const { std::cell::Cell::new(0) } }
    assert_eq!(COUNTER.fetch_add(1, SeqCst), 3);
    assert_eq!(CELL.get(), None);
    CELL.set(1).unwrap();
    let thread = thread::spawn(|| {
        OWN.set(OWN.get() + 1);
        assert_eq!((COUNTER.load(SeqCst), OWN.get()), (4, 1));
    });
    assert_eq!(OWN.get(), 0);
    thread.join().unwrap();
}

#[test]
fn frees_twice() {
    let owner = Arc::new(AtomicUsize::new(Box::into_raw(Box::new(7_u64)) as usize));
    let other = Arc::clone(&owner);
    // The thread that finds a pointer frees it; the check and the swap are two steps.
    let free = |owner: &AtomicUsize| {
        let pointer = owner.load(SeqCst);
        if pointer != 0 {
            owner.store(0, SeqCst);
            drop(unsafe { Box::from_raw(pointer as *mut u64) });
        }
    };
    let thread = thread::spawn(move || free(&other));
    free(&owner);
    thread.join().unwrap();
}
"#;

const STUCK: &str = r#"//! What no scheduler can interrupt.
#![cfg(test)]

use std::sync::Mutex;

unsafe extern "C" {
    safe fn pause() -> i32;
}

#[test]
fn waits_for_a_signal() {
    let lock = Mutex::new(0);
    *lock.lock().unwrap() += 1;
    pause();
}

#[test]
fn computes() {
    let lock = Mutex::new(0_u64);
    let mut count = *lock.lock().unwrap();
    while std::hint::black_box(true) {
        count = std::hint::black_box(count.wrapping_add(1));
    }
}
"#;
