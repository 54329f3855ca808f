//! To whom a state belongs, and how states travel there: sorted, each once, as coded differences; values
//! that are numbered as they are met go along as content, once to each owner.

use quadrille_model::{SlotId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::{CHUNK, Candidates, Recent};
use super::key::Key;
use super::run::{Run, Writing};
use super::shelf::{pack_run, u32_of, unpack_run};
use super::states::{Own, States};
use crate::fingerprint::mixed;

/// The least bytes of keys that are collected for an owner.
const LEAST: usize = if cfg!(test) { 1 << 6 } else { 1 << 14 };

/// What is collected for each owner.
pub(super) struct Router<K> {
    own: usize,
    /// The lowest bits of a key, which do not decide who owns it: neighbours stay together.
    n_low_bits: u32,
    recent: Recent<K>,
    open: Vec<Vec<K>>,
    scratch: Vec<K>,
    /// Bytes of keys that make a batch.
    batch: usize,
    /// Per owner, the values whose content it was sent.
    sent: Vec<FxHashSet<(SlotId, Value)>>,
    /// Per owner, the own numbers of its values.
    numbers: Vec<FxHashMap<(SlotId, Value), Value>>,
    n_limbs: usize,
}

impl<K: Key> Router<K> {
    pub fn new(states: &States<'_>, own: usize, n_owners: usize) -> Self {
        Self {
            own,
            n_low_bits: states.n_low_bits(),
            recent: Recent::default(),
            open: std::iter::repeat_with(Vec::new).take(n_owners).collect(),
            scratch: Vec::new(),
            batch: (CHUNK / n_owners).max(LEAST),
            sent: vec![FxHashSet::default(); n_owners],
            numbers: vec![FxHashMap::default(); n_owners],
            n_limbs: states.n_limbs(),
        }
    }

    /// Who owns a state: the same in every process.
    #[inline]
    fn owner(&self, states: &States<'_>, key: &K) -> usize {
        let hash = match states.interns() {
            false => mixed(key.above(self.n_low_bits)),
            true => states.content_hash(key),
        };
        // The highest bits of the product: a share for each owner.
        ((u128::from(hash) * self.open.len() as u128) >> u64::BITS) as usize
    }

    #[inline]
    pub fn push(&mut self, states: &States<'_>, key: K) {
        if self.recent.is_news(&key) {
            let owner = self.owner(states, &key);
            self.open[owner].push(key);
        }
    }

    pub fn push_if_own(&mut self, states: &States<'_>, key: K) {
        if self.owner(states, &key) == self.own {
            self.open[self.own].push(key);
        }
    }

    /// Forgets what was collected.
    pub fn forget(&mut self) {
        self.open.iter_mut().for_each(Vec::clear);
        self.recent = Recent::default();
    }

    /// Hands over the own keys, if they are many.
    pub fn take_own(&mut self, to: &Candidates<K>, is_last: bool) {
        let open = &mut self.open[self.own];
        if open.is_empty() || open.len() * size_of::<K>() < self.batch && !is_last {
            return;
        }
        K::sort(open, &mut self.scratch);
        open.dedup();
        to.add(open.clone());
        open.clear();
    }

    /// Hands over the keys of others as batches, where they are many.
    pub fn hand_over(
        &mut self,
        states: &States<'_>,
        is_last: bool,
        send: &mut dyn FnMut(usize, Vec<u8>),
    ) {
        for owner in 0..self.open.len() {
            let n_bytes = self.open[owner].len() * size_of::<K>();
            if owner == self.own || n_bytes == 0 || n_bytes < self.batch && !is_last {
                continue;
            }
            let mut keys = std::mem::take(&mut self.open[owner]);
            K::sort(&mut keys, &mut self.scratch);
            keys.dedup();
            send(owner, self.pack(states, owner, &keys));
            keys.clear();
            self.open[owner] = keys;
        }
    }

    /// A batch: contents that the owner does not know, and the keys.
    fn pack(&mut self, states: &States<'_>, owner: usize, keys: &[K]) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        if states.interns() {
            let (mut n_contents, sent) = (0_u32, &mut self.sent[owner]);
            let dictionary = states.dictionary();
            for key in keys {
                states.each_interned(key, |slot, number| {
                    if sent.insert((slot, number)) {
                        let content = dictionary.content(slot, number);
                        n_contents += 1;
                        bytes.extend_from_slice(&slot.number().to_le_bytes());
                        bytes.extend_from_slice(&number.to_le_bytes());
                        bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
                        bytes.extend_from_slice(content);
                    }
                });
            }
            bytes[..4].copy_from_slice(&n_contents.to_le_bytes());
        }
        let mut writing = Writing::quick();
        writing.extend(keys);
        pack_run(&writing.end(), self.n_limbs, &mut bytes);
        bytes
    }

    /// The keys of a batch, in the numbers of its sender; `None` if these bytes are no batch.
    pub fn unpack(&mut self, states: &States<'_>, from: usize, batch: &[u8]) -> Option<Run<K>> {
        let mut rest = batch;
        let numbers = self.numbers.get_mut(from)?;
        for _ in 0..u32_of(&mut rest)? {
            let [slot, number, length] =
                [u32_of(&mut rest)?, u32_of(&mut rest)?, u32_of(&mut rest)?];
            let (content, behind) = rest.split_at_checked(length as usize)?;
            let slot = SlotId::new(slot);
            numbers.insert((slot, number), states.number_of(slot, content)?);
            rest = behind;
        }
        unpack_run(rest, self.n_limbs)
    }

    /// Keys of another owner in own numbers, sorted.
    pub fn translated(
        &mut self,
        states: &States<'_>,
        own: &mut Own<'_>,
        from: usize,
        mut keys: Vec<K>,
    ) -> Option<Vec<K>> {
        if !states.interns() {
            return Some(keys);
        }
        let numbers = self.numbers.get(from)?;
        for key in &mut keys {
            *key = states
                .renumbered(own, key, |slot, number| numbers.get(&(slot, number)).copied())?;
        }
        K::sort(&mut keys, &mut self.scratch);
        keys.dedup();
        Some(keys)
    }

    /// A state as bytes that mean the same everywhere; as long as nothing is numbered, they are ordered
    /// like keys.
    pub fn portable(&self, states: &States<'_>, own: &mut Own<'_>, key: &K) -> Vec<u8> {
        let mut bytes = Vec::new();
        if states.interns() {
            states.contents(own, key, &mut bytes);
        } else {
            let mut limbs = vec![0; self.n_limbs];
            key.limbs(&mut limbs);
            limbs.iter().rev().for_each(|limb| bytes.extend_from_slice(&limb.to_be_bytes()));
        }
        bytes
    }

    /// The inverse of [`Router::portable`].
    pub fn key(&self, states: &States<'_>, own: &mut Own<'_>, bytes: &[u8]) -> Option<K> {
        if states.interns() {
            return states.of_contents(own, bytes);
        }
        let limbs = bytes
            .chunks_exact(8)
            .map(|limb| u64::from_be_bytes(limb.try_into().unwrap_or_default()));
        let limbs: Vec<u64> = limbs.rev().collect();
        (limbs.len() == self.n_limbs).then(|| K::of_limbs(&limbs))
    }

    /// Bytes in memory, about.
    pub fn memory(&self) -> usize {
        let keys: usize = self.open.iter().map(Vec::capacity).sum();
        let known: usize = self.sent.iter().map(FxHashSet::len).sum();
        let numbers: usize = self.numbers.iter().map(FxHashMap::len).sum();
        (keys + self.scratch.capacity()) * size_of::<K>() + 12 * known + 16 * numbers
    }
}
