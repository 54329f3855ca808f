//! Answers against those of Alloy itself, on random texts, where the environment variable `ALLOY_JAR`
//! names its archive: whether there is an instance, how long the shortest trace is, how many there are
//! without symmetry breaking. It is no part of the project; without it nothing is compared.
//!
//! `ALLOY_JAR=alloy.jar QUADRILLE_ROUNDS=20 cargo test -p quadrille-alloy --test it peer -- --nocapture`
//! compares 2,000 commands, twice, and 400 numbers of instances.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // runs a program, and says how much it compared

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use quadrille_alloy::{Found, Options, Question, Search, World, answer};
use quadrille_workshop::{Choices, specifications};

use crate::world;

/// How many commands a text has.
const COMMANDS: usize = 20;

/// How many texts one run of Alloy is given.
const TEXTS: u64 = 10;

/// Texts, what they are read as, and of each command the length of its first trace and the number of
/// its instances, as Alloy has them.
struct Compared {
    texts: Vec<(u64, String, World)>,
    theirs: Vec<Vec<(usize, usize)>>,
}

fn rounds() -> u64 {
    std::env::var("QUADRILLE_ROUNDS").map_or(1, |rounds| rounds.parse().expect("a number"))
}

/// Asks Alloy about texts of these seeds; `None` without Alloy.
fn ask(
    seeds: std::ops::Range<u64>,
    most: usize,
    overflow: &str,
    text: fn(&mut Choices) -> String,
) -> Option<Compared> {
    let archive = PathBuf::from(std::env::var_os("ALLOY_JAR")?);
    let name = format!("quadrille-peer-{}-{most}-{overflow}-{}", std::process::id(), seeds.start);
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut texts, mut files) = (Vec::new(), Vec::new());
    for seed in seeds {
        let text = text(&mut Choices::seeded(seed));
        let world = world(&text).unwrap_or_else(|shown| panic!("seed {seed}\n{text}\n{shown}"));
        let file = folder.join(format!("{seed}.als"));
        std::fs::write(&file, &text).expect("a file");
        texts.push((seed, text, world));
        files.push(file);
    }
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/Peer.java");
    let java = Command::new("java")
        .args(["-Djava.awt.headless=true", "-cp"])
        .arg(archive)
        .args([program, &most.to_string(), overflow])
        .args(&files)
        .output();
    let ran = java.expect("a JDK");
    let said = String::from_utf8_lossy(&ran.stdout);
    let mut theirs = vec![Vec::new(); texts.len()];
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().expect("a number");
        theirs[number(0)].push((number(2), number(3)));
    }
    std::fs::remove_dir_all(&folder).expect("a folder of our own");
    for ((seed, text, world), theirs) in texts.iter().zip(&theirs) {
        let failed = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(
            theirs.len(),
            world.commands.len(),
            "Alloy fails on seed {seed}\n{text}\n{failed}"
        );
    }
    Some(Compared { texts, theirs })
}

/// The declarations of a text, and one of its commands.
fn part(text: &str, command: &str) -> String {
    let is_wanted = |line: &&str| {
        let is_command = line.starts_with("run ") || line.starts_with("check ");
        !is_command || line.contains(&format!(" {command} {{"))
    };
    text.lines().filter(is_wanted).collect::<Vec<_>>().join("\n")
}

/// Compares each command; the differences, shown.
fn differences(
    compared: &Compared,
    ours: impl Fn(&World, &quadrille_alloy::Command) -> usize,
    theirs: impl Fn((usize, usize)) -> usize,
) -> Vec<String> {
    let mut differences = Vec::new();
    for ((seed, text, world), found) in compared.texts.iter().zip(&compared.theirs) {
        for (command, found) in world.commands.iter().zip(found) {
            let (ours, theirs) = (ours(world, command), theirs(*found));
            if ours != theirs {
                let part = part(text, &command.name);
                differences.push(format!("seed {seed}: here {ours}, Alloy {theirs}\n{part}\n"));
            }
        }
    }
    differences
}

#[test]
fn answers_are_those_of_alloy() {
    compare_answers("wrap");
}

#[test]
fn answers_without_overflow_are_those_of_alloy() {
    compare_answers("avoid");
}

fn compare_answers(overflow: &str) {
    let text = |choices: &mut Choices| {
        let is_temporal = choices.coin();
        specifications::wide(choices, is_temporal, COMMANDS)
    };
    let (mut compared, mut differ) = (0, Vec::new());
    for batch in 0..rounds().div_ceil(2) {
        let seeds = batch * TEXTS + 1..(batch + 1) * TEXTS + 1;
        let Some(found) = ask(seeds, 0, overflow, text) else { return };
        let ours = |world: &World, command: &quadrille_alloy::Command| {
            let options = Options { wraps: overflow == "wrap", ..Options::default() };
            let question = Question { proves: false, options, ..Question::default() };
            let answer = answer(world, command, &question).expect("an answer");
            answer.instances.first().map_or(0, quadrille_alloy::Instance::length)
        };
        differ.extend(differences(&found, ours, |theirs| theirs.0));
        compared += found.texts.len() * COMMANDS;
    }
    assert!(differ.is_empty(), "{} of {compared} differ\n{}", differ.len(), differ.join("\n"));
    eprintln!("{compared} commands have the answers of Alloy");
}

#[test]
fn there_are_as_many_instances_as_alloy_finds() {
    const MOST: usize = 200;
    let (mut compared, mut differ) = (0, Vec::new());
    for batch in 0..rounds().div_ceil(10) {
        let seeds = batch * TEXTS + 1..(batch + 1) * TEXTS + 1;
        let text = |choices: &mut Choices| {
            specifications::wide(choices, false, COMMANDS).replace(" for 3", " for 2")
        };
        let Some(found) = ask(seeds, MOST, "wrap", text) else { return };
        let ours = |world: &World, command: &quadrille_alloy::Command| {
            let options = Options { symmetry: false, ..Options::default() };
            let mut search = Search::new(world, command, options, 0).expect("a scope");
            // What was looked for differs where nothing else does.
            let mut seen = BTreeSet::new();
            while seen.len() < MOST
                && let Ok(Found::Instance(instance)) = search.find()
            {
                seen.insert(format!("{:?} {:?}", instance.sigs, instance.fields));
            }
            seen.len()
        };
        differ.extend(differences(&found, ours, |theirs| theirs.1));
        compared += found.texts.len() * COMMANDS;
    }
    assert!(differ.is_empty(), "{} of {compared} differ\n{}", differ.len(), differ.join("\n"));
    eprintln!("{compared} commands have as many instances as Alloy finds, up to {MOST}");
}
