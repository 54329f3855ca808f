//! One form for all instances that differ by names of atoms, as far as there are few of those.

use crate::evaluate::Values;

/// Of how many arrangements the least is looked for.
const ARRANGEMENTS: usize = 5_040;

/// The least of all values that differ by an exchange of atoms in classes.
pub(super) fn least_form(values: &Values, classes: &[Vec<u16>]) -> Values {
    let mut maps: Vec<Vec<(u16, u16)>> = vec![Vec::new()];
    for class in classes {
        let arrangements = arrangements(class);
        if maps.len() * arrangements.len() > ARRANGEMENTS {
            continue;
        }
        let extend = |map: &Vec<(u16, u16)>, to: &Vec<u16>| {
            let pairs = class.iter().copied().zip(to.iter().copied());
            map.iter().copied().chain(pairs).collect::<Vec<_>>()
        };
        maps = maps.iter().flat_map(|map| arrangements.iter().map(|to| extend(map, to))).collect();
    }
    let renamed = |map: &Vec<(u16, u16)>| {
        let to = |atom: u16| map.iter().find(|(from, _)| *from == atom).map_or(atom, |pair| pair.1);
        let tuple = |tuple: &Vec<u16>| tuple.iter().map(|atom| to(*atom)).collect::<Vec<u16>>();
        let mut renamed = values.clone();
        for states in &mut renamed.relations {
            for tuples in states {
                *tuples = tuples.iter().map(tuple).collect();
            }
        }
        renamed
    };
    maps.iter().map(renamed).min().unwrap_or_else(|| values.clone())
}

fn arrangements(class: &[u16]) -> Vec<Vec<u16>> {
    let Some((first, rest)) = class.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    if class.len() > 7 {
        return vec![class.to_vec()];
    }
    for shorter in arrangements(rest) {
        for at in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(at, *first);
            all.push(longer);
        }
    }
    all
}
