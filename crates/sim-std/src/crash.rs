//! A program that reads or writes where it must not is ended by a signal. In a test binary that is
//! said with the schedule that led there.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // the `main` of a test binary

use ::std::sync::OnceLock;

use quadrille_sim::{Memory, task};

/// The test that runs.
#[derive(Clone, Default)]
struct Test {
    name: String,
    is_json: bool,
    memory: Memory,
    /// Executions by earlier strategies.
    executions: u64,
    /// If several workers explore it: which test it is, and the worst verdict before it.
    helped: Option<(usize, u64)>,
}

/// Which test to begin with, in the environment of a process that goes on for another one.
pub(crate) const FROM: &str = "QUADRILLE_SIM_FROM";
/// The worst verdict before it.
pub(crate) const WORST: &str = "QUADRILLE_SIM_WORST";

static TEST: OnceLock<::std::sync::Mutex<Test>> = OnceLock::new();

/// Names the test that runs.
pub(crate) fn name_test(name: &str, is_json: bool, memory: Memory) {
    let test = TEST.get_or_init(::std::sync::Mutex::default);
    if let Ok(mut test) = test.lock() {
        *test = Test { name: name.to_owned(), is_json, memory, executions: 0, helped: None };
    }
}

/// Several workers explore the test, which has this number; this was the worst verdict before it.
pub(crate) fn has_helpers(index: usize, worst: u64) {
    if let Some(Ok(mut test)) = TEST.get().map(|test| test.lock()) {
        test.helped = Some((index, worst));
    }
}

/// If several workers explore the test, begins with it again, with one worker in a process of its own:
/// what one worker alone would find there is what is to be told.
#[cfg(unix)]
pub(crate) fn go_on_alone() {
    use ::std::os::unix::process::CommandExt as _;
    let helped = TEST.get().and_then(|test| test.try_lock().ok()?.helped);
    let Some((index, worst)) = helped else { return };
    let mut command = ::std::process::Command::new("/proc/self/exe");
    command.args(::std::env::args_os().skip(1)).env("QUADRILLE_SIM_WORKERS", "1");
    command.env(FROM, index.to_string()).env(WORST, worst.to_string());
    // SAFETY: the set is plain data, made empty by the first call, and outlives the second. The signal
    // under way would stay blocked in the new process, which could not tell of its own crash.
    unsafe {
        let mut none: libc::sigset_t = ::std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ::std::ptr::null_mut());
    }
    // It comes back only if that is refused.
    let _ = command.exec();
}

/// A process cannot take the place of this one here.
#[cfg(not(unix))]
pub(crate) fn go_on_alone() {}

/// So many executions of the test are over.
pub(crate) fn count_executions(executions: u64) {
    if let Some(Ok(mut test)) = TEST.get().map(|test| test.lock()) {
        test.executions = executions;
    }
}

/// Says what was wrong and ends the process with the exit code of a violation.
#[cfg(unix)]
extern "C" fn crashed(signal: libc::c_int) {
    go_on_alone();
    let what = match signal {
        libc::SIGBUS => "SIGBUS: an address that does not exist",
        libc::SIGABRT => "SIGABRT: a panic that cannot unwind, such as the use of a null pointer",
        _ => "SIGSEGV: an address that is not its own, or a stack that is too small",
    };
    let test = TEST.get().and_then(|test| test.try_lock().ok().map(|test| test.clone()));
    let test = test.unwrap_or_default();
    let (trace, schedule, execution) = task::crash_site().unwrap_or_default();
    let execution = test.executions + execution;
    let memory = test.memory;
    let details = format!(
        "memory: the program was ended by {what}{trace}\n  in execution {execution}, memory model \
         {memory}, replay with {schedule}"
    );
    let answer = crate::harness::Answer::crash(details, schedule, execution);
    answer.print(&test.name, test.is_json, memory);
    // SAFETY: ends the process at once; nothing of it is used any more.
    unsafe { libc::_exit(1) };
}

/// From now on, crashes are told.
#[cfg(unix)]
pub(crate) fn watch() {
    const SIZE: usize = 256 * 1024;
    let stack = Box::leak(vec![0_u8; SIZE].into_boxed_slice());
    // SAFETY: the stack is never freed; the handler is a function of the right type; both structs
    // are plain data for which zero is valid.
    unsafe {
        let mut alternative: libc::stack_t = ::std::mem::zeroed();
        alternative.ss_sp = stack.as_mut_ptr().cast();
        alternative.ss_size = SIZE;
        libc::sigaltstack(&raw const alternative, ::std::ptr::null_mut());
        let mut action: libc::sigaction = ::std::mem::zeroed();
        action.sa_sigaction = crashed as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const action, ::std::ptr::null_mut());
        libc::sigaction(libc::SIGBUS, &raw const action, ::std::ptr::null_mut());
        libc::sigaction(libc::SIGABRT, &raw const action, ::std::ptr::null_mut());
    }
}

/// Crashes are not told here.
#[cfg(not(unix))]
pub(crate) fn watch() {}
