//! Random formulas of linear and branching time, as trees, and the words they are evaluated on.

use quadrille_logic::{AtomId, Binary, Formula, Letter, Path, Unary};

use crate::Choices;

/// Which operators that look back a linear formula may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Past {
    /// None.
    None,
    /// Some, beside those that look forward.
    Some,
    /// Nothing looks forward.
    Only,
}

/// A finite word over the letters of `n_atoms` atoms.
pub fn word(choices: &mut Choices, length: usize, n_atoms: usize) -> Vec<Letter> {
    (0..length).map(|_| choices.below(1 << n_atoms) as Letter).collect()
}

/// An atom, or now and then a constant.
pub fn leaf(choices: &mut Choices, n_atoms: usize) -> Formula {
    match choices.below(n_atoms * 4 + 2) {
        choice if choice < n_atoms * 4 => Formula::Atom(AtomId::from_usize(choice % n_atoms)),
        choice if choice % 2 == 0 => Formula::True,
        _ => Formula::False,
    }
}

/// A linear formula with about `size` nodes.
pub fn linear(choices: &mut Choices, size: usize, n_atoms: usize, past: Past) -> Formula {
    if size <= 1 {
        return leaf(choices, n_atoms);
    }
    if choices.coin() || size == 2 {
        return prefixed(choices, size, n_atoms, past);
    }
    let left = 1 + choices.below(size - 2);
    let right = size - 1 - left;
    let operator = match past {
        Past::Only => choices.below(5),
        Past::Some => choices.below(9),
        Past::None => [0, 1, 2, 3, 5, 6, 7, 8][choices.below(8)],
    };
    let inner = if operator == 4 { Past::Only } else { past };
    let a = linear(choices, left, n_atoms, inner);
    let b = linear(choices, right, n_atoms, inner);
    match operator {
        0 => Formula::and([a, b]),
        1 => Formula::or([a, b]),
        2 => a.implies(b),
        3 => a.iff(b),
        4 => Formula::binary(Binary::Since, a, b),
        5 => Formula::binary(Binary::Until, a, b),
        6 => Formula::binary(Binary::WeakUntil, a, b),
        7 => Formula::binary(Binary::Release, a, b),
        _ => Formula::binary(Binary::StrongRelease, a, b),
    }
}

fn prefixed(choices: &mut Choices, size: usize, n_atoms: usize, past: Past) -> Formula {
    let operator = match past {
        Past::Only => choices.below(4),
        Past::Some => choices.below(7),
        Past::None => [0, 4, 5, 6][choices.below(4)],
    };
    let inner = if (1..=3).contains(&operator) { Past::Only } else { past };
    let a = linear(choices, size - 1, n_atoms, inner);
    match operator {
        0 => !a,
        1 => Formula::unary(Unary::Previous, a),
        2 => Formula::unary(Unary::Once, a),
        3 => Formula::unary(Unary::Historically, a),
        4 => Formula::unary(Unary::Next, a),
        5 => Formula::unary(Unary::Eventually, a),
        _ => Formula::unary(Unary::Always, a),
    }
}

/// A linear formula of at most this depth with at most `n_temporal` temporal operators, some of which
/// look back: for oracles that are exponential in them.
pub fn sparse(choices: &mut Choices, n_temporal: u32, depth: u32, n_atoms: usize) -> Formula {
    sparse_part(choices, &mut { n_temporal }, depth, n_atoms, Past::Some)
}

fn sparse_part(
    choices: &mut Choices,
    n_temporal: &mut u32,
    depth: u32,
    n_atoms: usize,
    past: Past,
) -> Formula {
    const AHEAD: [Unary; 3] = [Unary::Next, Unary::Eventually, Unary::Always];
    const BACK: [Unary; 3] = [Unary::Previous, Unary::Once, Unary::Historically];
    const BETWEEN: [Binary; 4] =
        [Binary::Until, Binary::WeakUntil, Binary::Release, Binary::StrongRelease];
    let kind = if depth == 0 { 0 } else { choices.below(12) };
    let is_temporal = kind >= 6 && *n_temporal > 0;
    *n_temporal -= u32::from(is_temporal);
    let mut part =
        |choices: &mut Choices, past| sparse_part(choices, n_temporal, depth - 1, n_atoms, past);
    match kind {
        1 | 2 => !part(choices, past),
        3 => Formula::and([part(choices, past), part(choices, past)]),
        4 => Formula::or([part(choices, past), part(choices, past)]),
        5 => part(choices, past).implies(part(choices, past)),
        _ if !is_temporal => Formula::Atom(AtomId::from_usize(choices.below(n_atoms))),
        6 | 7 if past == Past::Only => {
            let (a, b) = (part(choices, Past::Only), part(choices, Past::Only));
            Formula::binary(Binary::Since, a, b)
        }
        _ if past == Past::Only || kind == 6 => {
            Formula::unary(choices.pick(&BACK), part(choices, Past::Only))
        }
        7..=9 => Formula::unary(choices.pick(&AHEAD), part(choices, past)),
        _ => {
            let operator = choices.pick(&BETWEEN);
            Formula::binary(operator, part(choices, past), part(choices, past))
        }
    }
}

/// A formula of branching time of at most this depth, with operators that look back.
pub fn branching(choices: &mut Choices, depth: u32, n_atoms: usize) -> Formula {
    const UNARY: [Unary; 6] = [
        Unary::Next,
        Unary::Eventually,
        Unary::Always,
        Unary::Previous,
        Unary::Once,
        Unary::Historically,
    ];
    const BINARY: [Binary; 5] =
        [Binary::Until, Binary::WeakUntil, Binary::Release, Binary::StrongRelease, Binary::Since];
    if depth == 0 || choices.below(8) == 0 {
        return leaf(choices, n_atoms);
    }
    let path = choices.pick(&[Path::All, Path::Some]);
    let [a, b] = [0; 2].map(|_| Box::new(branching(choices, depth - 1, n_atoms)));
    match choices.below(16) {
        0 => Formula::Not(a),
        1 => Formula::and([*a, *b]),
        2 => Formula::or([*a, *b]),
        3 => Formula::Implies(a, b),
        4 => Formula::Iff(a, b),
        5..10 => Formula::Unary(path, choices.pick(&UNARY), a),
        _ => Formula::Binary(path, choices.pick(&BINARY), a, b),
    }
}
