//! Lists the sources of the simulated `std`, so that the command carries them with it.
#![allow(clippy::disallowed_methods)] // a build script reads files

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let crates = here.parent().expect("crates/ is the parent");
    let mut list = String::from("const SOURCES: &[(&str, &str)] = &[\n");
    // Of the simulation library, only the axis of model time and the generator of decisions.
    let used = ["time.rs", "split_mix.rs"];
    let mut files = used.map(|name| crates.join("simulation/src").join(name)).to_vec();
    files.iter().for_each(|file| println!("cargo::rerun-if-changed={}", file.display()));
    for name in ["sim", "sim-std"] {
        let source = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        collect(&source, &mut files)?;
    }
    files.sort();
    for file in files {
        let shown = file.strip_prefix(crates).expect("below crates/").display().to_string();
        writeln!(list, "    ({shown:?}, include_str!({file:?})),").expect("a string");
    }
    list.push_str("];\n");
    let root = crates.parent().expect("crates/ is in the workspace");
    writeln!(list, "const LOCK: &str = include_str!({:?});", root.join("Cargo.lock"))
        .expect("a string");
    let workspace = root.join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", workspace.display());
    let manifest = fs::read_to_string(workspace)?;
    for name in ["corosensei", "libc", "rustc-hash"] {
        let line = manifest.lines().find(|line| line.starts_with(&format!("{name} = ")));
        let version = line.and_then(|line| line.split('"').nth(1)).expect("a version");
        let constant = name.to_uppercase().replace('-', "_");
        writeln!(list, "const {constant}: &str = {version:?};").expect("a string");
    }
    fs::write(Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("sources.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
