//! Proofs that there is nothing: every clause that the solver learned is derived again, by code that
//! shares nothing with it.

use std::io;

use quadrille_alloy::{Found, Options, Reach, Search};

use crate::cpu::{Whose, seconds};

/// Answers the commands of the bench's texts and of further files, checks every proof, and says whether
/// all were accepted. A proof with a gap ends it with the command's name.
pub fn check(paths: &[&str]) -> io::Result<bool> {
    let mut texts: Vec<(String, String)> =
        super::TEXTS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    for path in paths {
        texts.push(((*path).to_owned(), std::fs::read_to_string(path)?));
    }
    println!("| {:<40} | {:<24} | {:>10} | {:>7} |", "command", "answer", "clauses", "s");
    println!("|:{:-<40}-|:{0:-<24}-|{0:->11}:|{0:->8}:|", "");
    let (mut n_proofs, mut n_clauses) = (0, 0);
    for (name, text) in &texts {
        let world = super::world(name, text)?;
        for command in &world.commands {
            let options = Options { checks_proofs: true, ..Options::default() };
            let begun = seconds(Whose::Own)?;
            let refused = |why: quadrille_diagnostic::Diagnostic| io::Error::other(why.message);
            let mut search = Search::new(&world, command, options, 0).map_err(refused)?;
            let answer = match search.find().map_err(refused)? {
                Found::Instance(instance) => format!("{} states", instance.length()),
                Found::None(Reach::Steps(n)) => format!("none up to {n} steps"),
                Found::None(_) => "none".to_owned(),
                Found::Stopped => "stopped".to_owned(),
            };
            n_proofs += usize::from(answer.starts_with("none"));
            n_clauses += search.n_checked();
            let shown = format!("{name} {}", command.name);
            let (n, taken) = (search.n_checked(), seconds(Whose::Own)? - begun);
            println!("| {shown:<40} | {answer:<24} | {n:>10} | {taken:>7.2} |");
        }
    }
    println!("\n{n_proofs} answers that there is nothing, {n_clauses} learned clauses: all follow");
    Ok(n_proofs > 0)
}
