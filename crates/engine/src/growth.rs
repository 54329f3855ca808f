//! How many states there may be, from the levels of a search that was ended early: levels of a
//! breadth-first search mostly grow ever more slowly, then shrink. Knows nothing of models.
//!
//! The ratio of two levels that follow each other is fitted, as a logarithm, by straight lines over
//! the last levels, and continued until nothing is left; what different stretches of levels give is the
//! range. (Pelánek and Šimeček, "Estimating state space parameters", PDMC 2008, compare such methods;
//! none is precise, and the order of magnitude is what can be hoped for.)

/// How many states there may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Growth {
    /// The least and the most that is likely. There is no most where levels grow ever faster.
    pub least: f64,
    /// See `least`.
    pub most: Option<f64>,
    /// What is likely.
    pub likely: Option<f64>,
}

/// Levels that are looked at, as parts of all: the last third, half, two thirds.
const STRETCHES: [(usize, usize); 4] = [(1, 4), (1, 3), (1, 2), (2, 3)];
/// Fewer ratios are no basis for a line.
const FEWEST: usize = 4;
/// Levels after which a line that does not end is given up.
const LONGEST: usize = 100_000;
/// The range is made wider on both sides: by this factor …
const WIDER: f64 = 1.25;
/// … and by this power of how many times more states there seem to be than were seen.
const POWER: f64 = 0.4;

/// Continues the sizes of complete levels; `seen` states were met in all.
pub fn growth(levels: &[u64], seen: u64) -> Growth {
    let seen = seen as f64;
    let known: f64 = levels.iter().map(|&size| size as f64).sum();
    let ratios: Vec<f64> =
        levels.windows(2).map(|pair| (pair[1] as f64 / pair[0].max(1) as f64).ln()).collect();
    let last = levels.last().map_or(1.0, |&size| size as f64);
    let mut totals: Vec<f64> = Vec::new();
    let mut endless = 0;
    for (part, of) in STRETCHES {
        let length = (ratios.len() * part / of).max(FEWEST).min(ratios.len());
        if length < FEWEST {
            continue;
        }
        match continued(&ratios[ratios.len() - length..], last) {
            Some(more) => totals.push((known + more).max(seen)),
            None => endless += 1,
        }
    }
    if totals.is_empty() {
        return Growth { least: seen, most: None, likely: None };
    }
    totals.sort_by(f64::total_cmp);
    let middle = totals.len() / 2;
    let likely = if totals.len() % 2 == 1 {
        totals[middle]
    } else {
        (totals[middle - 1] * totals[middle]).sqrt()
    };
    let wider = WIDER * (likely / seen.max(1.0)).powf(POWER);
    let least = (totals[0] / wider).max(seen);
    let most = (endless == 0).then(|| totals[totals.len() - 1] * wider);
    Growth { least, most, likely: Some(likely) }
}

/// The states of all levels behind the last one, if the ratios go on along a line; `None` if that does
/// not end.
fn continued(ratios: &[f64], last: f64) -> Option<f64> {
    let n = ratios.len() as f64;
    let mean_x = (n - 1.0) / 2.0;
    let mean_y = ratios.iter().sum::<f64>() / n;
    let (mut products, mut squares) = (0.0, 0.0);
    for (x, y) in ratios.iter().enumerate() {
        products += (x as f64 - mean_x) * (y - mean_y);
        squares += (x as f64 - mean_x) * (x as f64 - mean_x);
    }
    let slope = products / squares;
    let at = |x: f64| mean_y + slope * (x - mean_x);
    if slope >= 0.0 && at(n) > -1e-3 {
        return None;
    }
    let (mut level, mut sum) = (last, 0.0);
    for position in 0..LONGEST {
        level *= at(n + position as f64).exp();
        if level < 1.0 {
            return Some(sum);
        }
        sum += level;
        if !sum.is_finite() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests;
