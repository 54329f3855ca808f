//! Which steps are taken in a state: a stubborn set, closed under what its members need.
//!
//! For every group of the set that is enabled, the set has all groups that it need not commute with;
//! for every other, a set of groups of which one must take a step before it can. So whatever is done
//! outside of the set, an enabled member stays enabled in every state on the way and leads to the
//! same (D1 and D2 of Valmari, in the form D1' of Neele, Valmari & Willemse, FoSSaCS 2020, which is
//! needed where states are labelled).
//!
//! Where steps are seen, a set with an enabled group that is seen, or that is sticky, has all groups
//! that are seen (V and, as every cycle takes a sticky step, L); and unless everything is taken, the
//! first member is an enabled group that is not seen (I).

use quadrille_model::{Explorer, GroupId, GuardId, Problem, Signature, Value};

use crate::groups::{Groups, bits};
use crate::tables::Tables;

/// What is fixed for a model and a question.
pub(crate) struct Rules {
    pub(crate) tables: Tables,
    /// The groups that atoms see.
    pub(crate) seen: Groups,
    /// The groups that must not be taken without all that are seen.
    pub(crate) calling: Groups,
}

/// An enabled group counts as many that are not: fewer enabled groups are fewer successors.
const ENABLED_COST: u32 = 64;

/// Chooses in one state after the other.
pub(crate) struct Chooser<'r> {
    signature: &'r Signature,
    rules: &'r Rules,
    pub(crate) enabled: Groups,
    pub(crate) n_enabled: usize,
    /// Words of sets that were looked at to close sets in this state.
    pub(crate) effort: u64,
    /// The set being closed, and the smallest so far.
    set: Groups,
    best: Groups,
    /// The enabled groups of the smallest.
    taken: Groups,
    /// Members whose needs are not met yet, the enabled ones apart.
    live: Vec<u32>,
    idle: Vec<u32>,
    /// Per guard that has to be asked, whether it holds.
    asked: Vec<bool>,
}

/// What is taken in a state.
pub(crate) enum Chosen<'c> {
    /// Everything that is enabled.
    All,
    /// These groups.
    Some(&'c Groups),
}

impl<'r> Chooser<'r> {
    pub(crate) fn new(signature: &'r Signature, rules: &'r Rules) -> Self {
        let none = Groups::none(rules.tables.n_groups);
        Self {
            signature,
            rules,
            enabled: none.clone(),
            n_enabled: 0,
            effort: 0,
            set: none.clone(),
            best: none.clone(),
            taken: none,
            live: Vec::new(),
            idle: Vec::new(),
            asked: vec![true; signature.guards.len()],
        }
    }

    /// What to take in a state.
    pub(crate) fn choose(
        &mut self,
        explorer: &mut dyn Explorer,
        state: &[Value],
    ) -> Result<Chosen<'_>, Box<Problem>> {
        self.look(explorer, state)?;
        self.n_enabled = self.enabled.len();
        self.effort = 0;
        let mut least = self.n_enabled;
        if least <= 1 {
            return Ok(Chosen::All);
        }
        for position in 0..self.enabled.words().len() {
            let starts = self.enabled.words()[position] & !self.rules.seen.words()[position];
            for bit in bits(starts) {
                let Some(n_taken) = self.close(position * 64 + bit, least, state) else { continue };
                least = n_taken;
                self.best.copy_from(&self.set);
                if least == 1 {
                    break;
                }
            }
            if least == 1 {
                break;
            }
        }
        if least == self.n_enabled {
            return Ok(Chosen::All);
        }
        self.taken.copy_from(&self.best);
        self.taken.keep_all(&self.enabled);
        Ok(Chosen::Some(&self.taken))
    }

    /// The set that was chosen last, with the groups that are not enabled.
    pub(crate) fn last(&self) -> &Groups {
        &self.best
    }

    /// Which groups are enabled.
    fn look(&mut self, explorer: &mut dyn Explorer, state: &[Value]) -> Result<(), Box<Problem>> {
        let tables = &self.rules.tables;
        self.enabled.clear();
        for (blocked, &value) in tables.blocked.iter().zip(state) {
            if let Some(blocked) = blocked.get(value as usize) {
                self.enabled.add_all(blocked);
            }
        }
        for (guard, groups) in &tables.asked {
            let holds = match self.signature.guard(*guard).holds(state) {
                Some(holds) => holds,
                None => explorer.guard(*guard, state)?,
            };
            self.asked[guard.index()] = holds;
            if !holds {
                self.enabled.add_all(groups);
            }
        }
        // So far these are the groups that are not enabled.
        let mut rest = tables.n_groups;
        for word in self.enabled.words_mut() {
            let mask = if rest >= 64 { u64::MAX } else { (1 << rest) - 1 };
            *word = !*word & mask;
            rest = rest.saturating_sub(64);
        }
        for position in 0..self.enabled.words().len() {
            let unsure = self.enabled.words()[position] & tables.incomplete.words()[position];
            for bit in bits(unsure) {
                if !explorer.is_enabled(GroupId::from_usize(position * 64 + bit), state)? {
                    self.enabled.words_mut()[position] &= !(1 << bit);
                }
            }
        }
        Ok(())
    }

    /// Closes the set of one enabled group; how many of its groups are enabled, if that is less than
    /// so many.
    fn close(&mut self, start: usize, least: usize, state: &[Value]) -> Option<usize> {
        self.set.clear();
        self.live.clear();
        self.idle.clear();
        self.set.insert(GroupId::from_usize(start));
        self.live.push(start as u32);
        let mut n_taken = 1;
        loop {
            if let Some(group) = self.live.pop() {
                let group = group as usize;
                let Rules { tables, seen, calling } = self.rules;
                n_taken += self.add(&tables.discord[group]);
                if calling.contains(group) {
                    n_taken += self.add(seen);
                }
            } else if let Some(group) = self.idle.pop() {
                let openers = self.cheapest(group as usize, state);
                n_taken += self.add(openers);
            } else {
                return Some(n_taken);
            }
            if n_taken >= least {
                return None;
            }
        }
    }

    /// Adds groups to the set and says how many of them are new and enabled.
    #[inline]
    fn add(&mut self, groups: &Groups) -> usize {
        let mut n_enabled = 0;
        self.effort += groups.words().len() as u64;
        let words = groups.words().iter().zip(self.set.words_mut()).zip(self.enabled.words());
        for (position, ((&word, set), &enabled)) in words.enumerate() {
            let new = word & !*set;
            *set |= new;
            n_enabled += (new & enabled).count_ones();
            let number = |bit: usize| (position * 64 + bit) as u32;
            self.live.extend(bits(new & enabled).map(number));
            self.idle.extend(bits(new & !enabled).map(number));
        }
        n_enabled as usize
    }

    /// The groups of which one must take a step before a group that is not enabled can; of several
    /// such sets, the one that adds least.
    fn cheapest(&mut self, group: usize, state: &[Value]) -> &'r Groups {
        let Rules { tables, .. } = self.rules;
        let mut cheapest: Option<(u32, &'r Groups)> = None;
        for &guard in &self.signature.groups[group].guards {
            if self.holds(guard, state) {
                continue;
            }
            for openers in tables.openers(self.signature, guard, state).into_iter().flatten() {
                self.effort += openers.words().len() as u64;
                let cost = self.cost(openers);
                if cost == 0 {
                    return openers;
                }
                if cheapest.is_none_or(|(least, _)| cost < least) {
                    cheapest = Some((cost, openers));
                }
            }
        }
        match (cheapest, &tables.deciders[group]) {
            (Some((_, openers)), _) => openers,
            (None, Some(deciders)) => deciders,
            // Complete guards that all hold: a model that lies. Everything may enable it.
            (None, None) => &self.rules.tables.all,
        }
    }

    fn holds(&self, guard: GuardId, state: &[Value]) -> bool {
        self.signature.guard(guard).holds(state).unwrap_or_else(|| self.asked[guard.index()])
    }

    /// What adding groups costs.
    fn cost(&self, groups: &Groups) -> u32 {
        let words = groups.words().iter().zip(self.set.words()).zip(self.enabled.words());
        let cost = |((&word, &set), &enabled): ((&u64, &u64), &u64)| {
            let new = word & !set;
            (new & enabled).count_ones() * ENABLED_COST + (new & !enabled).count_ones()
        };
        words.map(cost).sum()
    }
}
