//! What was found about components as people read it: the verdict, the way to an error with one event
//! per line, and where in the texts it comes from.

use std::fmt::Write as _;
use std::path::Path as FilePath;

use quadrille_component::composition::{Fault, Path};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_model::{Bound, Interaction};
use quadrille_report::{StoryStep, bound_advice, bound_phrase};

use super::fit::{Check, Fit};
use crate::exit::Exit;
use crate::quantity::count;
use crate::shell;

/// The verdict in the colour of its exit code.
pub(super) fn coloured(word: &str, exit: Exit, style: Style) -> String {
    let colour = match (style, exit) {
        (Style::Plain, _) => return word.to_owned(),
        (Style::Colour, Exit::Holds) => 32,
        (Style::Colour, Exit::Violated | Exit::CannotRun) => 31,
        (Style::Colour, Exit::Unknown) => 33,
    };
    format!("\x1b[1;{colour}m{word}\x1b[0m")
}

/// `no error (17 configurations, 24 steps)`
pub(super) fn verdict(fit: &Fit, style: Style) -> String {
    let word = coloured(&fit.word(), fit.exit(), style);
    match &fit.found {
        Ok(errors) => {
            let left = size(errors.configurations, errors.steps);
            match fit.unreduced {
                None => format!("{word} ({left})"),
                Some(Ok((configurations, steps))) => {
                    format!("{word} ({left}; {} unreduced)", size(configurations, steps))
                }
                Some(Err(Bound::States(states))) => {
                    let least = count(states, "configuration");
                    format!("{word} ({left}; more than {least} unreduced)")
                }
                Some(Err(_)) => format!("{word} ({left}; not counted unreduced)"),
            }
        }
        Err(bound) => format!("{word}: {}; {}", bound_phrase(*bound), bound_advice(*bound)),
    }
}

fn size(configurations: usize, steps: usize) -> String {
    let configurations = count(configurations as u64, "configuration");
    format!("{configurations}, {}", count(steps as u64, "step"))
}

/// A check with its verdict and every error.
pub(super) fn check(check: &Check, sources: &Sources, style: Style) -> String {
    let Check { name, kind, fit } = check;
    format!("{name}, {kind}: {}\n{}", verdict(fit, style), errors(fit, sources, style))
}

/// Every error: the way to the first, and what is wrong with all of them.
pub(super) fn errors(fit: &Fit, sources: &Sources, style: Style) -> String {
    let mut text = String::new();
    for (position, path) in fit.paths().into_iter().enumerate() {
        if position == 0 {
            let _ = write!(text, "\n{}\n", way(fit, path));
        }
        text += &render(&fit.explain(path), sources, style);
    }
    text
}

/// The commands that show the first error again; nothing where there is none.
pub(super) fn again(fit: &Fit, file: &FilePath) -> String {
    if fit.paths().is_empty() {
        return String::new();
    }
    let (file, options) = (shell::path(file), shell::options(&fit.options));
    format!(
        "replay: quadrille check {file}{options} --trace-out trace.json\n        \
         quadrille replay {file} trace.json\n"
    )
}

/// The events on the way to an error, and the error.
fn way(fit: &Fit, path: &Path) -> String {
    let story = fit.story(path);
    let mut rows: Vec<(String, String)> = story.steps.iter().map(row).collect();
    let last = match path.fault {
        Fault::Bad(_) => {
            let who = fit.components(path).join(", ");
            Some((format!("{who} → nobody"), fit.event(path).unwrap_or_default()))
        }
        Fault::Stuck => Some(("nobody can go on".to_owned(), String::new())),
        Fault::Endless { .. } => None,
    };
    let n_steps = rows.len();
    rows.extend(last);
    let width = rows.iter().map(|(who, _)| who.chars().count()).max().unwrap_or(0);
    let digits = n_steps.to_string().len();
    let mut text = String::new();
    for (position, (who, what)) in rows.iter().enumerate() {
        if story.loop_start() == Some(position) {
            let _ = writeln!(text, "  {:digits$}  for ever:", "");
        }
        let number = if position < n_steps { (position + 1).to_string() } else { String::new() };
        let gap = width - who.chars().count();
        let line = format!("  {number:>digits$}  {who}{:gap$}  {what}", "");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Who does what to whom.
fn row(step: &StoryStep) -> (String, String) {
    match &step.interaction {
        Interaction::Exchange { from, to, message } => {
            (format!("{from} → {}", to.join(", ")), message.clone())
        }
        interaction => {
            let who: Vec<&str> =
                interaction.participants().into_iter().map(String::as_str).collect();
            let who = who.join(", ");
            let action = &step.action;
            match action.chars().next() {
                Some('?') => (format!("outside → {who}"), action[1..].to_owned()),
                Some('!') => (format!("{who} → outside"), action[1..].to_owned()),
                _ => (who, action.clone()),
            }
        }
    }
}
