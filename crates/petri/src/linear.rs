//! The state equation: what no solution of it reaches is not reachable. A simplex in floating point
//! proposes weights of places; they count only where integers show that no transition makes the weighted
//! sum larger (so that what holds is proven, whatever rounding does). Where a solution empties a trap that
//! has a token at the start, it is excluded (Esparza & Melzer 2000).

use crate::formula::{Formula, Sum};
use crate::net::{Bag, Net, PlaceId, Tokens};

/// The state equation of a net.
pub struct Equation {
    /// Per transition, how it changes places.
    changes: Vec<Vec<(usize, i64)>>,
    /// Per transition, the places that it takes from and those that it puts into, where traps are used.
    arcs: Vec<(Vec<usize>, Vec<usize>)>,
    initial: Vec<Tokens>,
}

/// What became of a simplex.
enum Outcome {
    /// Weights of rows that show that there is no solution.
    Contradiction(Vec<f64>),
    /// A solution was found.
    Solution,
    /// Neither, within the work that is allowed.
    Unknown,
}

/// Traps that are looked at for one question.
const MOST_TRAPS: usize = 12;

/// Nets for which tables would be larger are not looked at.
const MOST_CELLS: usize = 4_000_000;
/// Parts of a disjunction that are looked at.
const MOST_PARTS: usize = 128;
/// Cells that the exchanges of a simplex go through.
const MOST_WORK: usize = 2_000_000_000;
/// Exchanges of a simplex.
const MOST_PIVOTS: usize = 3000;
const TINY: f64 = 1e-7;

impl Equation {
    /// The equation of a net, and whether traps refine it.
    pub fn new(net: &Net, uses_traps: bool) -> Self {
        let places = |bag: &Bag| bag.iter().map(|(place, _)| place.index()).collect();
        let arcs = net.transitions.iter().filter(|_| uses_traps);
        let arcs = arcs.map(|it| (places(&it.take), places(&it.put))).collect();
        let changes = net
            .transition_ids()
            .map(|id| net.change(id).into_iter().map(|(place, sum)| (place.index(), sum)).collect())
            .collect();
        Self { changes, arcs, initial: net.initial.clone() }
    }

    /// Whether it shows that a formula about markings, negations pushed inwards, never holds.
    pub fn refutes(&self, goal: &Formula, go_on: &mut dyn FnMut() -> bool) -> bool {
        let mut parts = 0;
        self.refuted(&mut Vec::new(), &mut vec![goal], &mut parts, go_on)
    }

    /// Whether the conjunction of comparisons and formulas has no solution.
    fn refuted<'f>(
        &self,
        atoms: &mut Vec<(&'f Sum, i64)>,
        open: &mut Vec<&'f Formula>,
        parts: &mut usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        // Conjunctions first: they cost nothing.
        let (n_atoms, kept) = (atoms.len(), open.clone());
        let mut choices: Vec<&Formula> = Vec::new();
        let mut is_false = false;
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Constant(false) => is_false = true,
                Formula::AtMost(sum, most) => atoms.push((sum, *most)),
                Formula::And(all) => open.extend(all),
                Formula::Or(_) => choices.push(formula),
                _ => {}
            }
        }
        let refuted = is_false || {
            *parts += 1;
            *parts <= MOST_PARTS && go_on() && self.has_no_solution(atoms, go_on) || {
                match choices.pop() {
                    Some(Formula::Or(all)) if *parts < MOST_PARTS => all.iter().all(|part| {
                        let mut rest = choices.clone();
                        rest.push(part);
                        self.refuted(atoms, &mut rest, parts, go_on)
                    }),
                    _ => false,
                }
            }
        };
        atoms.truncate(n_atoms);
        *open = kept;
        refuted
    }

    fn has_no_solution(&self, atoms: &[(&Sum, i64)], go_on: &mut dyn FnMut() -> bool) -> bool {
        let mut traps: Vec<Sum> = Vec::new();
        loop {
            // A trap that has a token keeps one: at least one, so that −Σ is at most −1.
            let kept = traps.iter().map(|trap| (trap, -1));
            let all: Vec<(&Sum, i64)> = atoms.iter().copied().chain(kept).collect();
            match self.solved(&all, go_on) {
                Err(is_contradiction) => return is_contradiction,
                Ok(marking) if traps.len() < MOST_TRAPS => match self.emptied_trap(&marking) {
                    Some(trap) => traps.push(trap),
                    None => return false,
                },
                Ok(_) => return false,
            }
        }
    }

    /// The largest trap without a token in a marking, as a sum with factors −1, if it has one at the
    /// start.
    fn emptied_trap(&self, marking: &[f64]) -> Option<Sum> {
        let mut is_in: Vec<bool> = marking.iter().map(|&tokens| tokens < TINY).collect();
        loop {
            let mut is_changed = false;
            for (take, put) in &self.arcs {
                if put.iter().any(|&place| is_in[place]) {
                    continue;
                }
                for &place in take {
                    is_changed |= std::mem::replace(&mut is_in[place], false);
                }
            }
            if !is_changed {
                break;
            }
        }
        let places = || (0..is_in.len()).filter(|&place| is_in[place]);
        let is_marked = !self.arcs.is_empty() && places().any(|place| self.initial[place] > 0);
        is_marked.then(|| places().map(|place| (PlaceId::from_usize(place), -1)).collect())
    }

    /// The marking of a solution, about; or whether it is certain that there is none.
    fn solved(
        &self,
        atoms: &[(&Sum, i64)],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<f64>, bool> {
        let n = self.initial.len();
        if atoms.is_empty() || (n + atoms.len()) * (self.changes.len() + 1) > MOST_CELLS {
            return Err(false);
        }
        let rows: Vec<Vec<f64>> = atoms.iter().map(|(sum, _)| self.effect(sum)).collect();
        let limits: Vec<f64> =
            atoms.iter().map(|(sum, most)| (*most - self.start(sum)) as f64).collect();
        let mut table = Table::new(self, &rows, &limits);
        let duals = match table.solve(go_on) {
            Outcome::Contradiction(duals) => duals,
            Outcome::Solution => return Ok(table.slacks(n)),
            Outcome::Unknown => return Err(false),
        };
        // Σ zᵢ·aᵢ over the comparisons is at most Σ zᵢ·bᵢ; the weights y of places show more.
        let Some((_, duals)) = rational(&duals) else { return Err(false) };
        let (places, factors) = duals.split_at(n);
        let mut least = vec![0i128; n];
        let mut most = 0i128;
        for (&factor, (sum, bound)) in factors.iter().zip(atoms) {
            for &(place, weight) in *sum {
                least[place.index()] -= factor * i128::from(weight);
            }
            most -= factor * i128::from(*bound);
        }
        // least·m ≥ most by the comparisons. With weights w ≥ least that no firing makes larger,
        // least·m ≤ w·m ≤ w·m₀.
        let weights: Vec<i128> = least.iter().zip(places).map(|(&c, &y)| c + y).collect();
        Err(self.never_grows(&weights, &least) && self.weighed(&weights) < most)
    }

    /// How transitions change a sum.
    fn effect(&self, sum: &[(PlaceId, i64)]) -> Vec<f64> {
        let mut weights = vec![0i64; self.initial.len()];
        sum.iter().for_each(|&(place, factor)| weights[place.index()] = factor);
        let change = |change: &Vec<(usize, i64)>| {
            change.iter().map(|&(place, tokens)| (weights[place] * tokens) as f64).sum()
        };
        self.changes.iter().map(change).collect()
    }

    fn start(&self, sum: &[(PlaceId, i64)]) -> i64 {
        sum.iter().map(|&(place, factor)| factor * i64::from(self.initial[place.index()])).sum()
    }

    /// Whether weights are at least these, and no firing makes the weighted sum larger.
    fn never_grows(&self, weights: &[i128], least: &[i128]) -> bool {
        weights.iter().zip(least).all(|(weight, least)| weight >= least)
            && self.changes.iter().all(|change| {
                let sum: i128 =
                    change.iter().map(|&(place, tokens)| weights[place] * i128::from(tokens)).sum();
                sum <= 0
            })
    }

    fn weighed(&self, weights: &[i128]) -> i128 {
        weights.iter().zip(&self.initial).map(|(weight, &tokens)| weight * i128::from(tokens)).sum()
    }

    /// The most that a sum of tokens can be, as far as the equation shows.
    pub fn bound(&self, sum: &Sum) -> Option<i64> {
        let n = self.initial.len();
        if n * (self.changes.len() + 1) > MOST_CELLS {
            return None;
        }
        let mut table = Table::new(self, &[], &[]);
        let duals = table.maximise(&self.effect(sum))?;
        let (scale, duals) = rational(&duals)?;
        let mut least = vec![0i128; n];
        sum.iter().for_each(|&(place, factor)| least[place.index()] = scale * i128::from(factor));
        let weights: Vec<i128> = least.iter().zip(&duals).map(|(&c, &y)| c + y).collect();
        if !self.never_grows(&weights, &least) {
            return None;
        }
        i64::try_from(self.weighed(&weights).div_euclid(scale)).ok()
    }
}

/// Rows `Σ aₜ·xₜ ≤ b` for the places (`−C·x ≤ m₀`: no place below zero) and then for comparisons, as a
/// table of the simplex method with one slack per row.
struct Table {
    /// Rows of coefficients of the variables outside of the basis; the last one is the right side.
    rows: Vec<Vec<f64>>,
    /// Per row, its variable: below `n_columns` a transition, else a slack.
    basis: Vec<usize>,
    /// Per column, its variable.
    columns: Vec<usize>,
    n_columns: usize,
    pivots: usize,
}

impl Table {
    fn new(equation: &Equation, more: &[Vec<f64>], limits: &[f64]) -> Self {
        let n_columns = equation.changes.len();
        let mut rows = vec![vec![0.0; n_columns + 1]; equation.initial.len()];
        for (column, change) in equation.changes.iter().enumerate() {
            for &(place, tokens) in change {
                rows[place][column] = -(tokens as f64);
            }
        }
        for (row, &tokens) in rows.iter_mut().zip(&equation.initial) {
            row[n_columns] = f64::from(tokens);
        }
        for (row, &limit) in more.iter().zip(limits) {
            rows.push(row.iter().copied().chain([limit]).collect());
        }
        let basis = (n_columns..n_columns + rows.len()).collect();
        Self { rows, basis, columns: (0..n_columns).collect(), n_columns, pivots: 0 }
    }

    /// Values of the slacks of the first rows, which are the tokens of places.
    fn slacks(&self, n: usize) -> Vec<f64> {
        let mut values = vec![0.0; n];
        for (row, &variable) in self.rows.iter().zip(&self.basis) {
            if let Some(value) =
                variable.checked_sub(self.n_columns).and_then(|at| values.get_mut(at))
            {
                *value = row[self.n_columns];
            }
        }
        values
    }

    /// Makes the violations smaller together until they are gone, or can become no smaller.
    fn solve(&mut self, go_on: &mut dyn FnMut() -> bool) -> Outcome {
        let right = self.n_columns;
        loop {
            let violated: Vec<usize> =
                (0..self.rows.len()).filter(|&row| self.rows[row][right] < -TINY).collect();
            if violated.is_empty() {
                return Outcome::Solution;
            }
            // The sum of the violated rows: what makes it larger makes violations smaller.
            let mut sum = vec![0.0; right + 1];
            for &row in &violated {
                for (total, value) in sum.iter_mut().zip(&self.rows[row]) {
                    *total += value;
                }
            }
            let Some(column) = self.entering(&sum[..right]) else {
                // No variable helps: the sum of these rows is the contradiction.
                let mut duals = vec![0.0; self.basis.len()];
                for row in violated {
                    self.add_weight(&mut duals, self.basis[row], 1.0);
                }
                for (column, &value) in sum[..right].iter().enumerate() {
                    self.add_weight(&mut duals, self.columns[column], value);
                }
                return Outcome::Contradiction(duals);
            };
            let row = self.leaving(column, true);
            if !go_on() || row.and_then(|row| self.pivot(row, column)).is_none() {
                return Outcome::Unknown;
            }
        }
    }

    fn add_weight(&self, duals: &mut [f64], variable: usize, value: f64) {
        if variable >= self.n_columns {
            duals[variable - self.n_columns] += value;
        }
    }

    /// Weights of rows that bound an objective; the table has a solution from the beginning.
    fn maximise(&mut self, objective: &[f64]) -> Option<Vec<f64>> {
        let right = self.n_columns;
        let mut costs: Vec<f64> = objective.iter().map(|value| -value).chain([0.0]).collect();
        loop {
            let Some(column) = self.entering(&costs[..right]) else {
                let mut duals = vec![0.0; self.basis.len()];
                for (column, &value) in costs[..right].iter().enumerate() {
                    self.add_weight(&mut duals, self.columns[column], value);
                }
                return Some(duals);
            };
            let row = self.leaving(column, false)?;
            let factor = costs[column];
            let pivot = self.rows[row][column];
            self.pivot(row, column)?;
            // The row is divided already; the column holds what the old variable has there.
            for (position, cost) in costs.iter_mut().enumerate() {
                if position == column {
                    *cost = -factor / pivot;
                } else {
                    *cost -= factor * self.rows[row][position];
                }
            }
        }
    }

    /// The column with the smallest coefficient; after many exchanges the first negative one, so that
    /// there is an end.
    fn entering(&self, costs: &[f64]) -> Option<usize> {
        let mut negative = costs.iter().enumerate().filter(|(_, cost)| **cost < -TINY);
        if self.pivots > MOST_PIVOTS / 2 {
            let first = negative.min_by_key(|(column, _)| self.columns[*column]);
            return first.map(|(column, _)| column);
        }
        let first = negative.next()?;
        Some(negative.fold(first, |best, next| if next.1 < best.1 { next } else { best }).0)
    }

    /// The row that limits a column first. Violated rows may be passed as far as they become right.
    fn leaving(&self, column: usize, passes: bool) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (number, row) in self.rows.iter().enumerate() {
            let (value, limit) = (row[column], row[self.n_columns]);
            let ratio = if limit >= -TINY && value > TINY {
                limit.max(0.0) / value
            } else if passes && limit < -TINY && value < -TINY {
                limit / value
            } else {
                continue;
            };
            let is_better = match best {
                None => true,
                Some((known, least)) => {
                    ratio < least - TINY
                        || (ratio < least + TINY && self.basis[number] < self.basis[known])
                }
            };
            if is_better {
                best = Some((number, ratio));
            }
        }
        best.map(|(row, _)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        self.pivots += 1;
        let cells = self.rows.len() * (self.n_columns + 1);
        if self.pivots > MOST_PIVOTS.min(MOST_WORK / cells.max(1)) {
            return None;
        }
        let pivot = self.rows[row][column];
        let mut leading = std::mem::take(&mut self.rows[row]);
        for value in &mut leading {
            *value /= pivot;
        }
        leading[column] = 1.0 / pivot;
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let factor = other[column];
            if factor == 0.0 {
                continue;
            }
            for (value, &lead) in other.iter_mut().zip(&leading) {
                *value -= factor * lead;
                if value.abs() < 1e-11 {
                    *value = 0.0;
                }
            }
            other[column] = -factor / pivot;
        }
        self.rows[row] = leading;
        std::mem::swap(&mut self.basis[row], &mut self.columns[column]);
        Some(())
    }
}

/// Weights as integers over one denominator; `None` where that is too large. Negative ones, which are
/// noise, become zero.
fn rational(weights: &[f64]) -> Option<(i128, Vec<i128>)> {
    let mut scale: i128 = 1;
    for &weight in weights {
        let (_, denominator) = fraction(weight.max(0.0) * scale as f64)?;
        scale *= denominator;
        if scale > 1 << 24 {
            return None;
        }
    }
    let scaled = |weight: &f64| {
        let value = (weight.max(0.0) * scale as f64).round();
        (value < 1e15).then_some(value as i128)
    };
    Some((scale, weights.iter().map(scaled).collect::<Option<_>>()?))
}

/// The simplest fraction near a number (continued fractions).
fn fraction(number: f64) -> Option<(i128, i128)> {
    let (mut rest, mut last, mut now) = (number, (0i128, 1i128), (1i128, 0i128));
    for _ in 0..12 {
        let whole = rest.floor();
        if whole > 1e12 {
            return None;
        }
        let digit = whole as i128;
        (last, now) = (now, (digit * now.0 + last.0, digit * now.1 + last.1));
        if now.1 > 5000 {
            return None;
        }
        if (number - now.0 as f64 / now.1 as f64).abs() < 1e-6 {
            return Some(now);
        }
        rest = 1.0 / (rest - whole);
    }
    None
}
