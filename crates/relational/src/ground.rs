//! Scopes: how many atoms there are, what they are called, and which tuples a relation can hold at
//! all. The order of atoms keeps those of a signature together.

mod numbers;

use std::collections::BTreeMap;

use quadrille_diagnostic::{Diagnostic, Span};

use crate::codes::{LARGE, OUT_OF_SCOPE, SCOPE};
use crate::types::core::{Formula, RelationId, Set, SigId};
use crate::types::words::{Mult, Scope};
use crate::types::{Design, INDEX, INT, UNIV};

/// An atom, by its place in the universe.
pub type Atom = u8;

/// Most atoms of a design: a set of them is a word.
const MOST_ATOMS: i64 = 64;
/// Most tuples that a relation can hold.
const MOST_ROWS: usize = 100_000;

/// The atoms of a design in a scope.
#[derive(Clone, Debug)]
pub struct World {
    /// The names of the atoms.
    pub names: Vec<String>,
    /// The number that an atom is.
    pub numbers: Vec<Option<i64>>,
    /// Per signature, the atoms that it has or can have, as bits.
    pub sigs: Vec<u64>,
    /// Per relation, what each row can hold: the tuple of all columns but the last, and the atoms.
    pub rows: Vec<BTreeMap<Vec<Atom>, u64>>,
    /// The least and the greatest number.
    pub range: (i64, i64),
    /// How many indices sequences have.
    pub(crate) n_indices: i64,
    /// Whether results are counted round within the range.
    pub(crate) wraps: bool,
    /// Which atoms there are of signatures with a range: said of initial states.
    pub(crate) existence: Vec<Formula>,
    /// How many atoms such signatures have at least, those without extensions.
    pub(crate) fewest: BTreeMap<SigId, usize>,
    /// Signatures that hold whatever events put into them.
    pub(crate) untyped: Vec<RelationId>,
}

/// The members of a set of atoms.
pub(crate) fn members(mut set: u64) -> impl Iterator<Item = Atom> {
    std::iter::from_fn(move || {
        let atom = (set != 0).then(|| set.trailing_zeros() as Atom)?;
        set &= set - 1;
        Some(atom)
    })
}

struct Grounding<'d> {
    design: &'d Design,
    counts: BTreeMap<SigId, i64>,
    /// The fewest atoms of signatures that have a range.
    fewest: BTreeMap<SigId, i64>,
    overall: i64,
    world: World,
    span: Span,
}

impl World {
    /// The atoms of a design in a scope; where the command has none, in that of `init`. What is
    /// calculated there has at most 64 bits.
    pub fn new(design: &Design, scope: Option<&Scope>) -> Result<World, Vec<Diagnostic>> {
        let both = [design.scope.as_ref(), scope];
        let mut overall = None;
        let (mut counts, mut fewest) = (BTreeMap::new(), BTreeMap::new());
        let (mut range, mut n_indices) = (None, None);
        let mut bad = Vec::new();
        for scope in both.into_iter().flatten() {
            overall = scope.overall.or(overall);
            for item in &scope.items {
                let sig = design.sigs.iter().position(|sig| sig.name == item.sig.text);
                let problem = if item.sig.text == "seq" {
                    n_indices = Some(item.low);
                    None
                } else if sig == Some(INT.0) && !design.sigs[INT.0].is_literal {
                    range = Some(match item.high {
                        Some(high) => (item.low, high),
                        None => width(item.low),
                    });
                    None
                } else if item.low < 0 {
                    Some("a signature cannot have fewer than 0 atoms")
                } else if item.high.is_some_and(|high| high < item.low) {
                    Some("this range is empty")
                } else {
                    counts.extend(sig.map(|sig| (SigId(sig), item.high.unwrap_or(item.low))));
                    fewest.extend(sig.map(|sig| (SigId(sig), item.low)));
                    None
                };
                if let Some(problem) = problem {
                    let help = "write how many atoms it has, `3 Node`, or from how many to how \
                                many, `1..3 Node`";
                    bad.push(Diagnostic::error(&SCOPE, problem).at(item.sig.span, "").help(help));
                }
            }
        }
        if !bad.is_empty() {
            return Err(bad);
        }
        let overall = overall.unwrap_or(3);
        if let Some(count) = counts.get(&INT) {
            range = Some((1, *count));
        } else if design.sigs[INT.0].is_literal {
            range = Some((1, overall));
        }
        let range = range.unwrap_or(width(4));
        let n_indices = n_indices.unwrap_or(overall);
        let span = both.into_iter().flatten().last().map_or(design.place, |scope| scope.span);
        let world = World {
            names: Vec::new(),
            numbers: Vec::new(),
            sigs: vec![0; design.sigs.len()],
            rows: Vec::new(),
            range,
            n_indices,
            wraps: design.wraps,
            existence: Vec::new(),
            fewest: BTreeMap::new(),
            untyped: Vec::new(),
        };
        let mut grounding = Grounding { design, counts, fewest, overall, world, span };
        grounding.atoms().map_err(|bad| vec![bad])?;
        grounding.exist();
        numbers::bounded(design, &grounding.world).map_err(|bad| vec![bad])?;
        grounding.written()?;
        grounding.rows().map_err(|bad| vec![bad])?;
        Ok(grounding.world)
    }

    /// A result of a calculation, counted round within the range if the design says so.
    pub(crate) fn folded(&self, value: i64) -> i64 {
        let (low, high) = self.range;
        if self.wraps { (value - low).rem_euclid(high - low + 1) + low } else { value }
    }

    /// The atom of a number, if it is in range.
    pub fn atom_of(&self, number: i64) -> Option<Atom> {
        let at = self.numbers.iter().position(|known| *known == Some(number))?;
        Some(at as Atom)
    }

    /// All atoms.
    pub fn univ(&self) -> u64 {
        match self.names.len() {
            64 => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// An atom by its signature and number.
    pub(crate) fn atom(&self, sig: SigId, number: i64) -> Option<Atom> {
        if sig == INT {
            return self.atom_of(number);
        }
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        members(self.sigs[sig.0]).nth(index)
    }
}

/// The numbers of so many bits.
fn width(bits: i64) -> (i64, i64) {
    let half = 1i64 << bits.clamp(1, 32).saturating_sub(1);
    (-half, half - 1)
}

impl Grounding<'_> {
    fn atoms(&mut self) -> Result<(), Diagnostic> {
        for number in INDEX.0 + 1..self.design.sigs.len() {
            let sig = SigId(number);
            let def = &self.design.sigs[number];
            if def.parent.is_none() && def.subset_of.is_empty() {
                self.hierarchy(sig)?;
            }
        }
        if self.design.uses_numbers || self.design.uses_sequences {
            let (low, high) = self.world.range;
            let n = high.saturating_sub(low).saturating_add(1);
            if !(1..=MOST_ATOMS).contains(&n) {
                let message = format!("the numbers from {low} to {high} are none or too many");
                let help = "write a small range, such as `0..9 Int`";
                return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help(help));
            }
            for number in low..=high {
                let atom = self.atom(number.to_string())?;
                self.world.numbers[atom as usize] = Some(number);
                self.world.sigs[INT.0] |= 1 << atom;
                if (0..self.world.n_indices).contains(&number) {
                    self.world.sigs[INDEX.0] |= 1 << atom;
                }
            }
            if self.design.uses_sequences && high < self.world.n_indices - 1 {
                let message = "the numbers do not reach the indices of sequences";
                let help = "give `Int` a larger range, or sequences fewer places with `for 3 seq`";
                return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help(help));
            }
        }
        for number in INDEX.0 + 1..self.design.sigs.len() {
            if !self.design.sigs[number].subset_of.is_empty() {
                let ty = self.design.type_of(SigId(number));
                let bits = ty.products().map(|product| self.world.sigs[product[0].0]);
                self.world.sigs[number] = bits.fold(0, |all, some| all | some);
            }
        }
        self.world.sigs[UNIV.0] = self.world.univ();
        for relation in self.world.untyped.clone() {
            let univ = self.world.univ();
            let sig = self.design.sigs.iter().position(|sig| sig.relation == relation);
            if let Some(sig) = sig {
                self.world.sigs[sig] = univ;
            }
        }
        Ok(())
    }

    fn atom(&mut self, name: String) -> Result<Atom, Diagnostic> {
        if self.world.names.len() as i64 >= MOST_ATOMS {
            let message = format!("there are more than {MOST_ATOMS} atoms");
            let help = "use a smaller scope: most mistakes show with few atoms";
            return Err(Diagnostic::error(&LARGE, message).at(self.span, "").help(help));
        }
        self.world.names.push(name);
        self.world.numbers.push(None);
        Ok((self.world.names.len() - 1) as Atom)
    }

    /// Makes the atoms of a signature: those of its extensions first.
    fn hierarchy(&mut self, sig: SigId) -> Result<u64, Diagnostic> {
        let def = &self.design.sigs[sig.0];
        let children: Vec<SigId> = self.design.extensions(sig).collect();
        let mut atoms = 0;
        for child in &children {
            atoms |= self.hierarchy(*child)?;
        }
        let of_children = i64::from(atoms.count_ones());
        let given = self.counts.get(&sig).copied();
        if def.is_var && def.parent.is_none() && given.is_none() && children.is_empty() {
            // Taino: a set of whatever is put into it.
            self.world.untyped.push(def.relation);
            return Ok(0);
        }
        if def.is_ranged && !children.is_empty() && given.is_some() {
            let message =
                format!("`{}` has extensions of which the number of atoms is open", def.name);
            let help = "leave it out of the scope, and say how many its extensions have";
            return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help(help));
        }
        let wanted = match (def.mult, given) {
            (Some(Mult::One), Some(given)) if given != 1 && !def.is_var => {
                let message = format!("`one sig {}` has one atom, not {given}", def.name);
                let help = "leave it out of the scope";
                return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help(help));
            }
            (Some(Mult::One | Mult::Lone), None) if !def.is_var => 1.max(of_children),
            (_, Some(given)) => given,
            (_, None) if children.is_empty() => self.overall,
            (_, None) => of_children,
        };
        if wanted < of_children || (def.is_abstract && !children.is_empty() && wanted > of_children)
        {
            let message = format!(
                "the scope gives `{}` {wanted} atoms, its extensions have {of_children}",
                def.name
            );
            let help = "leave it out of the scope, or change those of its extensions";
            return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help(help));
        }
        if def.mult == Some(Mult::Some) && wanted == 0 {
            let message = format!("`some sig {}` has no atom in this scope", def.name);
            return Err(Diagnostic::error(&SCOPE, message).at(self.span, "").help("give it one"));
        }
        let is_single = wanted == 1 && def.mult == Some(Mult::One);
        for number in 1..=wanted - of_children {
            let name = if is_single { def.name.clone() } else { format!("{}${number}", def.name) };
            atoms |= 1 << self.atom(name)?;
        }
        self.world.sigs[sig.0] = atoms;
        Ok(atoms)
    }

    /// Which atoms there are of signatures with a range: the first so many, from the fewest on; and
    /// what they extend has those of its extensions.
    fn exist(&mut self) {
        for (number, def) in self.design.sigs.iter().enumerate().filter(|(_, def)| def.is_ranged) {
            let sig = SigId(number);
            let set = || Box::new(self.design.set_of(sig));
            let children: Vec<SigId> = self.design.extensions(sig).collect();
            if !children.is_empty() {
                let all = children.iter().map(|child| self.design.set_of(*child));
                let all = all.reduce(|a, b| Set::Union(Box::new(a), Box::new(b)));
                let all = Box::new(all.unwrap_or(Set::None(1)));
                self.world.existence.push(Formula::Equal(set(), all, def.span));
                continue;
            }
            let fewest = self.fewest(sig);
            self.world.fewest.insert(sig, usize::try_from(fewest).unwrap_or(0));
            let exists =
                |at: i64| Formula::In(Box::new(Set::Atom(sig, at, def.span)), set(), def.span);
            for at in 1..=i64::from(self.world.sigs[number].count_ones()) {
                self.world.existence.push(if at <= fewest {
                    exists(at)
                } else if at > 1 {
                    Formula::implies(exists(at), exists(at - 1))
                } else {
                    continue;
                });
            }
        }
    }

    /// How many atoms a signature has at least.
    fn fewest(&self, sig: SigId) -> i64 {
        let def = &self.design.sigs[sig.0];
        let least = match def.mult {
            Some(Mult::Lone) => 0,
            _ => i64::from(self.world.sigs[sig.0].count_ones()),
        };
        self.fewest.get(&sig).copied().unwrap_or(least)
    }

    /// Atoms that the text names must exist.
    fn written(&mut self) -> Result<(), Vec<Diagnostic>> {
        let mut bad = Vec::new();
        for (sig, number, span) in &self.design.atoms {
            let may_miss = self.design.sigs[sig.0].is_ranged
                && self.design.extensions(*sig).next().is_none()
                && *number > self.fewest(*sig);
            if self.world.atom(*sig, *number).is_none() || may_miss {
                let name = &self.design.sigs[sig.0].name;
                let n = self.world.sigs[sig.0].count_ones();
                let message = format!("the atom `{name}${number}` is outside of the scope");
                let help = match n {
                    _ if may_miss => format!("at least {} are sure to exist", self.fewest(*sig)),
                    0 => format!("`{name}` has no atoms at all"),
                    1 => format!("`{name}` has one atom: `{name}$1`"),
                    _ => format!("`{name}` has {n} atoms: `{name}$1` to `{name}${n}`"),
                };
                bad.push(Diagnostic::error(&OUT_OF_SCOPE, message).at(*span, "").help(help));
            }
        }
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    fn rows(&mut self) -> Result<(), Diagnostic> {
        for (number, def) in self.design.relations.iter().enumerate() {
            let mut rows: BTreeMap<Vec<Atom>, u64> = BTreeMap::new();
            if self.world.untyped.contains(&RelationId(number)) {
                rows.insert(Vec::new(), self.world.univ());
            }
            for product in def.ty.products() {
                let mut prefixes: Vec<Vec<Atom>> = vec![Vec::new()];
                let (last, columns) = product.split_last().unwrap_or((&UNIV, &[]));
                for column in columns {
                    let atoms = self.world.sigs[column.0];
                    let longer = prefixes.iter().flat_map(|prefix| {
                        members(atoms).map(move |atom| [prefix.as_slice(), &[atom]].concat())
                    });
                    prefixes = longer.collect();
                    if prefixes.len() > MOST_ROWS {
                        let message = format!("`{}` has too many rows", def.name);
                        let help = "use a smaller scope";
                        return Err(Diagnostic::error(&LARGE, message).at(def.span, "").help(help));
                    }
                }
                for prefix in prefixes {
                    *rows.entry(prefix).or_default() |= self.world.sigs[last.0];
                }
            }
            self.world.rows.push(rows);
        }
        Ok(())
    }
}
