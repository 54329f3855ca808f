//! Every name that the manual says is under control is the simulated one: two globs with the same
//! name would silently let the real one win. The table of the manual is made from the lists here.

use std::any::{type_name, type_name_of_val};

use quadrille_sim_std::{hint, sync, thread, time};

/// A row of the table: what is under control, as Rust names it and as the compiler does.
struct Row {
    module: &'static str,
    names: Vec<(&'static str, &'static str)>,
    real: &'static str,
}

macro_rules! row {
    ($module:literal, types [$($type:ty),*], functions [$($name:literal = $function:expr),*], real $real:literal) => {
        Row {
            module: $module,
            names: vec![
                $((bare(stringify!($type)), type_name::<$type>()),)*
                $(($name, type_name_of_val(&$function)),)*
            ],
            real: $real,
        }
    };
}

/// `sync::Mutex<()>` is shown as `Mutex`.
fn bare(path: &'static str) -> &'static str {
    let path = path.split('<').next().unwrap_or(path).trim();
    path.rsplit("::").next().unwrap_or(path).trim()
}

fn table() -> Vec<Row> {
    vec![
        row!("thread",
            types [thread::Builder, thread::JoinHandle<()>, thread::Thread, thread::Scope<'static, 'static>,
                thread::ScopedJoinHandle<'static, ()>, thread::LocalKey<u8>],
            functions ["spawn" = thread::spawn::<fn(), ()>, "park" = thread::park,
                "park_timeout" = thread::park_timeout, "sleep" = thread::sleep,
                "yield_now" = thread::yield_now, "current" = thread::current],
            real "`available_parallelism`, `panicking`"),
        row!("sync",
            types [sync::Mutex<()>, sync::MutexGuard<'static, ()>, sync::RwLock<()>,
                sync::RwLockReadGuard<'static, ()>, sync::RwLockWriteGuard<'static, ()>, sync::Condvar,
                sync::Once, sync::OnceLock<()>, sync::LazyLock<()>, sync::Barrier],
            functions [],
            real "`Arc`, `Weak`, poisoning"),
        row!("sync::mpsc",
            types [sync::mpsc::Sender<()>, sync::mpsc::SyncSender<()>, sync::mpsc::Receiver<()>],
            functions ["channel" = sync::mpsc::channel::<()>,
                "sync_channel" = sync::mpsc::sync_channel::<()>],
            real "errors"),
        row!("sync::atomic",
            types [sync::atomic::AtomicBool, sync::atomic::AtomicPtr<()>, sync::atomic::AtomicI8,
                sync::atomic::AtomicI16, sync::atomic::AtomicI32, sync::atomic::AtomicI64,
                sync::atomic::AtomicIsize, sync::atomic::AtomicU8, sync::atomic::AtomicU16,
                sync::atomic::AtomicU32, sync::atomic::AtomicU64, sync::atomic::AtomicUsize],
            functions ["fence" = sync::atomic::fence],
            real "`Ordering`"),
        row!("time", types [time::Instant, time::SystemTime], functions [], real "`Duration`"),
        row!("hint", types [], functions ["spin_loop" = hint::spin_loop], real "everything else"),
    ]
}

#[test]
fn every_name_is_the_simulated_one() {
    for row in table() {
        for (name, origin) in row.names {
            let is_ours = origin.starts_with("quadrille_sim_std::");
            assert!(is_ours, "{}::{name} is {origin}", row.module);
        }
    }
}

#[test]
fn the_manual_has_this_table() {
    let manual = include_str!("../../../../docs/programs.md");
    for Row { module, names, real } in table() {
        let names: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
        let line = format!("| `{module}` | {} | {real} |", names.join(", "));
        assert!(manual.lines().any(|known| known == line), "docs/programs.md should have\n{line}");
    }
}
