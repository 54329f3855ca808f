//! Place semiflows: non-negative weights of places whose sum no transition changes (Farkas; Martinez &
//! Silva 1982). They bound places, and show which places share one token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    semiflows_while(net, &mut || true)
}

/// The same, as far as they are found while `go_on` says so.
pub fn semiflows_while(net: &Net, go_on: &mut dyn FnMut() -> bool) -> Vec<Semiflow> {
    let mut rows: Vec<Row> = net
        .place_ids()
        .map(|place| Row { places: vec![(place.0, 1)], changes: Vec::new() })
        .collect();
    for transition in net.transition_ids() {
        for (place, sum) in net.change(transition) {
            rows[place.index()].changes.push((transition.0, sum));
        }
    }
    let n_columns = net.transitions.len();
    let mut elimination = Elimination {
        most_rows: MOST_ROWS.max(2 * net.n_places()),
        rows: Vec::new(),
        n_rows: 0,
        n_entries: 0,
        of_column: vec![Vec::new(); n_columns],
        signs: vec![(0, 0); n_columns],
        is_left: vec![true; n_columns],
        open: BinaryHeap::new(),
        work: 0,
    };
    rows.into_iter().for_each(|row| elimination.insert(row));
    while let Some(column) = elimination.next_column() {
        elimination.eliminate(column);
        if elimination.work > MOST_WORK || !go_on() {
            // Rows that change nothing any more are semiflows; the others are forgotten.
            break;
        }
    }
    let rows = elimination.rows.into_iter().flatten();
    let mut found: Vec<Semiflow> = rows.filter_map(|row| semiflow(net, row)).collect();
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

/// Columns that are eliminated one after the other, each with the rows that have an entry there.
struct Elimination {
    /// Rows beyond are not made.
    most_rows: usize,
    /// What was combined is gone.
    rows: Vec<Option<Row>>,
    n_rows: usize,
    /// Entries of all rows.
    n_entries: usize,
    /// Per column, rows that had an entry there when they were made.
    of_column: Vec<Vec<u32>>,
    /// Per column, how many entries are positive and how many are negative.
    signs: Vec<(usize, usize)>,
    is_left: Vec<bool>,
    /// Columns by cost; those whose cost has changed are there again.
    open: BinaryHeap<Reverse<(i64, u32)>>,
    work: usize,
}

impl Elimination {
    /// How many rows more there are without a column.
    fn cost(&self, column: u32) -> i64 {
        let (plus, minus) = self.signs[column as usize];
        (plus * minus) as i64 - (plus + minus) as i64
    }

    fn count(&mut self, row: &Row, is_new: bool) {
        let n_entries = row.places.len() + row.changes.len();
        self.work += n_entries + 8;
        if is_new {
            (self.n_rows, self.n_entries) = (self.n_rows + 1, self.n_entries + n_entries);
        } else {
            (self.n_rows, self.n_entries) = (self.n_rows - 1, self.n_entries - n_entries);
        }
        for &(column, value) in &row.changes {
            let (plus, minus) = &mut self.signs[column as usize];
            let sign = if value > 0 { plus } else { minus };
            *sign = if is_new { *sign + 1 } else { *sign - 1 };
            if self.is_left[column as usize] {
                self.open.push(Reverse((self.cost(column), column)));
            }
        }
    }

    fn insert(&mut self, row: Row) {
        self.count(&row, true);
        let number = self.rows.len() as u32;
        row.changes.iter().for_each(|entry| self.of_column[entry.0 as usize].push(number));
        self.rows.push(Some(row));
    }

    /// The column whose elimination makes the fewest rows.
    fn next_column(&mut self) -> Option<u32> {
        loop {
            let Reverse((cost, column)) = self.open.pop()?;
            let at = column as usize;
            if self.is_left[at] && self.signs[at] != (0, 0) && self.cost(column) == cost {
                self.is_left[at] = false;
                return Some(column);
            }
        }
    }

    fn eliminate(&mut self, column: u32) {
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for number in std::mem::take(&mut self.of_column[column as usize]) {
            let Some(row) = self.rows[number as usize].take() else { continue };
            self.count(&row, false);
            let at = row.changes.binary_search_by_key(&column, |entry| entry.0);
            match at.map_or(0, |at| row.changes[at].1) {
                value if value > 0 => plus.push((row, value)),
                value => minus.push((row, -value)),
            }
        }
        let mut n_entries = self.n_entries;
        let mut made: Vec<Row> = Vec::new();
        'all: for (one, a) in &plus {
            for (other, b) in &minus {
                if self.n_rows + made.len() >= self.most_rows || n_entries > MOST_ENTRIES {
                    break 'all;
                }
                if let Some(row) = combined(one, *b, other, *a) {
                    n_entries += row.places.len() + row.changes.len();
                    made.push(row);
                }
            }
        }
        self.insert_smallest(made);
    }

    /// Adds rows none of whose supports contains another's.
    fn insert_smallest(&mut self, mut made: Vec<Row>) {
        made.sort_by_key(|row| row.places.len());
        for row in made {
            // Comparing all with all is worth it where there are few.
            let is_needless = self.n_rows < 1500 && {
                self.work += self.rows.len();
                self.rows.iter().flatten().any(|other| contains(&row, other))
            };
            if !is_needless {
                self.insert(row);
            }
        }
    }
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
