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

use crate::groups::{Groups, Piece, bits};
use crate::tables::{Openers, Tables};

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

/// The passes over the groups to start from, until a set has fewer enabled groups than this. At first
/// a group that is not enabled gets what it needs once for the state, which is quick; then for the set
/// that it is added to, which may find smaller sets.
const PASSES: [(usize, Cost); 3] =
    [(2, Cost::OfState), (3, Cost::OfState), (usize::MAX, Cost::OfSet)];

/// What the groups that another group needs cost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    /// All of them count.
    OfState,
    /// Those count that are not in the set yet.
    OfSet,
}

/// No group has this number.
const NO_GROUP: u32 = u32::MAX;

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
    /// Enabled groups that were started from: a set that has one of them is hardly smaller.
    tried: Groups,
    /// The enabled groups to start from, and how many each does not commute with.
    seeds: Vec<(u32, u32)>,
    /// Groups that are not enabled and have all they need in the set being closed.
    settled: Groups,
    /// Members whose needs are not met yet, the enabled ones apart.
    live: Vec<Piece>,
    idle: Vec<(Piece, u32)>,
    /// The group that the set is closed for.
    seed: u32,
    /// Per member that is not enabled, the member that needs it.
    came_by: Vec<u32>,
    /// Groups that are not enabled and lead to an enabled one, and to which.
    doomed: Groups,
    doomed_by: Vec<u32>,
    /// Per guard that has to be asked, whether it holds.
    asked: Vec<bool>,
    /// Per guard, what was found about it in the state with this number.
    guards: Vec<(u32, Opening)>,
    n_states: u32,
    /// Per group, what it needs, as found in the pass with this number.
    needs: Vec<(u64, Openers)>,
    n_passes: u64,
    cost: Cost,
}

/// The sets of openers of a guard.
type Opening = [Option<Openers>; 2];

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
        let nothing = Openers { groups: rules.tables.none, settled: rules.tables.none };
        Self {
            signature,
            rules,
            enabled: none.clone(),
            n_enabled: 0,
            effort: 0,
            set: none.clone(),
            best: none.clone(),
            taken: none.clone(),
            tried: none.clone(),
            seed: 0,
            came_by: vec![0; rules.tables.n_groups],
            doomed: none.clone(),
            doomed_by: vec![0; rules.tables.n_groups],
            seeds: Vec::new(),
            settled: none,
            live: Vec::new(),
            idle: Vec::new(),
            asked: vec![true; signature.guards.len()],
            guards: vec![(0, [None, None]); signature.guards.len()],
            n_states: 0,
            needs: vec![(0, nothing); rules.tables.n_groups],
            n_passes: 0,
            cost: Cost::OfState,
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
        self.gather_seeds();
        // Most states have a set with one enabled group: that is looked for first.
        let mut last = None;
        for (limit, cost) in PASSES {
            let limit = limit.min(self.n_enabled);
            if least < limit {
                break;
            }
            // With two enabled groups the second pass would be the first again.
            if last.replace((limit, cost)) != Some((limit, cost)) {
                self.cost = cost;
                least = self.pass(limit, state);
            }
        }
        if least == self.n_enabled {
            return Ok(Chosen::All);
        }
        self.taken.copy_from(&self.best);
        self.taken.keep_all(&self.enabled);
        Ok(Chosen::Some(&self.taken))
    }

    /// Closes the set of each group to start from, and leaves the smallest in `best`: how many of its
    /// groups are enabled, if that is less than so many, and otherwise as many as there are.
    fn pass(&mut self, limit: usize, state: &[Value]) -> usize {
        self.n_passes += 1;
        self.tried.clear();
        self.doomed.clear();
        let mut least = self.n_enabled;
        for number in 0..self.seeds.len() {
            let (_, seed) = self.seeds[number];
            if let Some(n_taken) = self.close(seed as usize, least.min(limit), state) {
                least = n_taken;
                std::mem::swap(&mut self.best, &mut self.set);
            }
            // There was no smaller set the time before.
            if least < limit && least <= 2 {
                break;
            }
            if limit > 2 {
                self.tried.insert(GroupId::from_usize(seed as usize));
            }
        }
        least
    }

    /// The enabled groups that a set may start from; those first that need few others.
    fn gather_seeds(&mut self) {
        let Rules { tables, seen, .. } = self.rules;
        self.seeds.clear();
        for (position, (&enabled, &seen)) in
            self.enabled.words().iter().zip(seen.words()).enumerate()
        {
            for bit in bits(enabled & !seen) {
                let group = position * 64 + bit;
                self.seeds.push((tables.n_discordant[group], group as u32));
            }
        }
        self.seeds.sort_unstable();
    }

    /// The set that was chosen last, with the groups that are not enabled.
    pub(crate) fn last(&self) -> &Groups {
        &self.best
    }

    /// Which groups are enabled.
    fn look(&mut self, explorer: &mut dyn Explorer, state: &[Value]) -> Result<(), Box<Problem>> {
        let tables = &self.rules.tables;
        if self.n_states == u32::MAX {
            self.guards.fill((0, [None, None]));
            self.n_states = 0;
        }
        self.n_states += 1;
        let mut rest = tables.n_groups;
        for word in self.enabled.words_mut() {
            *word = if rest >= 64 { u64::MAX } else { (1 << rest) - 1 };
            rest = rest.saturating_sub(64);
        }
        let enabled = self.enabled.words_mut();
        for (blocked, &value) in tables.blocked.iter().zip(state) {
            if let Some(&blocked) = blocked.get(value as usize) {
                for piece in tables.pool.pieces(blocked) {
                    enabled[piece.at as usize] &= !piece.bits;
                }
            }
        }
        for (guard, groups) in &tables.asked {
            let holds = match self.signature.guard(*guard).holds(state) {
                Some(holds) => holds,
                None => explorer.guard(*guard, state)?,
            };
            self.asked[guard.index()] = holds;
            if !holds {
                for piece in tables.pool.pieces(*groups) {
                    enabled[piece.at as usize] &= !piece.bits;
                }
            }
        }
        for (position, word) in enabled.iter_mut().enumerate() {
            for bit in bits(*word & tables.incomplete.words()[position]) {
                if !explorer.is_enabled(GroupId::from_usize(position * 64 + bit), state)? {
                    *word &= !(1 << bit);
                }
            }
        }
        Ok(())
    }

    /// Closes the set of one enabled group; how many of its groups are enabled, if that is less than
    /// so many.
    fn close(&mut self, start: usize, least: usize, state: &[Value]) -> Option<usize> {
        let Rules { tables, seen, calling } = self.rules;
        self.set.clear();
        self.settled.clear();
        self.live.clear();
        self.idle.clear();
        self.set.insert(GroupId::from_usize(start));
        self.seed = start as u32;
        self.live.push(Piece { at: (start / 64) as u32, bits: 1 << (start % 64) });
        let mut room = least - 1;
        let mut next = 0;
        loop {
            if let Some(piece) = self.live.last_mut() {
                let group = pop(piece);
                if piece.bits == 0 {
                    self.live.pop();
                }
                self.add(tables.pool.pieces(tables.discord[group]), group, &mut room).ok()?;
                if calling.contains(group) {
                    let words = seen.words().iter().enumerate();
                    for (at, &bits) in words.filter(|(_, bits)| **bits != 0) {
                        self.add(&[Piece { at: at as u32, bits }], group, &mut room).ok()?;
                    }
                }
            } else if let Some((piece, by)) = self.idle.get_mut(next) {
                piece.bits &= !self.settled.words()[piece.at as usize];
                if piece.bits == 0 {
                    next += 1;
                    continue;
                }
                let group = pop(piece);
                self.came_by[group] = *by;
                let Openers { groups, settled } = self.needed(group, state);
                for piece in tables.pool.pieces(settled) {
                    self.settled.words_mut()[piece.at as usize] |= piece.bits;
                }
                if let Err(reached) = self.add(tables.pool.pieces(groups), group, &mut room) {
                    self.doom(group, reached, least);
                    return None;
                }
            } else {
                return Some(least - room);
            }
        }
    }

    /// Adds groups to the set because of a group; an enabled group for which there is no room, if
    /// there is one.
    #[inline]
    fn add(&mut self, pieces: &[Piece], by: usize, room: &mut usize) -> Result<(), u32> {
        self.effort += pieces.len() as u64;
        for &Piece { at, bits: all } in pieces {
            let position = at as usize;
            let set = &mut self.set.words_mut()[position];
            let new = all & !*set;
            if new == 0 {
                continue;
            }
            *set |= new;
            let live = new & self.enabled.words()[position];
            if live != 0 {
                let n_live = live.count_ones() as usize;
                if n_live >= *room || live & self.tried.words()[position] != 0 {
                    let first = at * 64 + live.trailing_zeros();
                    return Err(if n_live == 1 { first } else { NO_GROUP });
                }
                *room -= n_live;
                self.live.push(Piece { at, bits: live });
            }
            let idle = new & !live;
            for bit in bits(idle & self.doomed.words()[position]) {
                let reached = self.doomed_by[position * 64 + bit];
                if reached != self.seed {
                    return Err(reached);
                }
            }
            if idle != 0 {
                self.idle.push((Piece { at, bits: idle }, by as u32));
            }
        }
        Ok(())
    }

    /// Remembers that what a group needs led to an enabled group, and so the groups that led there:
    /// until the next state, none of them is in a set with a single enabled group, unless it is that.
    fn doom(&mut self, group: usize, reached: u32, least: usize) {
        let mut at = group;
        while least == 2 && !self.enabled.contains(at) && !self.doomed.contains(at) {
            self.doomed.insert(GroupId::from_usize(at));
            self.doomed_by[at] = reached;
            at = self.came_by[at] as usize;
        }
    }

    /// The groups of which one must take a step before a group that is not enabled can.
    #[inline]
    fn needed(&mut self, group: usize, state: &[Value]) -> Openers {
        let (of, known) = self.needs[group];
        if of == self.n_passes {
            return known;
        }
        let found = self.cheapest(group, state);
        self.needs[group] = (self.n_passes, found);
        found
    }

    /// Of several such sets, the one that costs least.
    fn cheapest(&mut self, group: usize, state: &[Value]) -> Openers {
        let Rules { tables, .. } = self.rules;
        let mut cheapest: Option<(u32, Openers)> = None;
        for &guard in tables.guards(group) {
            for openers in self.opening(guard, state).into_iter().flatten() {
                let pieces = tables.pool.pieces(openers.groups);
                self.effort += pieces.len() as u64;
                let mut cost = 0;
                for &Piece { at, bits } in pieces {
                    let at = at as usize;
                    let new = match self.cost {
                        Cost::OfState => bits,
                        Cost::OfSet => bits & !self.set.words()[at],
                    };
                    if new != 0 {
                        let costly = new & (self.enabled.words()[at] | self.doomed.words()[at]);
                        cost += n_bits(costly) * (ENABLED_COST - 1) + n_bits(new);
                    }
                }
                if cost == 0 {
                    return openers;
                }
                if cheapest.is_none_or(|(least, _)| cost < least) {
                    cheapest = Some((cost, openers));
                }
            }
        }
        let alone = |groups| Openers { groups, settled: tables.none };
        match (cheapest, tables.deciders[group]) {
            (Some((_, openers)), _) => openers,
            (None, Some(deciders)) => alone(deciders),
            // Complete guards that all hold: a model that lies. Everything may enable it.
            (None, None) => alone(tables.all),
        }
    }

    /// The sets of openers of a guard in a state; none if it holds.
    #[inline]
    fn opening(&mut self, guard: GuardId, state: &[Value]) -> Opening {
        let (of, known) = self.guards[guard.index()];
        if of == self.n_states {
            return known;
        }
        let holds = self.signature.guard(guard).holds(state);
        let opening = match holds.unwrap_or_else(|| self.asked[guard.index()]) {
            true => [None, None],
            false => self.rules.tables.openers(self.signature, guard, state),
        };
        self.guards[guard.index()] = (self.n_states, opening);
        opening
    }
}

/// How many bits a word has; most have one at most, and counting takes a while.
#[inline]
fn n_bits(word: u64) -> u32 {
    if word & word.wrapping_sub(1) == 0 { u32::from(word != 0) } else { word.count_ones() }
}

/// Takes the first group out of a piece.
fn pop(piece: &mut Piece) -> usize {
    let group = piece.at as usize * 64 + piece.bits.trailing_zeros() as usize;
    piece.bits &= piece.bits - 1;
    group
}
