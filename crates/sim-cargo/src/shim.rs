//! Building the simulated `std`, and asking the compiler whether it takes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::wrapper::{COPIED, REPLACED};
use crate::{Problem, cannot_start, clean_cargo, copies};

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The simulated `std`, compiled.
pub(crate) struct Shim {
    pub(crate) library: PathBuf,
    pub(crate) dependencies: PathBuf,
    /// The platform that everything is built for. Naming it keeps build scripts and procedural
    /// macros apart from what is explored.
    pub(crate) host: String,
    /// The folder of it and of what is built against it, named by what it is made from: cargo does
    /// not notice that `std` has changed.
    pub(crate) folder: PathBuf,
}

/// Compiles the simulated `std` below `folder`.
pub(crate) fn build(folder: &Path, features: &str) -> Result<Shim, Problem> {
    let (host, compiler) = host()?;
    let folder = folder.join(format!("{:016x}", key(&compiler, features)));
    let source = folder.join("std");
    write_sources(&source).map_err(|error| {
        Problem::new(
            format!("{} cannot be written: {error}", source.display()),
            "make the target folder writable, or set CARGO_TARGET_DIR",
        )
    })?;
    let target = source.join("target");
    let mut command = clean_cargo();
    command.args(["build", "--quiet", "--release", "--package", "quadrille-sim-std", "--target"]);
    command.arg(&host).env("CARGO_TARGET_DIR", &target).current_dir(&source);
    command.args(["--features", features]);
    // What a user asks for is meant for the crates to be explored.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    let status = command.status().map_err(|error| cannot_start(&error))?;
    if !status.success() {
        return Err(Problem::new(
            "the simulated std does not compile",
            "it needs the crates corosensei, libc and rustc-hash: connect to the registry once",
        ));
    }
    let release = target.join(&host).join("release");
    let library = release.join("libquadrille_sim_std.rlib");
    Ok(Shim { library, dependencies: release.join("deps"), host, folder })
}

/// A hash of all that the simulated `std` is made from (FNV-1a).
fn key(compiler: &str, features: &str) -> u64 {
    let texts = SOURCES.iter().flat_map(|(path, text)| [*path, *text]);
    texts
        .chain([LOCK, MANIFEST, compiler, features])
        .flat_map(str::bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// The workspace that the simulated `std` is compiled in.
const MANIFEST: &str = "[workspace]\nmembers = [\"sim\", \"sim-std\", \"simulation\"]\nresolver = \"3\"\n\n\
                        [profile.release]\ndebug = \"line-tables-only\"\ncodegen-units = 1\n";

fn write_sources(folder: &Path) -> std::io::Result<()> {
    let package = |name: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"{}\"\nedition = \"2024\"\n",
            env!("CARGO_PKG_VERSION")
        )
    };
    let sim = format!(
        "{}\n[dependencies]\ncorosensei = \"{COROSENSEI}\"\nrustc-hash = \"{RUSTC_HASH}\"\n\
         quadrille-simulation = {{ path = \"../simulation\" }}\n",
        package("quadrille-sim")
    );
    let simulation = package("quadrille-simulation");
    let sim_std = format!(
        "{}\n[features]\noracle = []\ncells = []\n\n[dependencies]\nquadrille-sim = {{ path = \"../sim\" }}\n\
         libc = \"{LIBC}\"\n",
        package("quadrille-sim-std")
    );
    write(&folder.join("Cargo.toml"), MANIFEST)?;
    write(&folder.join("sim/Cargo.toml"), &sim)?;
    write(&folder.join("sim-std/Cargo.toml"), &sim_std)?;
    write(&folder.join("simulation/Cargo.toml"), &simulation)?;
    let library =
        "mod split_mix;\nmod time;\npub use split_mix::Random;\npub use time::ModelTime;\n";
    write(&folder.join("simulation/src/lib.rs"), library)?;
    // Cargo drops what is not needed; what is needed comes in the versions that were tested.
    if !folder.join("Cargo.lock").exists() {
        write(&folder.join("Cargo.lock"), LOCK)?;
    }
    SOURCES.iter().try_for_each(|(path, text)| write(&folder.join(path), text))
}

/// Writes a file unless it says that already: cargo looks at the time of change.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// The compiler's platform, and all it says about itself.
fn host() -> Result<(String, String), Problem> {
    let output = Command::new(rustc()).arg("-vV").output();
    let output = output.map_err(|error| cannot_start(&error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(|host| (host.to_owned(), text.to_string())).ok_or_else(|| {
        Problem::new("rustc -vV names no host", "install a Rust toolchain that does")
    })
}

/// How the simulated `std` gets in the place of the real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// The compiler is told to take it: `--extern std=…`.
    Replaced,
    /// Copies of the crates name it.
    Copied,
}

/// Finds a way that the compiler goes along with: it is promised for none.
pub(crate) fn probe(shim: &Shim, copies: bool) -> Result<Mechanism, Problem> {
    let refused = if copies { None } else { refusal(shim, Mechanism::Replaced)? };
    if refused.is_none() && !copies {
        return Ok(Mechanism::Replaced);
    }
    match refusal(shim, Mechanism::Copied)? {
        None => Ok(Mechanism::Copied),
        Some(message) => Err(Problem::new(
            format!(
                "this compiler does not take another crate for std:\n{}{message}",
                refused.unwrap_or_default()
            ),
            "use the explicit way: `use quadrille::sim::std::{sync, thread, time}` in a #[test]",
        )),
    }
}

/// What the compiler says against a crate that is compiled in this way.
fn refusal(shim: &Shim, mechanism: Mechanism) -> Result<Option<String>, Problem> {
    let folder = &shim.folder;
    let source = folder.join("probe.rs");
    let text = "pub use std::harness::test_main_static; pub use core::thread::LocalKey;\n\
                pub fn spawns() { std::thread::spawn(|| println!(\"{:?}\", Some(1))); }\n\
                thread_local!(static X: u8 = 1); pub fn x() -> &'static LocalKey<u8> { &X }\n";
    let (text, names) = match mechanism {
        Mechanism::Replaced => (text.to_owned(), &REPLACED[..]),
        Mechanism::Copied => (copies::named(text), &COPIED[..]),
    };
    let failed = |error: &std::io::Error| cannot_start(error);
    write(&source, &text).map_err(|error| failed(&error))?;
    let mut command = Command::new(rustc());
    command.args(["--edition=2021", "--crate-type=rlib", "--crate-name=probe", "--emit=metadata"]);
    command.arg("--target").arg(&shim.host).arg("--out-dir").arg(folder).arg(&source);
    crate::wrapper::add_shim(&mut command, names, &shim.library, &shim.dependencies);
    let output = command.output().map_err(|error| failed(&error))?;
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(says))
}
