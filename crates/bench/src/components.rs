//! The tables of components: the published airport system as it was and after each of its reductions,
//! our own examples, philosophers by number; composed, reduced, and by the definition beside it.

mod naive;
mod texts;

use std::io;

use quadrille_component::automata::{Alphabet, Construction, build};
use quadrille_component::composition::{
    Binding, Compatibility, CompositionErrors, Unit, Wiring, compose,
};
use quadrille_component::reduction::{ComponentSystem, Reduction, Rule, reduce};
use quadrille_engine::{Limits, unobserved};
use quadrille_query::composition_errors;

use crate::cpu::{Whose, measure};
use crate::engine::introduce;
use crate::table::{Table, grouped};
use texts::Texts;

/// Configurations in print: of the arbitrator test of the airport system as it was, and after each step of
/// its reduction (V. Holub's thesis, Charles University, 2010).
const PUBLISHED: [u64; 10] = [871_122, 36_369, 9_506, 9_504, 9_504, 108, 50, 9, 4, 1];

/// Measures, prints the tables, and says whether every count and verdict was the known one.
pub fn run(quick: bool) -> io::Result<bool> {
    let mut bench = Bench { n_runs: if quick { 1 } else { 3 }, wrong: Vec::new() };
    introduce(bench.n_runs);
    let mut table = Table::new(&[
        "system",
        "automata",
        "configurations",
        "published",
        "steps",
        "CPU s",
        "by definition, s",
        "ratio",
        "left",
        "reduced, CPU s",
    ]);
    let published = texts::published()?;
    match &published {
        None => println!("skipped: the texts of the published system are not here\n"),
        Some(steps) => {
            for (number, (texts, &known)) in steps.iter().zip(&PUBLISHED).enumerate() {
                let texts = texts.without_firewall();
                let name = format!("arbitrator, step {number}");
                let row = bench.row(&name, &texts, Construction::Published, Some(known))?;
                table.push(row);
            }
            table.push(bench.row("arbitrator, step 0", &steps[0], Construction::Minimal, None)?);
        }
    }
    for (name, file) in texts::examples()? {
        table.push(bench.row(&name, &Texts::of(file), Construction::Minimal, None)?);
    }
    for n in [4, 6, 8] {
        let texts = Texts::of(texts::philosophers(n)?);
        let name = format!("philosophers {n}");
        table.push(bench.row(&name, &texts, Construction::Minimal, None)?);
    }
    println!("{table}");
    println!(
        "CPU s: automata, composition, exploration, verdict. By definition: the same in plain vectors and hash maps."
    );
    println!(
        "Ratio: the second over the first. Left: configurations after reduction; its seconds are for reducing, exploring, verdict.\n"
    );
    if let Some(steps) = &published {
        bench.reduction(&steps[0])?;
    }
    for complaint in &bench.wrong {
        println!("WRONG: {complaint}");
    }
    Ok(bench.wrong.is_empty())
}

struct Bench {
    n_runs: usize,
    /// What is not as it should be.
    wrong: Vec<String>,
}

impl Bench {
    /// Checks a system in all ways. None of the systems has an error.
    fn row(
        &mut self,
        name: &str,
        texts: &Texts,
        construction: Construction,
        published: Option<u64>,
    ) -> io::Result<Vec<String>> {
        eprintln!("measuring {name}");
        let own = || measure(Whose::Own, self.n_runs, || errors_of(&built(texts, construction)?));
        let (seconds, errors) = own()?;
        let (slow, found) = measure(Whose::Own, self.n_runs, || {
            let ComponentSystem { alphabet, units, wiring } = built(texts, construction)?;
            Ok(naive::explore(&alphabet, &units, &wiring))
        })?;
        let (fast, left) = measure(Whose::Own, self.n_runs, || {
            errors_of(&reduce(built(texts, Construction::Minimal)?, &Rule::ALL).system)
        })?;
        if (found.configurations, found.steps) != (errors.configurations, errors.steps) {
            self.wrong.push(format!("{name}: {errors:?}, by definition {found:?}"));
        }
        if published.is_some_and(|known| known != errors.configurations as u64) {
            self.wrong.push(format!("{name}: not as published, {errors:?}"));
        }
        let is_fine = |errors: &CompositionErrors| errors.verdict() == Compatibility::NoError;
        if !is_fine(&errors) || !is_fine(&left) || found.is_wrong {
            self.wrong.push(format!("{name}: there is an error"));
        }
        let automata = match construction {
            Construction::Minimal => "minimal",
            Construction::Published => "as published",
        };
        Ok(vec![
            name.to_owned(),
            automata.to_owned(),
            grouped(errors.configurations as u64),
            published.map_or("–".to_owned(), grouped),
            grouped(errors.steps as u64),
            format!("{seconds:.4}"),
            format!("{slow:.4}"),
            format!("{:.1}", slow / seconds),
            grouped(left.configurations as u64),
            format!("{fast:.4}"),
        ])
    }

    /// Our own reduction of the published system, rule by rule, beside the published sizes.
    fn reduction(&mut self, texts: &Texts) -> io::Result<()> {
        let whole = || Ok(reduce(built(texts, Construction::Minimal)?, &Rule::ALL));
        let (seconds, reduction) = measure(Whose::Own, self.n_runs, whole)?;
        let mut table = Table::new(&[
            "rule",
            "applications",
            "published",
            "ours, counted alike",
            "minimal automata",
        ]);
        let original = built(texts, Construction::Minimal)?;
        let first = ("as written".to_owned(), 0, original);
        let steps = reduction
            .steps
            .iter()
            .map(|step| (step.rule.to_string(), step.applications, reduction.system_after(step)));
        for (number, (rule, applications, system)) in [first].into_iter().chain(steps).enumerate() {
            let alike = counted_alike(&system, &texts.bound)?;
            let known = PUBLISHED.get(number).copied();
            if known.is_some_and(|known| known != alike) {
                self.wrong.push(format!("{rule}: {alike} configurations, not {known:?}"));
            }
            table.push(vec![
                rule,
                applications.to_string(),
                known.map_or("–".to_owned(), grouped),
                grouped(alike),
                grouped(errors_of(&system)?.configurations as u64),
            ]);
        }
        self.nothing_left(&reduction);
        println!("{table}");
        println!("Reducing step 0 to nothing, automata included: {seconds:.4} CPU s.\n");
        Ok(())
    }

    fn nothing_left(&mut self, reduction: &Reduction) {
        if !reduction.is_nothing() {
            self.wrong.push("the published system does not reduce to nothing".to_owned());
        }
    }
}

/// The configurations of a system the way they were counted for print: from its text, automata not
/// minimised, the firewall left out.
fn counted_alike(system: &ComponentSystem, bound: &[String]) -> io::Result<u64> {
    let text = system.text().ok_or_else(|| io::Error::other("a system without a text"))?;
    let file = texts::parsed("reduced", &text)?;
    let texts = Texts { bound: bound.to_vec(), ..Texts::of(file) }.without_firewall();
    if texts.files.iter().all(|file| file.components.is_empty()) {
        return Ok(1);
    }
    let mut made = built(&texts, Construction::Published)?;
    made.wiring.external.clone_from(&system.wiring.external);
    Ok(errors_of(&made)?.configurations as u64)
}

/// Makes automata of components, and binds what the texts say.
fn built(texts: &Texts, construction: Construction) -> io::Result<ComponentSystem> {
    let mut alphabet = Alphabet::default();
    let mut units = Vec::new();
    for file in &texts.files {
        for component in &file.components {
            let dfa = build(&mut alphabet, &file.types, component, None, construction);
            let dfa = dfa.map_err(|_| io::Error::other("an automaton is too large"))?;
            units.push(Unit { name: component.name.text.clone(), dfa });
        }
    }
    let wiring = if texts.bound.is_empty() {
        Wiring::shared(&alphabet, &units)
    } else {
        let bind = |name: &String| Binding { name: name.clone(), between: None };
        Wiring { bindings: texts.bound.iter().map(bind).collect(), ..Wiring::default() }
    };
    Ok(ComponentSystem { alphabet, units, wiring })
}

/// Composes, and finds the errors.
fn errors_of(system: &ComponentSystem) -> io::Result<CompositionErrors> {
    let ComponentSystem { alphabet, units, wiring } = system;
    let composition = compose(alphabet, units, wiring).map_err(io::Error::other)?;
    composition_errors(&composition, Limits::default(), &mut unobserved)
        .map_err(|stopped| io::Error::other(format!("{stopped:?}")))
}

#[cfg(test)]
mod tests;
