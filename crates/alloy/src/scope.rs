//! From the scope of a command to atoms, and to what each signature and field may and must contain.
//! Follows the published rules of Alloy for scopes that are not given.

use quadrille_diagnostic::Diagnostic;
use quadrille_solve::{Tuple, tuple};

use crate::codes::SCOPE;
use crate::core::{Core, NodeId, Op, RelId};
use crate::names::world::{Belongs, Command, FieldId, SigId, VarId, World};
use crate::syntax::tree::Mult;

/// What a relation is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A signature, or what is in none of its extensions.
    Sig(SigId),
    /// A field; of a static signature with `one`, without that column.
    Field(FieldId, bool),
    /// What a quantifier looks for.
    Skolem(String),
}

/// A relation that is looked for, with its bounds.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) role: Role,
    pub(crate) arity: usize,
    pub(crate) is_var: bool,
    pub(crate) lower: Vec<Tuple>,
    pub(crate) upper: Vec<Tuple>,
}

/// The atoms and relations of one scope.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) core: Core,
    pub(crate) atoms: Vec<String>,
    /// The atom that stands for zero, where there are integers.
    pub(crate) zero: i64,
    pub(crate) integers: std::ops::Range<u16>,
    pub(crate) width: usize,
    pub(crate) strings: Vec<(String, u16)>,
    pub(crate) relations: Vec<Relation>,
    /// What each signature is.
    pub(crate) sigs: Vec<NodeId>,
    /// What each field is.
    pub(crate) fields: Vec<NodeId>,
    /// What holds because of scopes and extensions.
    pub(crate) constraints: Vec<NodeId>,
    pub(crate) sig_upper: Vec<Vec<u16>>,
    next_var: u32,
}

struct Sizes<'w> {
    world: &'w World,
    command: &'w Command,
    sizes: Vec<Option<i64>>,
    exact: Vec<bool>,
}

impl Sizes<'_> {
    fn refuse(&self, message: String, help: &str) -> Diagnostic {
        Diagnostic::error(&SCOPE, message).at(self.command.span, "").help(help)
    }

    fn set(&mut self, sig: SigId, size: i64) -> Result<(), Diagnostic> {
        match self.sizes[sig.index()] {
            Some(known) if known == size => {}
            Some(known) => {
                let name = &self.world.sig(sig).name;
                let message = format!("`{name}` has a scope of {known} and one of {size}");
                return Err(self.refuse(message, "remove one of them"));
            }
            None => self.sizes[sig.index()] = Some(size),
        }
        Ok(())
    }

    /// What the command says, and multiplicities.
    fn given(&mut self, grown: i64) -> Result<(), Diagnostic> {
        for item in &self.command.scope.sigs {
            let sig = self.world.sig(item.sig);
            if item.sig == SigId::STRING {
                continue;
            }
            let size = (item.start + grown * item.increment).min(item.end);
            let message = match sig.mult {
                Some(Mult::One) if !sig.is_var && size != 1 => "has one atom",
                Some(Mult::One) if size < 1 => "has an atom at any time",
                Some(Mult::Lone) if !sig.is_var && size > 1 => "has at most one atom",
                Some(Mult::Some) if size < 1 => "has at least one atom",
                _ => "",
            };
            if !message.is_empty() {
                let message = format!("`{}` {message}, and gets a scope of {size}", sig.name);
                let error = Diagnostic::error(&SCOPE, message).at(item.span, "");
                return Err(error.help("remove it from the scope"));
            }
            self.set(item.sig, size)?;
            self.exact[item.sig.index()] |= item.is_exact;
        }
        for id in self.world.declared() {
            let sig = self.world.sig(id);
            if matches!(sig.belongs, Belongs::Subset(..)) || sig.is_var {
                continue;
            }
            match sig.mult {
                Some(Mult::One) => {
                    self.exact[id.index()] = true;
                    self.set(id, 1)?;
                }
                Some(Mult::Lone) if self.sizes[id.index()] != Some(0) => self.set(id, 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Abstract signatures are as large as their extensions together.
    fn size_of_abstract(&mut self) -> Result<bool, Diagnostic> {
        let mut changed = false;
        for id in self.world.declared() {
            let sig = self.world.sig(id);
            if !sig.is_abstract || sig.children.is_empty() {
                continue;
            }
            let (mut sum, mut missing) = (0, Vec::new());
            for &child in &sig.children {
                match self.sizes[child.index()] {
                    Some(size) => sum += size,
                    None => missing.push(child),
                }
            }
            match (self.sizes[id.index()], &missing[..]) {
                (None, []) => {
                    self.set(id, sum)?;
                    changed = true;
                }
                (Some(size), [only]) => {
                    self.set(*only, (size - sum).max(0))?;
                    changed = true;
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    fn size_of_rest(&mut self) -> Result<bool, Diagnostic> {
        let scope = &self.command.scope;
        let overall = match scope.overall {
            None if scope.sigs.is_empty() => Some(3),
            other => other,
        };
        let mut changed = false;
        for id in self.world.declared() {
            if !self.world.is_top(id) || self.sizes[id.index()].is_some() {
                continue;
            }
            let Some(overall) = overall else {
                let message = format!("`{}` has no scope", self.world.sig(id).name);
                return Err(self.refuse(message, "write `for 3 but …`, or give it a scope"));
            };
            let size = if self.world.sig(id).is_enum { 0 } else { overall };
            self.set(id, size)?;
            changed = true;
        }
        Ok(changed)
    }

    fn size_of_extensions(&mut self) -> Result<bool, Diagnostic> {
        let mut changed = false;
        for id in self.world.declared() {
            let Belongs::Prim(parent) = self.world.sig(id).belongs else { continue };
            if parent != SigId::UNIV
                && self.sizes[id.index()].is_none()
                && let Some(size) = self.sizes[parent.index()]
            {
                self.set(id, size)?;
                changed = true;
            }
        }
        Ok(changed)
    }

    fn derive(&mut self) -> Result<(), Diagnostic> {
        loop {
            if self.size_of_abstract()? || self.size_of_rest()? || self.size_of_extensions()? {
                continue;
            }
            return Ok(());
        }
    }
}

/// Atoms that must be in signatures, and that may be.
struct Allotment<'w, 's> {
    sizes: &'s mut Sizes<'w>,
    atoms: Vec<String>,
    lower: Vec<Vec<u16>>,
    upper: Vec<Vec<u16>>,
}

impl Allotment<'_, '_> {
    fn lower(&mut self, id: SigId) -> Vec<u16> {
        let world = self.sizes.world;
        let mut lower = Vec::new();
        for &child in &world.sig(id).children {
            lower.extend(self.lower(child));
        }
        let size = usize::try_from(self.sizes.sizes[id.index()].unwrap_or(0)).unwrap_or(0);
        let size = size.max(lower.len());
        self.sizes.sizes[id.index()] = Some(size as i64);
        if world.exact.contains(&id) {
            self.sizes.exact[id.index()] = true;
        }
        let is_exact = self.sizes.exact[id.index()];
        let mut upper = lower.clone();
        if is_exact || world.is_top(id) {
            let first = upper.len();
            for number in first..size {
                let atom = self.atoms.len() as u16;
                self.atoms.push(format!("{}${}", world.sig(id).name, number - first));
                upper.push(atom);
                if is_exact {
                    lower.push(atom);
                }
            }
        }
        self.lower[id.index()].clone_from(&lower);
        self.upper[id.index()] = upper;
        lower
    }

    fn upper(&mut self, id: SigId) {
        let world = self.sizes.world;
        let children = &world.sig(id).children;
        let mut shared = self.upper[id.index()].clone();
        for child in children {
            shared.retain(|atom| !self.lower[child.index()].contains(atom));
        }
        for &child in children {
            let size = self.sizes.sizes[child.index()].unwrap_or(0);
            if size > self.lower[child.index()].len() as i64 {
                self.upper[child.index()].extend(&shared);
                self.upper[child.index()].sort_unstable();
            }
            self.upper(child);
        }
    }
}

impl Bounds {
    /// The atoms and relations of a command; `grown` is how often growing scopes have grown.
    pub(crate) fn new(
        world: &World,
        command: &Command,
        strings: &[String],
        grown: i64,
    ) -> Result<Self, Diagnostic> {
        let n = world.sigs.len();
        let (sizes, exact) = (vec![None; n], vec![false; n]);
        let mut sizes = Sizes { world, command, sizes, exact };
        sizes.given(grown)?;
        sizes.derive()?;
        let scope = &command.scope;
        let bitwidth = scope.bitwidth.unwrap_or(4);
        if !(0..=12).contains(&bitwidth) {
            let message = format!("integers of {bitwidth} bits are not supported");
            return Err(sizes.refuse(message, "give `Int` between 1 and 12 bits"));
        }
        let most = if bitwidth < 1 { 0 } else { (1 << (bitwidth - 1)) - 1 };
        let seq = match scope.seq {
            Some(seq) if seq > most => {
                let message = format!("sequences of {seq} need wider integers");
                return Err(sizes.refuse(message, "give `Int` more bits, or `seq` less"));
            }
            Some(seq) => seq,
            None => scope.overall.unwrap_or(4).min(most),
        };
        let (lower, upper) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let total: i64 = world
            .declared()
            .filter(|id| world.is_top(*id))
            .map(|id| sizes.sizes[id.index()].unwrap_or(0))
            .sum();
        if total > 20_000 {
            let message = format!("there are {total} atoms");
            return Err(sizes.refuse(message, "choose a smaller scope"));
        }
        let mut allotment = Allotment { sizes: &mut sizes, atoms: Vec::new(), lower, upper };
        let tops: Vec<SigId> = world.declared().filter(|id| world.is_top(*id)).collect();
        for &top in &tops {
            allotment.lower(top);
        }
        for &top in &tops {
            allotment.upper(top);
        }
        let Allotment { mut atoms, lower, mut upper, .. } = allotment;
        let first = atoms.len() as u16;
        let least = if bitwidth < 1 { 0 } else { -(1i64 << (bitwidth - 1)) };
        if bitwidth > 0 {
            atoms.extend((least..=most).map(|value| value.to_string()));
        }
        let integers = first..atoms.len() as u16;
        let zero = i64::from(first) - least;
        let mut texts: Vec<(String, u16)> = Vec::new();
        for text in strings {
            texts.push((text.clone(), atoms.len() as u16));
            atoms.push(text.clone());
        }
        let wanted = scope.sigs.iter().find(|item| item.sig == SigId::STRING);
        for number in texts.len() as i64..wanted.map_or(0, |item| item.start) {
            let text = format!("\"String{number}\"");
            texts.push((text.clone(), atoms.len() as u16));
            atoms.push(text);
        }
        upper[SigId::UNIV.index()] = (0..atoms.len() as u16).collect();
        upper[SigId::INT.index()] = integers.clone().collect();
        let sequence = |at: i64| (zero + at) as u16;
        upper[SigId::SEQ.index()] =
            if integers.is_empty() { Vec::new() } else { (0..seq).map(sequence).collect() };
        upper[SigId::STRING.index()] = texts.iter().map(|(_, atom)| *atom).collect();
        let mut bounds = Self {
            core: Core::default(),
            atoms,
            zero,
            integers,
            width: usize::try_from(bitwidth).unwrap_or(4).max(1),
            strings: texts,
            relations: Vec::new(),
            sigs: vec![NodeId(0); n],
            fields: vec![NodeId(0); world.fields.len()],
            constraints: Vec::new(),
            sig_upper: upper,
            next_var: world.vars.len() as u32,
        };
        bounds.built_in();
        for &top in &tops {
            bounds.prim(world, &lower, top);
        }
        bounds.univ(&tops);
        for id in world.declared() {
            bounds.subset(world, id);
        }
        bounds.fields(world);
        bounds.sizes(world, &sizes, &lower);
        Ok(bounds)
    }

    /// A variable that no text has.
    pub(crate) fn fresh(&mut self) -> VarId {
        self.next_var += 1;
        VarId(self.next_var - 1)
    }

    pub(crate) fn relation(&mut self, relation: Relation) -> NodeId {
        let id = RelId(self.relations.len() as u32);
        self.core.relations.push((relation.arity, relation.is_var));
        self.relations.push(relation);
        self.core.node(Op::Rel(id))
    }

    pub(crate) fn set(&mut self, atoms: &[u16]) -> NodeId {
        let mut tuples: Vec<Tuple> = atoms.iter().map(|atom| Tuple::from(*atom)).collect();
        tuples.sort_unstable();
        self.core.node(Op::Constant(1, tuples))
    }

    fn built_in(&mut self) {
        for id in [SigId::INT, SigId::SEQ, SigId::STRING, SigId::NONE] {
            let atoms = self.sig_upper[id.index()].clone();
            self.sigs[id.index()] = self.set(&atoms);
        }
    }

    fn univ(&mut self, tops: &[SigId]) {
        let mut univ = self.core.none(1);
        for top in tops.iter().chain(&[SigId::INT, SigId::STRING]) {
            let sig = self.sigs[top.index()];
            univ = self.core.union(univ, sig);
        }
        self.sigs[SigId::UNIV.index()] = univ;
    }

    /// A signature is its extensions and what is in none of them.
    fn prim(&mut self, world: &World, lower: &[Vec<u16>], id: SigId) -> NodeId {
        let sig = world.sig(id);
        let (mut sum, mut is_static) = (None, true);
        for &child in &sig.children {
            is_static &= !world.sig(child).is_var;
            let node = self.prim(world, lower, child);
            sum = Some(match sum {
                None => node,
                Some(sum) => {
                    self.apart(node, sum, is_static, id);
                    self.core.union(sum, node)
                }
            });
        }
        let node = match sum {
            Some(sum) if sig.is_abstract => sum,
            _ => {
                let (mut low, mut high) = (lower[id.index()].clone(), Vec::new());
                high.clone_from(&self.sig_upper[id.index()]);
                for child in &sig.children {
                    low.retain(|atom| !lower[child.index()].contains(atom));
                    high.retain(|atom| !lower[child.index()].contains(atom));
                }
                // What must be here and may be in an extension need not be here alone.
                for child in &sig.children {
                    low.retain(|atom| !self.sig_upper[child.index()].contains(atom));
                }
                let tuples = |atoms: &[u16]| atoms.iter().map(|atom| Tuple::from(*atom)).collect();
                let rest = self.relation(Relation {
                    role: Role::Sig(id),
                    arity: 1,
                    is_var: sig.is_var,
                    lower: if sig.is_var { Vec::new() } else { tuples(&low) },
                    upper: tuples(&high),
                });
                match sum {
                    Some(sum) => {
                        self.apart(sum, rest, is_static, id);
                        self.core.union(sum, rest)
                    }
                    None => rest,
                }
            }
        };
        if !sig.is_var && !is_static {
            let next = self.core.node(Op::Prime(node));
            let same = self.core.node(Op::Equal(next, node));
            let same = self.core.always(same);
            self.constraints.push(same);
        }
        if !sig.is_var && !lower[id.index()].is_empty() {
            let must = self.set(&lower[id.index()].clone());
            let all = self.core.node(Op::In(must, node));
            self.constraints.push(all);
        }
        self.sigs[id.index()] = node;
        node
    }

    /// Extensions share no atom, not even at different times.
    fn apart(&mut self, a: NodeId, b: NodeId, is_static: bool, above: SigId) {
        if is_static {
            let both = self.core.node(Op::Intersect(a, b));
            let some = self.core.node(Op::Some(both));
            let none = self.core.not(some);
            let none = self.core.always(none);
            self.constraints.push(none);
            return;
        }
        let atoms = self.sig_upper[above.index()].clone();
        let (all, var) = (self.set(&atoms), self.fresh());
        let atom = self.core.node(Op::Var(var));
        let never = |bounds: &mut Self, set: NodeId| {
            let is_in = bounds.core.node(Op::In(atom, set));
            let not = bounds.core.not(is_in);
            bounds.core.node(Op::Always(not))
        };
        let (never_a, never_b) = (never(self, a), never(self, b));
        let one = self.core.or([never_a, never_b]);
        let constraint = self.core.node(Op::All(var, all, one));
        self.constraints.push(constraint);
    }

    fn subset(&mut self, world: &World, id: SigId) {
        let Belongs::Subset(parents, is_exact) = &world.sig(id).belongs else { return };
        if self.sigs[id.index()] != NodeId(0) {
            return;
        }
        let mut sum = self.core.none(1);
        let (mut upper, mut has_var) = (Vec::new(), false);
        for &parent in parents {
            if matches!(world.sig(parent).belongs, Belongs::Subset(..)) {
                self.subset(world, parent);
            }
            has_var |= world.sig(parent).is_var;
            sum = self.core.union(sum, self.sigs[parent.index()]);
            upper.extend(self.sig_upper[parent.index()].iter().copied());
        }
        upper.sort_unstable();
        upper.dedup();
        self.sig_upper[id.index()].clone_from(&upper);
        if *is_exact {
            self.sigs[id.index()] = sum;
            return;
        }
        let is_var = world.sig(id).is_var;
        let upper = upper.into_iter().map(Tuple::from).collect();
        let role = Role::Sig(id);
        let node = self.relation(Relation { role, arity: 1, is_var, lower: Vec::new(), upper });
        let within = self.core.node(Op::In(node, sum));
        let within = if is_var || has_var { self.core.always(within) } else { within };
        self.constraints.push(within);
        self.sigs[id.index()] = node;
    }

    /// All tuples of a type.
    pub(crate) fn tuples_of(&self, ty: &crate::names::types::Type, arity: usize) -> Vec<Tuple> {
        let mut all = Vec::new();
        for entry in ty.entries.iter().filter(|entry| entry.len() == arity) {
            let mut tuples: Vec<Vec<u16>> = vec![Vec::new()];
            for sig in entry {
                let atoms = &self.sig_upper[sig.index()];
                tuples = tuples
                    .iter()
                    .flat_map(|before| atoms.iter().map(|atom| [&before[..], &[*atom]].concat()))
                    .collect();
            }
            all.extend(tuples.iter().map(|atoms| tuple(atoms)));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn fields(&mut self, world: &World) {
        for id in world.declared() {
            for decl in &world.sig(id).decls {
                for &field in &decl.fields {
                    let data = world.field(field);
                    let is_folded = world.sig(id).mult == Some(Mult::One) && !world.sig(id).is_var;
                    let mut ty = data.ty.clone();
                    if is_folded {
                        for entry in &mut ty.entries {
                            entry.remove(0);
                        }
                    }
                    let arity = world.field_arity(field) - usize::from(is_folded);
                    let upper = self.tuples_of(&ty, arity);
                    let role = Role::Field(field, is_folded);
                    let is_var = data.is_var;
                    let lower = Vec::new();
                    let mut node = self.relation(Relation { role, arity, is_var, lower, upper });
                    if is_folded {
                        node = self.core.node(Op::Product(self.sigs[id.index()], node));
                    }
                    self.fields[field.0 as usize] = node;
                }
            }
        }
    }

    /// Multiplicities and numbers of atoms that bounds alone do not say.
    fn sizes(&mut self, world: &World, sizes: &Sizes<'_>, lower: &[Vec<u16>]) {
        for id in world.declared() {
            let sig = world.sig(id);
            let node = self.sigs[id.index()];
            let (low, high) = (lower[id.index()].len(), self.sig_upper[id.index()].len());
            let hold = |bounds: &mut Self, op: Op| {
                let constraint = bounds.core.node(op);
                let constraint =
                    if sig.is_var { bounds.core.always(constraint) } else { constraint };
                bounds.constraints.push(constraint);
            };
            match sig.mult {
                Some(Mult::One) if sig.is_var || low != 1 || high != 1 => {
                    hold(self, Op::One(node));
                    continue;
                }
                Some(Mult::Some) => hold(self, Op::Some(node)),
                Some(Mult::Lone) => hold(self, Op::Lone(node)),
                _ => {}
            }
            let Some(size) = sizes.sizes[id.index()] else { continue };
            let size = usize::try_from(size).unwrap_or(0);
            if sig.is_var {
                if high > size {
                    // Over all time.
                    let (var, all) = (self.fresh(), self.sig_upper[id.index()].clone());
                    let (atom, all) = (self.core.node(Op::Var(var)), self.set(&all));
                    let is_in = self.core.node(Op::In(atom, node));
                    let not = self.core.not(is_in);
                    let never = self.core.node(Op::Always(not));
                    let ever = self.core.not(never);
                    let seen = self.core.node(Op::Comprehension(vec![(var, all)], ever));
                    let constraint = self.core.node(Op::AtMost(seen, size));
                    self.constraints.push(constraint);
                }
            } else if high > size {
                hold(self, Op::AtMost(node, size));
            }
            if sizes.exact[id.index()] && !sig.is_var && low < size && size > 0 {
                let fewer = self.core.node(Op::AtMost(node, size - 1));
                let enough = self.core.not(fewer);
                self.constraints.push(enough);
            }
        }
    }
}
