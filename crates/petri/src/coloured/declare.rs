//! The declarations of a symmetric net: named sorts, partitions, variables.

use quadrille_diagnostic::{Diagnostic, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::sorts::{Colour, SortId, Sorts};
use super::{mismatch, strange, unknown};
use crate::codes::IDENTIFIER;
use crate::xml::{Node, Read};

/// Sorts that name others in turn, at most.
const DEEPEST: usize = 100;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub sort: SortId,
}

/// A sort divided into parts, which are colours of a sort of their own.
#[derive(Debug)]
pub(super) struct Partition {
    /// What is divided.
    pub of: SortId,
    /// The sort whose colours are the parts.
    pub parts: SortId,
    /// Per colour, its part.
    pub part_of: Vec<Option<Colour>>,
}

/// What a net declares, by identifier.
pub(super) struct Declarations {
    pub source: SourceId,
    pub sorts: Sorts,
    pub variables: Vec<Variable>,
    pub(super) variable_ids: FxHashMap<String, usize>,
    sort_ids: FxHashMap<String, SortId>,
    /// Constants of enumerations, and parts of partitions.
    pub(super) constants: FxHashMap<String, (SortId, Colour)>,
    pub(super) partitions: FxHashMap<String, Partition>,
    /// Per part of a partition, its colours.
    pub(super) subsets: FxHashMap<String, (SortId, Vec<Colour>)>,
    pub(super) bool: SortId,
    pub(super) dot: SortId,
}

/// The named sorts of a text, while they are looked up.
type Named<'n, 't> = FxHashMap<&'n str, &'n Node<'t>>;

impl Declarations {
    /// Reads the declarations of a net, and what is wrong with them.
    pub(super) fn read(source: SourceId, nodes: &[Node<'_>]) -> (Self, Vec<Diagnostic>) {
        let mut sorts = Sorts::default();
        let dot = sorts.dot();
        let bool = sorts.names(vec!["false".to_owned(), "true".to_owned()]);
        let mut declarations = Self {
            source,
            sorts,
            variables: Vec::new(),
            variable_ids: FxHashMap::default(),
            sort_ids: FxHashMap::default(),
            constants: FxHashMap::default(),
            partitions: FxHashMap::default(),
            subsets: FxHashMap::default(),
            bool,
            dot,
        };
        let mut leaves = Vec::new();
        nodes.iter().for_each(|node| flatten(node, &mut leaves));
        let mut problems = Vec::new();
        let mut named = Named::default();
        for node in leaves.iter().filter(|node| node.element.name == "namedsort") {
            match id(source, node) {
                Ok(id) if named.contains_key(id) => problems.push(*twice(source, node, id)),
                Ok(id) => drop(named.insert(id, node)),
                Err(problem) => problems.push(*problem),
            }
        }
        for node in leaves {
            if let Err(problem) = declarations.declare(node, &named) {
                problems.push(*problem);
            }
        }
        (declarations, problems)
    }

    fn declare(&mut self, node: &Node<'_>, named: &Named<'_, '_>) -> Read<()> {
        let id = id(self.source, node)?;
        match node.element.name {
            "namedsort" => self.named_sort(id, node, named, 0).map(drop),
            "partition" => self.partition(id, node, named),
            "variabledecl" => {
                let sort = self.sort_in(self.only(node, "a sort")?, named, 0)?;
                if self.variable_ids.insert(id.to_owned(), self.variables.len()).is_some() {
                    return Err(twice(self.source, node, id));
                }
                let name = node.element.attribute("name").filter(|name| !name.is_empty());
                let name = name.unwrap_or(id).to_owned();
                self.variables.push(Variable { name, sort });
                Ok(())
            }
            _ => Err(strange(self.source, node, "`namedsort`, `partition` or `variabledecl`")),
        }
    }

    /// The single part of an element.
    pub(super) fn only<'n, 't>(&self, node: &'n Node<'t>, what: &str) -> Read<&'n Node<'t>> {
        match &node.parts[..] {
            [only] => Ok(only),
            [] => {
                let message = format!("`{}` is empty: expected {what}", node.element.name);
                Err(mismatch(self.source, node, message))
            }
            [_, more, ..] => Err(strange(self.source, more, "the end of the element")),
        }
    }

    /// A sort where all names are known.
    pub(super) fn sort(&mut self, node: &Node<'_>) -> Read<SortId> {
        self.sort_in(node, &Named::default(), 0)
    }

    fn sort_in(&mut self, node: &Node<'_>, named: &Named<'_, '_>, depth: usize) -> Read<SortId> {
        if depth > DEEPEST {
            return Err(mismatch(self.source, node, "the sort is made of itself"));
        }
        match node.element.name {
            "dot" => Ok(self.dot),
            "bool" => Ok(self.bool),
            "usersort" => {
                let name = node.element.attribute("declaration").unwrap_or("");
                if let Some(&sort) = self.sort_ids.get(name) {
                    return Ok(sort);
                }
                match named.get(name) {
                    Some(declared) => self.named_sort(name, declared, named, depth + 1),
                    None if name == "dot" => Ok(self.dot),
                    None if name == "bool" => Ok(self.bool),
                    None => Err(unknown(self.source, node, "sort", name)),
                }
            }
            "cyclicenumeration" | "finiteenumeration" => self.enumeration(node),
            "finiteintrange" => {
                let bound = |name| node.element.attribute(name)?.trim().parse::<i64>().ok();
                let bounds = bound("start").zip(bound("end"));
                let sort = bounds.and_then(|(start, end)| self.sorts.range(start, end));
                sort.ok_or_else(|| {
                    let message = "a range has a `start` and an `end` that is not before it";
                    mismatch(self.source, node, message)
                })
            }
            "productsort" => {
                let mut parts = Vec::new();
                for part in &node.parts {
                    parts.push(self.sort_in(part, named, depth + 1)?);
                }
                let sort = self.sorts.product(parts);
                sort.ok_or_else(|| mismatch(self.source, node, "the product has too many colours"))
            }
            _ => Err(strange(self.source, node, "a sort")),
        }
    }

    fn named_sort(
        &mut self,
        id: &str,
        node: &Node<'_>,
        named: &Named<'_, '_>,
        depth: usize,
    ) -> Read<SortId> {
        if let Some(&known) = self.sort_ids.get(id) {
            return Ok(known);
        }
        let sort = self.sort_in(self.only(node, "a sort")?, named, depth)?;
        self.sort_ids.insert(id.to_owned(), sort);
        Ok(sort)
    }

    fn enumeration(&mut self, node: &Node<'_>) -> Read<SortId> {
        let mut ids = Vec::new();
        for constant in &node.parts {
            if constant.element.name != "feconstant" {
                return Err(strange(self.source, constant, "`feconstant`"));
            }
            ids.push(id(self.source, constant)?);
        }
        if ids.is_empty() {
            return Err(mismatch(self.source, node, "the enumeration has no constant"));
        }
        let mut seen = FxHashSet::default();
        for (id, constant) in ids.iter().zip(&node.parts) {
            if self.constants.contains_key(*id) || !seen.insert(*id) {
                return Err(twice(self.source, constant, id));
            }
        }
        let named = node.parts.iter().map(|part| part.element.attribute("name").unwrap_or(""));
        let mut names: Vec<&str> = named.collect();
        // Names tell colours apart, or identifiers do.
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < names.len() || sorted.contains(&"") {
            names.clone_from(&ids);
        }
        let sort = self.sorts.names(names.into_iter().map(str::to_owned).collect());
        for (position, id) in ids.into_iter().enumerate() {
            self.constants.insert(id.to_owned(), (sort, position as Colour));
        }
        Ok(sort)
    }

    fn partition(&mut self, id: &str, node: &Node<'_>, named: &Named<'_, '_>) -> Read<()> {
        let Some((divided, parts)) = node.parts.split_first() else {
            return Err(mismatch(self.source, node, "the partition divides no sort"));
        };
        let of = self.sort_in(divided, named, 0)?;
        let mut names = Vec::new();
        let mut part_of = vec![None; self.sorts.n_colours(of) as usize];
        let mut subsets = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let part_id = self::id(self.source, part)?;
            let mut colours = Vec::new();
            for term in &part.parts {
                let expression = self.expression(term)?;
                let colour = expression.constant(&self.sorts).filter(|_| expression.sort == of);
                let Some(colour) = colour else {
                    return Err(mismatch(self.source, term, "this is no colour of the sort"));
                };
                part_of[colour as usize] = Some(number as Colour);
                colours.push(colour);
            }
            names.push(part_id.to_owned());
            subsets.push((part_id.to_owned(), (of, colours)));
        }
        let parts = self.sorts.names(names.clone());
        for (number, name) in names.into_iter().enumerate() {
            self.constants.insert(name, (parts, number as Colour));
        }
        self.subsets.extend(subsets);
        self.sort_ids.insert(id.to_owned(), parts);
        self.partitions.insert(id.to_owned(), Partition { of, parts, part_of });
        Ok(())
    }
}

/// Declarations within `declaration`, `structure` and `declarations`.
fn flatten<'n, 't>(node: &'n Node<'t>, leaves: &mut Vec<&'n Node<'t>>) {
    match node.element.name {
        "declaration" | "structure" | "declarations" => {
            node.parts.iter().for_each(|part| flatten(part, leaves));
        }
        "text" | "graphics" | "toolspecific" => {}
        _ => leaves.push(node),
    }
}

/// The identifier of an element.
fn id<'n>(source: SourceId, node: &'n Node<'_>) -> Read<&'n str> {
    let id = node.element.attribute("id").filter(|id| !id.is_empty());
    id.ok_or_else(|| {
        let mut problem =
            mismatch(source, node, format!("a {} has no identifier", node.element.name));
        problem.code = &IDENTIFIER;
        problem
    })
}

fn twice(source: SourceId, node: &Node<'_>, id: &str) -> Box<Diagnostic> {
    let mut problem = mismatch(source, node, format!("`{id}` is declared twice"));
    problem.code = &IDENTIFIER;
    problem
}
