//! Says of a net that it is not bounded, as far as a short walk finds out.

use quadrille_diagnostic::{Diagnostic, SourceId, Span};

use crate::codes::UNBOUNDED;
use crate::net::{Net, PlaceId, Tokens};
use crate::walk::{growing, replay};

/// Steps of the walk: a net is loaded without a noticeable wait.
const STEPS: u64 = 20_000;

/// A place which grows without end, where one is found, and the warning that names it; `known` are the most
/// tokens that places hold, where something bounds them.
pub fn unbounded(
    source: SourceId,
    net: &Net,
    known: &[Option<Tokens>],
) -> Option<(PlaceId, Diagnostic)> {
    if known.iter().all(Option::is_some) {
        return None;
    }
    let (place, run) = growing(net, 1, STEPS, &mut || true)?;
    replay(net, &run)?;
    let message = format!("place `{}` grows without end", net.places[place.index()]);
    let problem = Diagnostic::warning(&UNBOUNDED, message).at(Span::new(source, 0..0), "");
    let help = "what the first markings do not answer is unknown: bound the place, by another one \
                that holds the room which is left";
    Some((place, problem.help(help)))
}
