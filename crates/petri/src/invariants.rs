//! Place semiflows: non-negative weights of places whose sum no transition changes (Farkas; Martinez &
//! Silva 1982). They bound places, and show which places share one token.

use crate::net::{Net, PlaceId, Tokens};

/// A semiflow with what its sum always is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Semiflow {
    /// Places with weights, ascending.
    pub weights: Vec<(PlaceId, i64)>,
    /// The sum in the initial marking.
    pub sum: i64,
}

impl Semiflow {
    /// Whether its places share one token.
    pub fn is_state_machine(&self) -> bool {
        self.sum == 1 && self.weights.iter().all(|&(_, weight)| weight == 1)
    }
}

/// Rows that are kept while columns are eliminated: what is beyond is forgotten, so that some
/// semiflows may not be found.
const MOST_ROWS: usize = 4000;
/// Entries of all rows together, for the same reason.
const MOST_ENTRIES: usize = 2_000_000;

/// Entries that are looked at before elimination ends.
const MOST_WORK: usize = 400_000_000;

/// A combination of places, and what transitions do to it. Both ascending.
#[derive(Clone, PartialEq, Eq)]
struct Row {
    places: Vec<(u32, i64)>,
    changes: Vec<(u32, i64)>,
}

/// Semiflows of minimal support, as far as they are found under a bound of work.
pub fn semiflows(net: &Net) -> Vec<Semiflow> {
    let mut rows: Vec<Row> = net
        .place_ids()
        .map(|place| Row { places: vec![(place.0, 1)], changes: Vec::new() })
        .collect();
    for transition in net.transition_ids() {
        for (place, sum) in net.change(transition) {
            rows[place.index()].changes.push((transition.0, sum));
        }
    }
    let mut left = vec![true; net.transitions.len()];
    let mut work = 0usize;
    while let Some(column) = next_column(&rows, &left) {
        left[column as usize] = false;
        rows = eliminate(rows, column);
        work += left.len() + rows.iter().map(|row| row.changes.len() + 8).sum::<usize>();
        if work > MOST_WORK {
            // Rows that change nothing any more are semiflows; the others are forgotten.
            break;
        }
    }
    let mut found: Vec<Semiflow> = rows.into_iter().filter_map(|row| semiflow(net, row)).collect();
    found
        .sort_unstable_by(|a, b| (a.weights.len(), &a.weights).cmp(&(b.weights.len(), &b.weights)));
    found.dedup();
    found
}

fn semiflow(net: &Net, row: Row) -> Option<Semiflow> {
    if !row.changes.is_empty() {
        return None;
    }
    let weights: Vec<(PlaceId, i64)> =
        row.places.into_iter().map(|(place, weight)| (PlaceId(place), weight)).collect();
    let mut sum = 0i64;
    for &(place, weight) in &weights {
        sum = sum.checked_add(weight.checked_mul(i64::from(net.initial[place.index()]))?)?;
    }
    Some(Semiflow { weights, sum })
}

/// The column whose elimination makes the fewest rows.
fn next_column(rows: &[Row], left: &[bool]) -> Option<u32> {
    let mut signs = vec![(0usize, 0usize); left.len()];
    for &(column, value) in rows.iter().flat_map(|row| &row.changes) {
        let (plus, minus) = &mut signs[column as usize];
        if value > 0 { *plus += 1 } else { *minus += 1 }
    }
    let cost = |&column: &usize| {
        let (plus, minus) = signs[column];
        (plus * minus) as i64 - (plus + minus) as i64
    };
    let open = (0..left.len()).filter(|&column| left[column] && signs[column] != (0, 0));
    open.min_by_key(|column| (cost(column), *column)).map(|column| column as u32)
}

fn eliminate(rows: Vec<Row>, column: u32) -> Vec<Row> {
    let of = |row: &Row| {
        row.changes.binary_search_by_key(&column, |entry| entry.0).map_or(0, |at| row.changes[at].1)
    };
    let (mut kept, mut plus, mut minus) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match of(&row) {
            0 => kept.push(row),
            value if value > 0 => plus.push((row, value)),
            value => minus.push((row, -value)),
        }
    }
    let mut entries: usize = kept.iter().map(|row| row.places.len() + row.changes.len()).sum();
    let mut made: Vec<Row> = Vec::new();
    'all: for (one, a) in &plus {
        for (other, b) in &minus {
            if kept.len() + made.len() >= MOST_ROWS || entries > MOST_ENTRIES {
                break 'all;
            }
            if let Some(row) = combined(one, *b, other, *a) {
                entries += row.places.len() + row.changes.len();
                made.push(row);
            }
        }
    }
    without_larger(kept, made)
}

/// Adds rows none of whose supports contains another's.
fn without_larger(mut kept: Vec<Row>, mut made: Vec<Row>) -> Vec<Row> {
    made.sort_by_key(|row| row.places.len());
    for row in made {
        // Comparing all with all is worth it where there are few.
        let is_needless = kept.len() < 1500 && kept.iter().any(|other| contains(&row, other));
        if !is_needless {
            kept.push(row);
        }
    }
    kept
}

/// Whether the support of one row contains that of another.
fn contains(large: &Row, small: &Row) -> bool {
    if small.places.len() > large.places.len() {
        return false;
    }
    let mut at = large.places.iter().map(|entry| entry.0);
    small.places.iter().all(|&(place, _)| at.any(|other| other == place))
}

fn combined(one: &Row, a: i64, other: &Row, b: i64) -> Option<Row> {
    let common = gcd(a, b);
    let (a, b) = (a / common, b / common);
    let mut places = sum(&one.places, a, &other.places, b)?;
    let mut changes = sum(&one.changes, a, &other.changes, b)?;
    let all = places.iter().chain(&changes).fold(0, |all, &(_, value)| gcd(all, value.abs()));
    if all > 1 {
        places.iter_mut().chain(&mut changes).for_each(|(_, value)| *value /= all);
    }
    Some(Row { places, changes })
}

/// A sum of sparse vectors; `None` where numbers become too large.
fn sum(one: &[(u32, i64)], a: i64, other: &[(u32, i64)], b: i64) -> Option<Vec<(u32, i64)>> {
    let mut result = Vec::with_capacity(one.len() + other.len());
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < other.len() {
        let from_one = j == other.len() || (i < one.len() && one[i].0 <= other[j].0);
        let from_other = i == one.len() || (j < other.len() && other[j].0 <= one[i].0);
        let index = if from_one { one[i].0 } else { other[j].0 };
        let mut value = 0i64;
        if from_one {
            value = one[i].1.checked_mul(a)?;
            i += 1;
        }
        if from_other {
            value = value.checked_add(other[j].1.checked_mul(b)?)?;
            j += 1;
        }
        if value.abs() > 1 << 40 {
            return None;
        }
        if value != 0 {
            result.push((index, value));
        }
    }
    Some(result)
}

pub(crate) fn gcd(mut one: i64, mut other: i64) -> i64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The most tokens that places can hold as far as semiflows tell.
pub fn bounds(net: &Net, semiflows: &[Semiflow]) -> Vec<Option<Tokens>> {
    let mut bounds: Vec<Option<Tokens>> = vec![None; net.n_places()];
    for flow in semiflows {
        for &(place, weight) in &flow.weights {
            let most = Tokens::try_from(flow.sum / weight).ok();
            let known = &mut bounds[place.index()];
            *known = match (*known, most) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
    }
    bounds
}
