//! What the roots of copies say.

use super::*;

#[test]
fn a_root_names_the_simulated_std_and_keeps_its_lines() {
    let text = "#![no_std]\n#[cfg(feature = \"std\")]\nextern crate std;\nextern crate core as c;\nfn f() {}";
    let named = named(text);
    let lines: Vec<&str> = named.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "#![no_std]",
            "#[cfg(feature = \"std\")]",
            "extern crate quadrille_sim_std as std;",
            "extern crate quadrille_sim_std as c;",
            "fn f() {}"
        ]
    );
    assert_eq!(lines[5..], ["#[allow(unused)] extern crate quadrille_sim_std as core;"]);
}

#[test]
fn a_copy_is_compiled_as_if_it_were_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::create_dir_all(package.join("inner")).unwrap();
    fs::write(package.join("src/lib.rs"), "mod other;\n").unwrap();
    fs::write(package.join("src/other.rs"), "\n").unwrap();
    fs::write(package.join("inner/Cargo.toml"), "\n").unwrap();
    let root = package.join("src/lib.rs");
    let words = format!(
        "--crate-name a --edition=2021 {} -C extra-filename=-1 --out-dir {}",
        root.display(),
        folder.path().display()
    );
    let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
    let copies = folder.path().join("copies");
    let copy = make(&words, &package, &copies).ok().unwrap();
    let copied = copies.join("a-1/src/lib.rs");
    assert!(copy.arguments.contains(&copied.clone().into_os_string()));
    assert!(!copy.arguments.contains(&root.clone().into_os_string()));
    assert!(fs::read_to_string(copied).unwrap().starts_with("mod other;\n\n#[allow(unused)]"));
    assert!(copies.join("a-1/src/other.rs").exists() && !copies.join("a-1/inner").exists());
    assert_eq!(fs::read_to_string(&root).unwrap(), "mod other;\n");
    // Cargo is told of the original.
    let listing = folder.path().join("a-1.d");
    fs::write(&listing, format!("x: {}/a-1/src/lib.rs\n", copies.display())).unwrap();
    copy.list_originals();
    assert_eq!(fs::read_to_string(listing).unwrap(), format!("x: {}\n", root.display()));
}

#[test]
fn the_first_edition_is_refused() {
    for words in ["--crate-name a src/lib.rs", "--crate-name a --edition=2015 src/lib.rs"] {
        let words: Vec<OsString> = words.split(' ').map(Into::into).collect();
        let message = make(&words, Path::new("/"), Path::new("/")).err().unwrap();
        assert!(message.contains("edition 2015") && message.contains("--deny a"), "{message}");
    }
}
