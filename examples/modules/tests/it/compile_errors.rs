//! What the compiler says about programs that do not follow their protocol: in words of the protocol.
#![allow(clippy::disallowed_methods)] // it writes programs and runs the compiler on them

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The folder with the libraries that this test was linked from.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.parent().expect("a folder").to_owned()
}

/// The crate of this package, newest first: there may be several of other builds.
fn builds(folder: &Path) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libquadrille_example_modules-")
            && path.extension().is_some_and(|it| it == "rlib")
    };
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut builds: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
    let changed = |path: &PathBuf| {
        path.metadata().and_then(|it| it.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    builds.sort_by_key(|path| std::cmp::Reverse(changed(path)));
    builds
}

/// What the compiler says about the body of a function; nothing if it compiles.
fn errors(name: &str, library: &Path, body: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, out) = (folder.join(format!("{name}.rs")), folder.join(format!("{name}.rmeta")));
    let text = format!(
        "use quadrille_example_modules::{{chess, two_phase_commit}};\n\
         pub fn run() -> Result<(), Box<dyn std::error::Error>> {{\n    {body}\n    Ok(())\n}}\n"
    );
    std::fs::write(&source, text).expect("a folder to write to");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut extern_crate = std::ffi::OsString::from("quadrille_example_modules=");
    extern_crate.push(library);
    let output = Command::new(compiler)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-A", "warnings"])
        .arg("-L")
        .arg(libraries())
        .arg("--extern")
        .arg(extern_crate)
        .arg("-o")
        .arg(out)
        .arg(source)
        .output()
        .expect("a compiler");
    let told = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.success(), told.is_empty(), "{told}");
    told
}

#[test]
fn errors_speak_of_the_protocol() {
    let follows = "let chess::Roles { white, black } = chess::liberal().into_roles();
    let white = white.typed().send(chess::Move)?;
    let (chess::Move, _black) = black.typed().recv()?;
    let (chess::Move, _white) = white.recv()?;";
    let builds = builds(&libraries());
    let usable = |library: &&PathBuf| errors("follows", library, follows).is_empty();
    let library = builds.iter().find(usable).expect("the crate that this test was linked with");
    for (name, body, wanted) in [
        (
            "begins",
            "chess::liberal().into_roles().black.typed().send(chess::Move)?;",
            &["no method named `send` found for struct", "Start` in the current scope"][..],
        ),
        (
            "twice",
            "let white = chess::liberal().into_roles().white.typed();
    white.send(chess::Move)?.send(chess::Move)?;",
            &["no method named `send` found for struct", "AwaitMove` in the current scope"],
        ),
        (
            "again",
            "let white = chess::liberal().into_roles().white.typed();
    white.send(chess::Move)?; white.send(chess::Move)?;",
            &["use of moved value: `white`", "method call"],
        ),
        (
            "message",
            "chess::liberal().into_roles().white.typed().send(two_phase_commit::Ack)?;",
            &["mismatched types", "expected `Move`, found `Ack`"],
        ),
        (
            "unknown",
            "two_phase_commit::liberal().into_roles().coordinator.send(chess::Move)?;",
            &[
                "the protocol lets this role send no message",
                "not one of the messages in `CoordinatorSends`",
                "the role sends the messages that `CoordinatorSends` lists",
            ],
        ),
    ] {
        let told = errors(name, library, body);
        for words in wanted {
            assert!(told.contains(words), "{words} in\n{told}");
        }
    }
}
