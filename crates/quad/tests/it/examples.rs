//! The protocols under `examples/protocols` do what their properties say, and the counterexamples in their
//! comments are the real ones.
#![allow(clippy::disallowed_methods)] // reads the examples

use std::path::{Path, PathBuf};

use expect_test::expect;
use quadrille_diagnostic::Sources;
use quadrille_model::Expected;
use quadrille_quad::load;

use crate::checking::{checked, deadlock, explored};
use crate::rendered;

pub fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/protocols");
    let files = std::fs::read_dir(folder).expect("the examples");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "quad"));
    paths.sort();
    let text = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    paths.into_iter().map(text).collect()
}

/// The steps that the comment above a protocol shows: its lines that are set in.
fn documented(text: &str, protocol: &str) -> Vec<String> {
    let head = format!("protocol {protocol}");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(&head)).expect("its declaration");
    let comment = lines[..at].iter().rev().take_while(|line| line.starts_with("//"));
    let mut steps: Vec<String> =
        comment.filter_map(|line| line.strip_prefix("//     ")).map(str::to_owned).collect();
    steps.reverse();
    steps
}

#[test]
fn every_example_is_as_its_properties_say() {
    let (mut wrong, mut sizes) = (String::new(), String::new());
    let (mut n_properties, mut n_broken) = (0, 0);
    for (name, text) in texts() {
        let mut sources = Sources::default();
        let id = sources.add(name.clone(), text.clone());
        let (program, diagnostics) = load(&sources, id);
        assert_eq!(rendered(&sources, &diagnostics), "");
        let sessions = program.expect("no errors").sessions(&mut sources, &[]);
        let sessions = sessions.unwrap_or_else(|found| panic!("{}", rendered(&sources, &found)));
        for (position, session) in sessions.iter().enumerate() {
            let title = format!("{name}, {}", session.protocol);
            let counts = explored(&session.model);
            sizes += &format!("{title}: {} states, {} steps\n", counts.states, counts.transitions);
            if let Some(steps) = deadlock(&session.model) {
                wrong += &format!("{title}: stuck\n    {}\n", steps.join("\n    "));
            }
            for checked in checked(session) {
                n_properties += 1;
                if !checked.is_as_expected() {
                    let steps = checked.steps.join("\n    ");
                    wrong +=
                        &format!("{title}: {} {}\n    {steps}\n", checked.name, checked.word());
                }
                if position > 0 && checked.expected == Expected::Violated {
                    n_broken += 1;
                    let documented = documented(&text, &session.protocol);
                    if documented != checked.steps {
                        let steps = checked.steps.join("\n//     ");
                        wrong += &format!("{title}: the documented run is not\n//     {steps}\n");
                    }
                }
            }
        }
    }
    assert_eq!(wrong, "");
    assert!(n_properties >= 120, "only {n_properties} properties");
    assert_eq!(n_broken, 5);
    expect![[r#"
        chess.quad, chess: 5 states, 5 steps
        chess.quad, impatient_chess: 7 states, 8 steps
        go-fish.quad, go_fish: 104 states, 153 steps
        job-queue.quad, job_queue: 24 states, 33 steps
        job-queue.quad, forgetful_queue: 12 states, 15 steps
        leader-election.quad, election: 1280 states, 3069 steps
        leader-election.quad, forgetful_election: 100 states, 200 steps
        login.quad, login: 31 states, 34 steps
        login.quad, trusting_login: 18 states, 19 steps
        npb-cg.quad, cg: 21 states, 22 steps
        npb-ft.quad, ft: 49 states, 49 steps
        npb-is.quad, is_sort: 33 states, 38 steps
        npb-mg.quad, mg: 89 states, 92 steps
        rock-paper-scissors.quad, rock_paper_scissors: 870 states, 3276 steps
        tic-tac-toe.quad, tic_tac_toe: 5 states, 6 steps
        token-binary-tree.quad, binary_tree: 10 states, 12 steps
        token-directed-ring.quad, directed_ring: 8 states, 8 steps
        token-full-mesh.quad, full_mesh: 16 states, 24 steps
        token-grid.quad, grid: 12 states, 16 steps
        token-star.quad, star: 10 states, 12 steps
        token-undirected-ring.quad, undirected_ring: 12 states, 16 steps
        two-phase-commit.quad, two_phase_commit: 159 states, 384 steps
        two-phase-commit.quad, hasty_commit: 40 states, 59 steps
    "#]]
    .assert_eq(&sizes);
}
