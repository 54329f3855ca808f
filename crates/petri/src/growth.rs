//! Says of a net that it is not bounded, as far as a short walk finds out.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::UNBOUNDED;
use crate::net::{Net, Tokens};
use crate::walk::{growing, replay};

/// Steps of the walk: a net is loaded without a noticeable wait.
const STEPS: u64 = 20_000;

/// A warning that names a place which grows without end, where one is found; `known` are the most tokens
/// that places hold, where something bounds them.
pub fn unbounded(source: SourceId, net: &Net, known: &[Option<Tokens>]) -> Option<Diagnostic> {
    if known.iter().all(Option::is_some) {
        return None;
    }
    let (place, run) = growing(net, 1, STEPS, &mut || true)?;
    replay(net, &run)?;
    let message = format!("place `{}` grows without end", net.places[place.index()]);
    let problem = Diagnostic::warning(&UNBOUNDED, message).at(Span::new(source, 0..0), "");
    Some(problem.help("a search of the net may never end: give --max-states or --timeout"))
}
