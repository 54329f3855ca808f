//! Sorted runs against walks that number their states; full disks, kills, damage.
#![allow(clippy::disallowed_methods, reason = "files are spoilt to see what happens")]

use std::path::Path;

use quadrille_model::{Counts, Model, Network, PropositionId, Verdict};
use quadrille_workshop::{Choices, check};

use super::code::{Aim, decode, encode};
use super::key::{Key, Wide};
use super::manifest::MANIFEST;
use super::*;
use crate::toys::{Phil, random_network};
use crate::{Limits, unobserved};

fn round_trip<K: Key + std::fmt::Debug>(mut keys: Vec<K>) {
    keys.sort();
    keys.dedup();
    for aim in [Aim::Short, Aim::Quick] {
        let mut bytes = Vec::new();
        let parameter = encode(&keys, aim, &mut bytes);
        let mut read = Vec::new();
        let n = keys.len() as u32;
        assert_eq!(decode(&bytes, &keys[0], (n, parameter), &mut read), Some(()));
        assert_eq!(read, keys);
    }
}

#[test]
fn keys_of_any_width_are_what_they_were() {
    check(300, |choices| {
        let n_keys = 1 + choices.below(40);
        let n_limbs = 1 + choices.below(5);
        let n_bits = 1 + choices.below_u32(64);
        let mut limb = || {
            let all = u64::from(choices.below_u32(u32::MAX)) << 32
                | u64::from(choices.below_u32(u32::MAX));
            if choices.below_u32(20) == 0 { u64::MAX } else { all >> (64 - n_bits) }
        };
        let keys: Vec<Vec<u64>> =
            (0..n_keys).map(|_| (0..n_limbs).map(|_| limb()).collect()).collect();
        round_trip(keys.iter().map(|limbs| limbs[0]).collect::<Vec<u64>>());
        let two = |limbs: &Vec<u64>| u128::of_limbs(&limbs[..n_limbs.min(2)]);
        round_trip(keys.iter().map(two).collect::<Vec<u128>>());
        round_trip(keys.iter().map(|limbs| <Wide>::of_limbs(limbs)).collect::<Vec<Wide>>());
        for limbs in &keys {
            let mut back = vec![0; n_limbs];
            <Wide>::of_limbs(limbs).limbs(&mut back);
            assert_eq!(back, *limbs);
        }
        let mut sorted: Vec<u64> = keys.iter().flatten().copied().cycle().take(900).collect();
        let mut expected = sorted.clone();
        expected.sort_unstable();
        u64::sort(&mut sorted, &mut Vec::new());
        assert_eq!(sorted, expected);
    });
}

/// What is asked of a network.
fn questions(network: &Network) -> Vec<Property<'_>> {
    let explorer = std::cell::RefCell::new(network.explorer());
    let always = move |values: &[u32]| explorer.borrow_mut().holds(PropositionId::new(0), values);
    vec![
        Property::DeadlockFree,
        Property::Always(Box::new(always)),
        Property::Never(Box::new(|action| action.index() == 1)),
    ]
}

/// What must be the same wherever states are kept: verdicts, lengths of runs, and counts where
/// everything was explored.
fn essence(outcome: &Outcome) -> (Vec<(&'static str, usize)>, Option<Counts>) {
    let length = |verdict: &Verdict| match verdict {
        Verdict::Violated(Some(run)) => run.steps.len(),
        _ => 0,
    };
    let verdicts: Vec<_> =
        outcome.verdicts.iter().map(|verdict| (verdict.word(), length(verdict))).collect();
    let whole = verdicts.is_empty() || verdicts.iter().any(|(word, _)| *word == "holds");
    (verdicts, whole.then_some(Counts { bytes: 0, ..outcome.counts }))
}

fn disk(path: &Path, resume: bool) -> RunStore {
    RunStore::Disk { folder: Folder::new(path), resume, identity: Identity::default() }
}

fn asked(model: &Network, runs: &RunStore, workers: usize) -> Result<Outcome, Error> {
    let config = Config { workers: Workers::new(workers), ..Config::default() };
    Ok(check_runs(model, &questions(model), runs, &config, &mut unobserved)?.outcome)
}

#[test]
fn runs_answer_like_a_walk_that_numbers_states() {
    check(80, |choices| {
        let network = random_network(choices);
        let config = Config::default();
        let expected = crate::check(&network, questions(&network), &config, &mut unobserved);
        let expected = essence(&expected.expect("no problem"));
        let folder = tempfile::tempdir().expect("a folder");
        let workers = 1 + choices.below(3);
        for runs in [RunStore::Memory, disk(folder.path(), false), disk(folder.path(), true)] {
            let outcome = asked(&network, &runs, workers).expect("no problem");
            assert_eq!(essence(&outcome), expected);
        }
        let expected = crate::check(&network, vec![], &config, &mut unobserved).expect("counts");
        let counted = check_runs(&network, &[], &RunStore::Memory, &config, &mut unobserved);
        let counted = counted.expect("counts").outcome;
        assert_eq!(essence(&counted), essence(&expected));
    });
}

/// Participants that go round by themselves, with a deadlock far away.
fn rounds(n: usize, length: u32, choices: &mut Choices) -> Network {
    use quadrille_model::{Automaton, LocalId, NetworkBuilder, Predicate, Template};
    let mut builder = NetworkBuilder::default();
    for number in 0..n {
        let states = (0..length).map(|state| format!("s{state}"));
        let participant = builder.participant(Automaton::new(format!("P{number}"), states));
        let participant = participant.expect("a participant");
        for state in 0..length - 1 {
            let [from, to] = [state, (state + 1) % length].map(LocalId::new);
            let mut template = Template::new((number % 2).to_string()).step(participant, from, to);
            if choices.below_u32(3) == 0 && number > 0 {
                let other = quadrille_model::ParticipantId::from_usize(number - 1);
                template = template.when(other, (0..=state).map(LocalId::new).collect::<Vec<_>>());
            }
            builder.template(template).expect("a template");
        }
    }
    let last = Predicate::In(quadrille_model::ParticipantId::new(0), (0..length).collect());
    builder.proposition("p", last).expect("a proposition");
    builder.build().expect("a network")
}

#[test]
fn wide_and_deep_networks_are_the_same_in_runs() {
    check(6, |choices| {
        let length = 2 + choices.below_u32(6);
        let n = if length > 4 { 3 } else { 3 + choices.below(3) };
        let network = rounds(n, length, choices);
        let config = Config::default();
        let expected = crate::check(&network, questions(&network), &config, &mut unobserved);
        let expected = essence(&expected.expect("no problem"));
        let folder = tempfile::tempdir().expect("a folder");
        for workers in [1, 2] {
            let got = asked(&network, &RunStore::Memory, workers).expect("no problem");
            assert_eq!(essence(&got), expected);
        }
        let got = asked(&network, &disk(folder.path(), false), 2).expect("no problem");
        assert_eq!(essence(&got), expected);
    });
}

#[test]
fn philosophers_are_counted_in_runs() {
    let model = Phil::new(6, false);
    let config = Config { workers: Workers::new(2), ..Config::default() };
    let expected = crate::check(&model, vec![], &config, &mut unobserved).expect("counts");
    let got = check_runs(&model, &[], &RunStore::Memory, &config, &mut unobserved).expect("counts");
    assert_eq!(essence(&got.outcome), essence(&expected));
}

/// Goes on until the disk is never full again: each time there is room for a few more bytes.
#[test]
fn a_search_that_dies_anywhere_goes_on_and_counts_the_same() {
    let mut n_died = 0;
    check(4, |choices| {
        let network = rounds(4, 3, choices);
        let config = Config::default();
        let expected = crate::check(&network, questions(&network), &config, &mut unobserved);
        let expected = essence(&expected.expect("no problem"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut room = 50;
        let outcome = loop {
            room += 60 + choices.below(500) as i64;
            let folder = Folder::new(folder.path()).with_room(room);
            let runs = RunStore::Disk { folder, resume: true, identity: Identity::default() };
            match asked(&network, &runs, 1) {
                Ok(outcome) => break outcome,
                Err(Error::Store(trouble)) => {
                    assert!(trouble.message.contains("cannot write"), "{trouble}");
                    n_died += 1;
                }
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(essence(&outcome), expected);
    });
    assert!(n_died > 5, "{n_died}");
}

#[test]
fn a_search_that_is_interrupted_goes_on_and_answers_the_same() {
    let mut n_interrupted = 0;
    check(25, |choices| {
        let network = random_network(choices);
        let config = Config::default();
        let expected = crate::check(&network, questions(&network), &config, &mut unobserved);
        let expected = essence(&expected.expect("no problem"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut n_allowed = 0;
        let outcome = loop {
            // Each time a little further, so that it ends.
            n_allowed += choices.below(2);
            let mut n_looks = n_allowed;
            let mut interrupt = |_: &crate::Progress| match n_looks {
                0 => std::ops::ControlFlow::Break(Bound::Interrupted),
                _ => {
                    n_looks -= 1;
                    std::ops::ControlFlow::Continue(())
                }
            };
            let store = disk(folder.path(), true);
            let asked = questions(&network);
            let found = check_runs(&network, &asked, &store, &config, &mut interrupt);
            let outcome = found.expect("no problem").outcome;
            if outcome.bound.is_none() {
                break outcome;
            }
            n_interrupted += 1;
            n_allowed += 1;
        };
        assert_eq!(essence(&outcome), expected);
    });
    assert!(n_interrupted > 10, "{n_interrupted}");
}

#[test]
fn a_changed_byte_is_noticed_or_does_not_matter() {
    let network = rounds(4, 3, &mut Choices::seeded(1));
    let expected = essence(&asked(&network, &RunStore::Memory, 1).expect("no problem"));
    let mut n_noticed = 0;
    check(40, |choices| {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = Limits { states: Some(40), memory: None };
        let config = Config { limits, ..Config::default() };
        let stopped = check_runs(
            &network,
            &questions(&network),
            &disk(folder.path(), false),
            &config,
            &mut unobserved,
        );
        stopped.expect("a bound");
        let names = Folder::new(folder.path()).names().expect("names");
        let name = &names[choices.below(names.len())];
        let path = folder.path().join(name);
        let mut bytes = std::fs::read(&path).expect("a file");
        if bytes.is_empty() {
            return;
        }
        let place = choices.below(bytes.len());
        match choices.below_u32(3) {
            0 => bytes.truncate(place),
            _ => bytes[place] ^= 1 << choices.below_u32(8),
        }
        std::fs::write(&path, &bytes).expect("a file");
        match asked(&network, &disk(folder.path(), true), 1) {
            Ok(outcome) => assert_eq!(essence(&outcome), expected, "{name}"),
            Err(Error::Store(trouble)) => {
                assert!(trouble.message.contains("damaged"), "{trouble}");
                n_noticed += 1;
            }
            Err(error) => panic!("{error}"),
        }
    });
    assert!(n_noticed > 20, "{n_noticed}");
}

#[test]
fn folders_are_not_mixed_up() {
    let [one, other] = [3, 4].map(|length| rounds(3, length, &mut Choices::seeded(1)));
    let folder = tempfile::tempdir().expect("a folder");
    let fails = |model: &Network, resume: bool| {
        asked(model, &disk(folder.path(), resume), 1).expect_err("a wrong folder").to_string()
    };
    asked(&one, &disk(folder.path(), false), 1).expect("a search");
    assert!(fails(&one, false).contains("is kept in this folder already"));
    assert!(fails(&other, true).contains("of another model"));
    let mut text = std::fs::read_to_string(folder.path().join(MANIFEST)).expect("a manifest");
    let found = shelf(&Folder::new(folder.path())).expect("a shelf").expect("a search");
    assert_eq!((found.is_complete, found.states > 3), (true, true));
    text.truncate(text.len() / 2);
    std::fs::write(folder.path().join(MANIFEST), text).expect("a file");
    assert!(fails(&one, true).contains("damaged"));
    assert!(delete(&Folder::new(folder.path())).expect("deleted") > 1);
    assert!(!folder.path().exists());
}

/// Searches with several owners, who exchange what they found in turn.
fn shared_out(
    model: &Network,
    n_owners: usize,
    store: impl Fn(usize) -> RunStore,
) -> (Counts, Vec<(usize, u64)>) {
    use super::partition::{News, kept, owner};
    let config = Config::default();
    let properties = questions(model);
    let mut observer = unobserved;
    let watch = &mut Watch::new(Limits::default(), &mut observer);
    let stores: Vec<RunStore> = (0..n_owners).map(store).collect();
    let commits = stores.iter().map(|store| kept(store).expect("manifests"));
    let from = commits.map(|all| all.first().copied().unwrap_or(0)).min().unwrap_or(0);
    let mut owners: Vec<_> = stores
        .iter()
        .enumerate()
        .map(|(number, store)| {
            owner(model, (number, n_owners), store, from, &config).expect("owner")
        })
        .collect();
    let mut found: Vec<_> = owners[0].found().expect("states");
    let mut is_complete = owners[0].is_complete();
    while !is_complete && found.len() < properties.len() {
        let begins = owners[0].n_levels() == 0;
        let mut news: Vec<News> = Vec::new();
        let mut sent: Vec<(usize, usize, Vec<u8>)> = Vec::new();
        for (from, owner) in owners.iter_mut().enumerate().filter(|_| !begins) {
            let mut send = |to, batch| sent.push((from, to, batch));
            while owner.expand(&properties, watch, &mut send).expect("no problem") {}
        }
        for (from, to, batch) in sent {
            owners[to].receive(from, &batch).expect("a batch");
        }
        for owner in &mut owners {
            news.push(match begins {
                true => owner.begin(&properties, watch).expect("no problem"),
                false => owner.absorb(&properties, watch).expect("no problem"),
            });
        }
        is_complete = news.iter().all(|it| it.fresh == 0);
        let refuted: Vec<_> = news.iter().flat_map(|it| it.found.clone()).collect();
        let broken: Vec<_> = news.iter().flat_map(|it| it.broken.clone()).collect();
        for more in [refuted, broken] {
            // Once everything is refuted, nothing more is asked of the states that follow.
            let is_settled = found.len() == properties.len();
            for one in more.into_iter().filter(|_| !is_settled) {
                if found.iter().all(|(number, ..)| *number != one.0) {
                    found.push(one);
                }
            }
        }
        for owner in &mut owners {
            owner.keep(&found, !is_complete, watch).expect("no problem");
            owner.commit(is_complete).expect("a disk");
        }
    }
    let mut counts = Counts::default();
    for owner in &owners {
        let own = owner.counts();
        counts.states += own.states;
        counts.transitions += own.transitions;
        counts.deadlocks += own.deadlocks;
        counts.depth = counts.depth.max(own.depth);
    }
    let mut depths: Vec<_> = found.iter().map(|(number, depth, _)| (*number, *depth)).collect();
    depths.sort_unstable();
    (counts, depths)
}

#[test]
fn owners_together_count_like_one_search() {
    check(60, |choices| {
        let network = random_network(choices);
        let expected = check_runs(
            &network,
            &questions(&network),
            &RunStore::Memory,
            &Config::default(),
            &mut unobserved,
        );
        let expected = expected.expect("no problem").outcome;
        let is_whole = expected.verdicts.contains(&Verdict::Holds);
        let folder = tempfile::tempdir().expect("a folder");
        let on_disk = |number: usize| disk(&folder.path().join(number.to_string()), true);
        for n_owners in [1, 2, 5] {
            let (counts, _) = shared_out(&network, n_owners, |_| RunStore::Memory);
            if is_whole {
                assert_eq!(counts, Counts { bytes: 0, ..expected.counts });
            }
        }
        let first = shared_out(&network, 3, on_disk);
        assert_eq!(first, shared_out(&network, 3, on_disk), "it goes on where it was complete");
        assert_eq!(first.1, shared_out(&network, 2, |_| RunStore::Memory).1);
    });
}

#[test]
fn gaps_that_occur_often_are_what_they_were() {
    let mut n_symbols = 0;
    check(200, |choices| {
        // A few gaps again and again, and some others.
        let frequent: Vec<u64> = (0..1 + choices.below(6))
            .map(|_| u64::from(choices.below_u32(u32::MAX)) >> choices.below(32))
            .collect();
        let wide = choices.coin();
        let (mut key, mut keys) = (u128::from(choices.below_u32(1000)), Vec::new());
        for _ in 0..2 + choices.below(300) {
            keys.push(key);
            let gap = match choices.below_u32(8) {
                0 => u64::from(choices.below_u32(u32::MAX)) << (choices.below(12) as u32),
                _ => frequent[choices.below(frequent.len())],
            };
            key += u128::from(gap) + 1;
            if wide && choices.below_u32(20) == 0 {
                key += 1 << (40 + choices.below(50));
            }
        }
        let mut bytes = Vec::new();
        let parameters = encode(&keys, Aim::Short, &mut bytes);
        n_symbols += u32::from(parameters == super::code::Parameters::SYMBOLS);
        round_trip(keys.clone());
        let limbs = |key: &u128| [*key as u64, (*key >> 64) as u64, 0];
        round_trip(keys.iter().map(|key| <Wide>::of_limbs(&limbs(key))).collect::<Vec<_>>());
        round_trip(keys.iter().map(|key| Fixed::<4>::of_limbs(&limbs(key))).collect::<Vec<_>>());
        if keys.iter().all(|key| u64::try_from(*key).is_ok()) {
            round_trip(keys.iter().map(|key| *key as u64).collect::<Vec<_>>());
        }
        // Bytes that were changed are keys or none, and no panic.
        let place = choices.below(bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= 1 << choices.below_u32(8);
        }
        let _ = decode(&bytes, &keys[0], (keys.len() as u32, parameters), &mut Vec::new());
    });
    assert!(n_symbols > 100, "{n_symbols}");
}
