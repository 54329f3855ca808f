//! Sets of configurations described slot by slot: which values each of some slots may have
//! (hyperrectangles). They can be intersected, and subtracted into disjoint ones.

use quadrille_model::{Value, ValueSet};

/// All configurations in which each listed slot has one of its values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Region {
    /// Ascending by slot, each once.
    conditions: Vec<(u32, ValueSet)>,
}

impl Region {
    /// Where a slot has a value.
    pub fn at(slot: u32, value: Value) -> Self {
        Self::among(slot, [value])
    }

    /// Where a slot has one of some values.
    pub fn among(slot: u32, values: impl IntoIterator<Item = Value>) -> Self {
        Self { conditions: vec![(slot, values.into_iter().collect())] }
    }

    /// The conditions, ascending by slot.
    pub fn conditions(&self) -> &[(u32, ValueSet)] {
        &self.conditions
    }

    /// Whether a configuration belongs to it.
    pub fn contains(&self, configuration: &[Value]) -> bool {
        self.conditions.iter().all(|(slot, set)| set.contains(configuration[*slot as usize]))
    }

    /// Whether the configuration with all slots in their initial states belongs to it.
    pub fn contains_start(&self) -> bool {
        self.conditions.iter().all(|(_, set)| set.contains(0))
    }

    /// The values that a slot may have; none if any.
    pub fn of(&self, slot: u32) -> Option<&ValueSet> {
        let found = self.conditions.binary_search_by_key(&slot, |condition| condition.0).ok()?;
        Some(&self.conditions[found].1)
    }

    /// The same for slots numbered from `offset` on.
    #[must_use]
    pub fn shifted(&self, offset: u32) -> Self {
        let shift = |(slot, set): &(u32, ValueSet)| (slot + offset, set.clone());
        Self { conditions: self.conditions.iter().map(shift).collect() }
    }

    /// What belongs to both, if anything does.
    pub fn intersect(&self, other: &Region) -> Option<Region> {
        let mut conditions: Vec<(u32, ValueSet)> = Vec::new();
        let (mut left, mut right) = (&self.conditions[..], &other.conditions[..]);
        loop {
            match (left, right) {
                ([], rest) | (rest, []) => {
                    conditions.extend_from_slice(rest);
                    return Some(Region { conditions });
                }
                ([one, more_left @ ..], [two, more_right @ ..]) => {
                    if one.0 == two.0 {
                        let both: ValueSet = one.1.iter().filter(|v| two.1.contains(*v)).collect();
                        if both.is_empty() {
                            return None;
                        }
                        conditions.push((one.0, both));
                        (left, right) = (more_left, more_right);
                    } else if one.0 < two.0 {
                        conditions.push(one.clone());
                        left = more_left;
                    } else {
                        conditions.push(two.clone());
                        right = more_right;
                    }
                }
            }
        }
    }

    /// What belongs to this but not to the other, as disjoint regions. `sizes` tells how many values
    /// each slot has.
    pub fn subtract(&self, other: &Region, sizes: &[u32]) -> Vec<Region> {
        if self.intersect(other).is_none() {
            return vec![self.clone()];
        }
        let mut rest = self.clone();
        let mut dfas = Vec::new();
        for (slot, set) in &other.conditions {
            let inside = |value: &Value| rest.of(*slot).is_none_or(|own| own.contains(*value));
            let all = (0..sizes[*slot as usize]).filter(inside);
            let (inner, outer): (Vec<Value>, Vec<Value>) = all.partition(|v| set.contains(*v));
            if !outer.is_empty() {
                dfas.push(rest.with(*slot, outer.into_iter().collect()));
            }
            rest = rest.with(*slot, inner.into_iter().collect());
        }
        dfas
    }

    /// With another condition on a slot in place of its own.
    #[must_use]
    pub fn with(&self, slot: u32, set: ValueSet) -> Region {
        let mut conditions = self.conditions.clone();
        match conditions.binary_search_by_key(&slot, |condition| condition.0) {
            Ok(found) => conditions[found].1 = set,
            Err(place) => conditions.insert(place, (slot, set)),
        }
        Region { conditions }
    }
}

/// A union of regions with a fast membership test: the most selective conditions come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegionUnion {
    regions: Vec<Vec<(u32, ValueSet)>>,
}

impl RegionUnion {
    /// Whether a configuration belongs to one of them.
    pub(crate) fn contains(&self, configuration: &[Value]) -> bool {
        self.regions.iter().any(|conditions| {
            conditions.iter().all(|(slot, set)| set.contains(configuration[*slot as usize]))
        })
    }

    /// The regions it is made of.
    pub(crate) fn regions(&self) -> Vec<Region> {
        let by_slot = |conditions: &Vec<(u32, ValueSet)>| {
            let mut conditions = conditions.clone();
            conditions.sort_by_key(|condition| condition.0);
            Region { conditions }
        };
        self.regions.iter().map(by_slot).collect()
    }
}

impl FromIterator<Region> for RegionUnion {
    fn from_iter<I: IntoIterator<Item = Region>>(regions: I) -> Self {
        let selective_first = |region: Region| {
            let mut conditions = region.conditions;
            conditions.sort_by_key(|(_, set)| set.len());
            conditions
        };
        Self { regions: regions.into_iter().map(selective_first).collect() }
    }
}

/// Finds all regions that contain a configuration. A word has a bit per region; every value of a slot
/// has a word with the regions that admit it.
#[derive(Clone, Debug)]
pub(crate) struct RegionIndex<T> {
    what: Vec<T>,
    blocks: Vec<Block>,
    masks: Vec<u64>,
}

/// Up to 64 regions.
#[derive(Clone, Debug)]
struct Block {
    n_regions: usize,
    /// Slots that some of the regions ask about, and where the words of their values start.
    slots: Vec<(u32, u32)>,
}

const BLOCK: usize = u64::BITS as usize;

impl<T> RegionIndex<T> {
    /// The places of these regions; `sizes` tells how many values each slot has.
    pub(crate) fn new(regions: impl IntoIterator<Item = (Region, T)>, sizes: &[u32]) -> Self {
        let (regions, what): (Vec<Region>, Vec<T>) = regions.into_iter().unzip();
        let mut places = Self { what, blocks: Vec::new(), masks: Vec::new() };
        for regions in regions.chunks(BLOCK) {
            let mut words: Vec<(u32, Vec<u64>)> = Vec::new();
            for slot in 0..sizes.len() as u32 {
                if regions.iter().any(|region| region.of(slot).is_some()) {
                    let word = |value| {
                        let lets =
                            |region: &Region| region.of(slot).is_none_or(|set| set.contains(value));
                        let bits = regions.iter().enumerate().filter(|(_, region)| lets(region));
                        bits.fold(0, |word, (bit, _)| word | 1 << bit)
                    };
                    words.push((slot, (0..sizes[slot as usize]).map(word).collect()));
                }
            }
            // The most selective slots first: most configurations are rejected by the first word.
            words.sort_by_cached_key(|(slot, words)| {
                let n_bits: u32 = words.iter().map(|word| word.count_ones()).sum();
                (n_bits * BLOCK as u32 / words.len() as u32, *slot)
            });
            let mut slots = Vec::new();
            for (slot, words) in words {
                slots.push((slot, places.masks.len() as u32));
                places.masks.extend(words);
            }
            places.blocks.push(Block { n_regions: regions.len(), slots });
        }
        places
    }

    /// Shows what belongs to the regions that a configuration is in.
    pub(crate) fn for_each(&self, configuration: &[Value], mut found: impl FnMut(&T)) {
        let mut first = 0;
        for block in &self.blocks {
            let mut here = u64::MAX >> (BLOCK - block.n_regions);
            for &(slot, masks) in &block.slots {
                here &= self.masks[masks as usize + configuration[slot as usize] as usize];
                if here == 0 {
                    break;
                }
            }
            while here != 0 {
                found(&self.what[first + here.trailing_zeros() as usize]);
                here &= here - 1;
            }
            first += block.n_regions;
        }
    }
}

#[cfg(test)]
mod tests;
