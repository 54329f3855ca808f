//! Regions as sets of configurations.

use super::*;

/// Every configuration of three slots with three values each.
fn all() -> impl Iterator<Item = [Value; 3]> {
    (0..27).map(|number| [number / 9, number / 3 % 3, number % 3])
}

/// Regions by all subsets of values on two slots.
fn regions() -> Vec<Region> {
    let sets = || (1..7u32).map(|bits| (0..3).filter(move |value| bits >> value & 1 == 1));
    let pair = |one: u32, other: u32| {
        sets().flat_map(move |left| {
            sets().filter_map(move |right| {
                Region::among(one, left.clone()).intersect(&Region::among(other, right))
            })
        })
    };
    pair(0, 1).chain(pair(1, 2)).collect()
}

#[test]
fn places_know_all_regions_of_a_configuration() {
    let mut all_regions = regions();
    all_regions.push(Region::default());
    let numbered = all_regions.iter().cloned().zip(0..);
    let places: RegionIndex<usize> = RegionIndex::new(numbered, &[3, 3, 3]);
    for c in all() {
        let mut found = Vec::new();
        places.for_each(&c, |number| found.push(*number));
        found.sort_unstable();
        let is_there = |number: &usize| all_regions[*number].contains(&c);
        let expected: Vec<usize> = (0..all_regions.len()).filter(is_there).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn intersections_and_differences_have_the_right_members() {
    for left in regions() {
        for right in regions() {
            let both = left.intersect(&right);
            let rest = left.subtract(&right, &[3, 3, 3]);
            for c in all() {
                let (in_left, in_right) = (left.contains(&c), right.contains(&c));
                assert_eq!(both.as_ref().is_some_and(|b| b.contains(&c)), in_left && in_right);
                let n_rest = rest.iter().filter(|region| region.contains(&c)).count();
                assert_eq!(n_rest, usize::from(in_left && !in_right), "{left:?} {right:?}");
            }
        }
    }
}
