//! The coarsest partition that a signature cannot split, found in rounds: all elements in each
//! ([`Partition::split`]; Moore 1956), or only those that may have changed ([`Partition::refined`]). Knows nothing
//! of what the elements are.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// What an element looks like from outside, given the classes so far.
pub(super) type Signature = Vec<(u32, u32, u32)>;

/// A partition: the class of each element, numbered in order of first members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Partition {
    pub(super) class_of: Vec<u32>,
    pub(super) count: u32,
}

impl Partition {
    /// Elements with equal keys share a class.
    pub(super) fn by_key<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut numbers = FxHashMap::default();
        let class_of = keys
            .into_iter()
            .map(|key| {
                let next = numbers.len() as u32;
                *numbers.entry(key).or_insert(next)
            })
            .collect();
        Self { class_of, count: numbers.len() as u32 }
    }

    /// Splits classes whose members have different signatures; a signature is a set. Whether
    /// anything changed.
    pub(super) fn split(&mut self, mut signature: impl FnMut(usize) -> Signature) -> bool {
        let keys = self.class_of.iter().enumerate().map(|(element, &class)| {
            let mut signature = signature(element);
            signature.sort_unstable();
            signature.dedup();
            (class, signature)
        });
        let finer = Self::by_key(keys);
        let changed = finer.count > self.count;
        *self = finer;
        changed
    }

    /// The partition when nothing splits any more, where the signature of an element depends on the classes
    /// of those that have it among their `users`. It is looked at again only if one of these gets a new class;
    /// the largest part of a class that splits keeps its number, so that an element gets a new one
    /// at most log n times (Hopcroft's trick for signatures: Jacobs & Wißmann, POPL 2023).
    pub(super) fn refined(
        self,
        users: &Users,
        mut signature: impl FnMut(usize, &[u32]) -> Signature,
    ) -> Self {
        let mut blocks = Blocks::new(self);
        let mut changed: Vec<u32> = (0..blocks.class_of.len() as u32).collect();
        let mut is_listed = vec![false; changed.len()];
        while !changed.is_empty() {
            changed.sort_unstable_by_key(|&element| (blocks.class_of[element as usize], element));
            // All see the classes of the round before: whoever is not listed still looks as then.
            let mut renamed = Vec::new();
            let same =
                |a: &u32, b: &u32| blocks.class_of[*a as usize] == blocks.class_of[*b as usize];
            let groups: Vec<Range<usize>> = ranges(changed.chunk_by(same).map(<[u32]>::len));
            for group in groups {
                blocks.split(&changed[group], &mut signature, &mut renamed);
            }
            for &(element, class) in &renamed {
                blocks.class_of[element as usize] = class;
            }
            changed.clear();
            for &user in renamed.iter().flat_map(|&(element, _)| users.of(element)) {
                if !std::mem::replace(&mut is_listed[user as usize], true) {
                    changed.push(user);
                }
            }
            for &element in &changed {
                is_listed[element as usize] = false;
            }
        }
        Self::by_key(blocks.class_of)
    }

    /// The first member of each class.
    pub(super) fn first_members(&self) -> Vec<usize> {
        let mut members = Vec::new();
        for (element, &class) in self.class_of.iter().enumerate() {
            if class as usize == members.len() {
                members.push(element);
            }
        }
        members
    }
}

/// Per element those whose signature depends on its class.
pub(super) struct Users {
    offsets: Vec<u32>,
    list: Vec<u32>,
}

impl Users {
    /// From pairs of a user and what it uses, which are gone through twice.
    pub(super) fn new<I: Iterator<Item = (usize, usize)>>(
        n_elements: usize,
        pairs: impl Fn() -> I,
    ) -> Self {
        let mut offsets = vec![0u32; n_elements + 1];
        for (_, used) in pairs() {
            offsets[used + 1] += 1;
        }
        for element in 0..n_elements {
            offsets[element + 1] += offsets[element];
        }
        let mut next = offsets.clone();
        let mut list = vec![0; offsets[n_elements] as usize];
        for (user, used) in pairs() {
            list[next[used] as usize] = user as u32;
            next[used] += 1;
        }
        Self { offsets, list }
    }

    fn of(&self, element: u32) -> &[u32] {
        let element = element as usize;
        &self.list[self.offsets[element] as usize..self.offsets[element + 1] as usize]
    }
}

/// Classes whose members stand side by side.
struct Blocks {
    class_of: Vec<u32>,
    elements: Vec<u32>,
    /// Where each element stands.
    places: Vec<u32>,
    /// Where the members of each class stand.
    ranges: Vec<Range<usize>>,
}

impl Blocks {
    fn new(partition: Partition) -> Self {
        let class_of = partition.class_of;
        let mut elements: Vec<u32> = (0..class_of.len() as u32).collect();
        elements.sort_by_key(|&element| class_of[element as usize]);
        let mut places = vec![0; elements.len()];
        for (place, &element) in elements.iter().enumerate() {
            places[element as usize] = place as u32;
        }
        let mut sizes = vec![0; partition.count as usize];
        class_of.iter().for_each(|&class| sizes[class as usize] += 1);
        Self { class_of, elements, places, ranges: ranges(sizes) }
    }

    /// Splits a class of which these members may look different than before, while the others still look
    /// alike; tells who gets which new class.
    fn split(
        &mut self,
        changed: &[u32],
        signature: &mut impl FnMut(usize, &[u32]) -> Signature,
        renamed: &mut Vec<(u32, u32)>,
    ) {
        let class = self.class_of[changed[0] as usize];
        let range = self.ranges[class as usize].clone();
        if range.len() == 1 {
            return;
        }
        for (place, &element) in range.clone().zip(changed) {
            self.swap(place, self.places[element as usize] as usize);
        }
        let mut look = |element: u32| {
            let mut seen = signature(element as usize, &self.class_of);
            seen.sort_unstable();
            seen.dedup();
            seen
        };
        let mut numbers: FxHashMap<Signature, usize> = FxHashMap::default();
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for &element in changed {
            let part = *numbers.entry(look(element)).or_insert(parts.len());
            if part == parts.len() {
                parts.push(Vec::new());
            }
            parts[part].push(element);
        }
        // The part of those that did not change comes last, as they stand at the end.
        let unchanged = range.start + changed.len()..range.end;
        if let Some(&element) = self.elements[unchanged.clone()].first() {
            let part = numbers.get(&look(element)).map(|&part| parts.remove(part));
            parts.push(part.unwrap_or_default());
        }
        if parts.len() == 1 {
            return;
        }
        let mut start = range.start;
        let last = parts.len() - 1;
        let spans: Vec<Range<usize>> = parts
            .into_iter()
            .enumerate()
            .map(|(position, part)| {
                let begin = start;
                for element in part {
                    self.elements[start] = element;
                    self.places[element as usize] = start as u32;
                    start += 1;
                }
                begin..if position == last { range.end } else { start }
            })
            .collect();
        let most = spans.iter().map(Range::len).max().unwrap_or(0);
        let mut keeps = spans.iter().position(|span| span.len() == most);
        for (position, span) in spans.into_iter().enumerate() {
            if keeps == Some(position) {
                keeps = None;
                self.ranges[class as usize] = span;
                continue;
            }
            let new = self.ranges.len() as u32;
            renamed.extend(self.elements[span.clone()].iter().map(|&element| (element, new)));
            self.ranges.push(span);
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.elements.swap(one, other);
        for place in [one, other] {
            self.places[self.elements[place] as usize] = place as u32;
        }
    }
}

/// Ranges of these lengths, one after the other.
fn ranges(lengths: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |length| {
        let begin = start;
        start += length;
        begin..start
    };
    lengths.into_iter().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::super::random_tests::Random;
    use super::*;

    #[test]
    fn looking_only_at_what_changed_finds_the_same_classes() {
        let mut n_split = 0;
        for seed in 1..=3_000u64 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(40) as usize;
            let edges: Vec<(usize, u32, usize)> = (0..random.below(80))
                .map(|_| {
                    let [from, to] = [0; 2].map(|_| random.below(n as u64) as usize);
                    (from, random.below(2) as u32, to)
                })
                .collect();
            let start = Partition::by_key((0..n).map(|_| random.below(3) < 1));
            let see = |element: usize, classes: &[u32]| -> Signature {
                let own = edges.iter().filter(|edge| edge.0 == element);
                own.map(|&(_, label, to)| (label, classes[to], 0)).collect()
            };
            let mut simple = start.clone();
            loop {
                let classes = simple.class_of.clone();
                if !simple.split(|element| see(element, &classes)) {
                    break;
                }
            }
            let users = Users::new(n, || edges.iter().map(|&(from, _, to)| (from, to)));
            n_split += u32::from(simple.count > start.count && (simple.count as usize) < n);
            assert_eq!(start.refined(&users, see), simple, "seed {seed}");
        }
        assert!(n_split > 1_000, "{n_split}");
    }
}
