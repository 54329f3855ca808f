//! The compiler wrapper: what cargo calls instead of `rustc` while the tests are built.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::copies;

/// Where the compiled simulated `std` is; that this is set makes the command a wrapper.
pub(crate) const SHIM: &str = "QUADRILLE_SIM_SHIM";
/// Where its dependencies are.
pub(crate) const DEPENDENCIES: &str = "QUADRILLE_SIM_SHIM_DEPENDENCIES";
/// Where copies of crates are to be made, if the compiler takes no other `std`.
pub(crate) const COPIES: &str = "QUADRILLE_SIM_COPIES";
/// Crates to be left alone, separated by commas.
pub(crate) const DENIED: &str = "QUADRILLE_SIM_DENIED";

/// Whether cargo calls us instead of the compiler.
#[must_use]
pub fn is_wrapper() -> bool {
    std::env::var_os(SHIM).is_some()
}

/// Calls the compiler, with the simulated `std` where it belongs. The first argument is our own
/// name, the second the compiler's.
#[must_use]
pub fn wrap(arguments: &[OsString]) -> ExitCode {
    let (Some(shim), Some(dependencies)) = (std::env::var_os(SHIM), std::env::var_os(DEPENDENCIES))
    else {
        return ExitCode::from(2);
    };
    let Some((compiler, arguments)) = arguments.get(1..).and_then(<[_]>::split_first) else {
        return ExitCode::from(2);
    };
    let denied = std::env::var(DENIED).unwrap_or_default();
    let mut command = Command::new(compiler);
    let mut copy = None;
    if is_converted(arguments, &denied) {
        if let Some(folder) = std::env::var_os(COPIES) {
            let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
            match copies::make(arguments, package.as_ref(), folder.as_ref()) {
                Ok(made) => copy = Some(made),
                Err(message) => {
                    eprintln!("error: {message}");
                    return ExitCode::FAILURE;
                }
            }
        }
        command.args(copy.as_ref().map_or(arguments, |copy| &copy.arguments));
        let names: &[&str] = if copy.is_some() { &COPIED } else { &REPLACED };
        add_shim(&mut command, names, shim.as_ref(), dependencies.as_ref());
        // What a crate denies itself is no matter of exploring it; newer compilers warn of more.
        if !arguments.iter().any(|argument| argument == "--cap-lints") {
            command.args(["--cap-lints", "warn"]);
        }
    } else {
        command.args(arguments);
    }
    let status = command.status();
    if let Some(copy) = copy {
        copy.list_originals();
    }
    match status {
        Ok(status) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101))
        }
        Err(error) => {
            eprintln!("{} cannot be started: {error}", compiler.display());
            ExitCode::from(2)
        }
    }
}

/// What the simulated `std` takes the place of. It is `test`, too: see its `harness`.
pub(crate) const REPLACED: [&str; 3] = ["std", "core", "test"];
/// What it is called in copies, which say themselves where it belongs.
pub(crate) const COPIED: [&str; 2] = [copies::NAME, "test"];

/// Gives the compiler the simulated `std` under some names.
pub(crate) fn add_shim(command: &mut Command, names: &[&str], shim: &Path, dependencies: &Path) {
    for name in names {
        let mut value = OsString::from(name);
        value.push("=");
        value.push(shim);
        command.arg("--extern").arg(value);
    }
    let mut search = OsString::from("dependency=");
    search.push(dependencies);
    command.arg("-L").arg(search);
}

/// Whether a call of the compiler is for something that will be explored. What runs while building
/// (build scripts, procedural macros and what they use) is compiled without `--target`.
fn is_converted(arguments: &[OsString], denied: &str) -> bool {
    let after = |flag: &str| {
        let position = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(position + 1)?.to_str()
    };
    let Some(name) = after("--crate-name") else { return false };
    let is_for_target = arguments.iter().any(|argument| {
        argument == "--target" || argument.as_encoded_bytes().starts_with(b"--target=")
    });
    let is_macro = after("--crate-type") == Some("proc-macro");
    let is_query = arguments.iter().any(|argument| argument == OsStr::new("-"));
    let is_denied = denied.split(',').any(|denied| denied.replace('-', "_") == name);
    is_for_target && !is_macro && !is_query && !is_denied && name != "build_script_build"
}

#[cfg(test)]
mod tests;
