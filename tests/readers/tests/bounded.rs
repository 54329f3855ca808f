//! A bounded run of what `fuzz/` does for as long as one likes: every reader on spoilt samples and
//! examples, on words of its language in any order, and on any bytes.
#![allow(clippy::disallowed_methods)] // reads the examples

use std::path::{Path, PathBuf};

use quadrille_readers::{READERS, Reader};
use quadrille_workshop::check;
use quadrille_workshop::texts::{bytes, pieces, spoilt};

/// How often each reader is tried in each way.
const N_CASES: u64 = 600;

/// Longer examples would take most of the time.
const LONGEST: usize = 4_000;

fn examples(folder: &Path, ending: &str, found: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).expect("a folder of examples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            examples(&path, ending, found);
        } else if path.extension().is_some_and(|other| other == ending) {
            let text = std::fs::read_to_string(&path).expect("an example");
            found.extend((text.len() <= LONGEST).then_some(text));
        }
    }
}

fn run(name: &str) {
    let reader = READERS.iter().find(|reader| reader.name == name).expect("a reader");
    let Reader { read, samples, words, .. } = *reader;
    let words: Vec<&str> =
        words.split(' ').chain([" ", "\n"]).filter(|word| !word.is_empty()).collect();
    let mut texts: Vec<String> = samples.iter().map(|&sample| sample.to_owned()).collect();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), name, &mut texts);
    assert!(!texts.is_empty(), "nothing to begin with");
    for text in &texts {
        assert!(read(text), "not without errors:\n{text}");
    }
    check(N_CASES, |choices| {
        let text = &texts[choices.below(texts.len())];
        let _ = read(&spoilt(choices, text, &words));
    });
    check(N_CASES, |choices| {
        let _ = read(&pieces(choices, &words, 60));
        let _ = read(&bytes(choices, 120));
    });
}

macro_rules! readers {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        #[test]
        fn every_reader_is_run() {
            let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

readers!(formula owl hoa net ia aut quad dcj bp arch qev pnml contest manifest als theme schedule trace log);

/// Each reader has a fuzz target that calls it.
#[test]
fn every_reader_has_a_fuzz_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("fuzz/Cargo.toml");
    for Reader { name, .. } in READERS {
        let path = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"{path}\"")), "{name}");
        let target = std::fs::read_to_string(fuzz.join(&path)).expect("a target");
        let function = if *name == "ia" { "net" } else { name };
        assert!(target.contains(&format!("quadrille_readers::{function}(text)")), "{path}");
    }
}
