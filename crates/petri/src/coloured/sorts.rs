//! Sorts of symmetric nets and their colours, which are numbers: positions in enumerations and ranges,
//! and digits of a mixed radix in products. Knows no XML.

/// A sort. Equal sorts have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SortId(u32);

/// A colour of a sort.
pub(super) type Colour = u32;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One colour that tells nothing.
    Dot,
    /// Names, in order. Each declaration is a sort of its own.
    Names(Vec<String>),
    /// Integers from this one on.
    Range(i64),
    Product(Vec<SortId>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Sort {
    kind: Kind,
    n_colours: u32,
}

/// All sorts of a net.
#[derive(Default, Debug)]
pub(super) struct Sorts {
    all: Vec<Sort>,
}

impl Sorts {
    /// The sort of dots.
    pub(super) fn dot(&mut self) -> SortId {
        self.shared(Sort { kind: Kind::Dot, n_colours: 1 })
    }

    /// A new enumeration.
    pub(super) fn names(&mut self, names: Vec<String>) -> SortId {
        let n_colours = names.len() as u32;
        self.all.push(Sort { kind: Kind::Names(names), n_colours });
        SortId(self.all.len() as u32 - 1)
    }

    /// The integers from one to another; `None` where there are none, or too many.
    pub(super) fn range(&mut self, start: i64, end: i64) -> Option<SortId> {
        let n_colours = end.checked_sub(start)?.checked_add(1)?;
        let n_colours = u32::try_from(n_colours).ok().filter(|&n| n > 0)?;
        Some(self.shared(Sort { kind: Kind::Range(start), n_colours }))
    }

    /// The product of sorts; `None` where it has too many colours.
    pub(super) fn product(&mut self, parts: Vec<SortId>) -> Option<SortId> {
        let mut n_colours = 1u32;
        for &part in &parts {
            n_colours = n_colours.checked_mul(self.n_colours(part))?;
        }
        Some(self.shared(Sort { kind: Kind::Product(parts), n_colours }))
    }

    fn shared(&mut self, sort: Sort) -> SortId {
        let known = self.all.iter().position(|known| *known == sort);
        let position = known.unwrap_or_else(|| {
            self.all.push(sort);
            self.all.len() - 1
        });
        SortId(position as u32)
    }

    pub(super) fn kind(&self, sort: SortId) -> &Kind {
        &self.all[sort.0 as usize].kind
    }

    /// How many colours a sort has.
    pub(super) fn n_colours(&self, sort: SortId) -> u32 {
        self.all[sort.0 as usize].n_colours
    }

    /// The colour of a product that has these parts.
    pub(super) fn tuple(&self, sort: SortId, parts: impl IntoIterator<Item = Colour>) -> Colour {
        let Kind::Product(sorts) = self.kind(sort) else { return 0 };
        let digit =
            |all: Colour, (&sort, part): (&SortId, Colour)| all * self.n_colours(sort) + part;
        sorts.iter().zip(parts).fold(0, digit)
    }

    /// The number that comparisons look at.
    pub(super) fn rank(&self, sort: SortId, colour: Colour) -> i64 {
        match self.kind(sort) {
            Kind::Range(start) => start + i64::from(colour),
            _ => i64::from(colour),
        }
    }

    /// Whether colours of two sorts can be compared.
    pub(super) fn are_comparable(&self, one: SortId, other: SortId) -> bool {
        let are_ranges =
            matches!(self.kind(one), Kind::Range(_)) && matches!(self.kind(other), Kind::Range(_));
        one == other || are_ranges
    }

    /// What a colour is called; nothing for a dot.
    pub(super) fn name(&self, sort: SortId, colour: Colour) -> String {
        match self.kind(sort) {
            Kind::Dot => String::new(),
            Kind::Names(names) => names[colour as usize].clone(),
            Kind::Range(start) => (start + i64::from(colour)).to_string(),
            Kind::Product(parts) => {
                let mut rest = colour;
                let mut names = Vec::with_capacity(parts.len());
                for &part in parts.iter().rev() {
                    let n = self.n_colours(part);
                    names.push(self.name(part, rest % n));
                    rest /= n;
                }
                names.reverse();
                names.retain(|name| !name.is_empty());
                names.join(",")
            }
        }
    }

    /// What a sort is called in messages.
    pub(super) fn describe(&self, sort: SortId) -> String {
        match self.kind(sort) {
            Kind::Dot => "dots".to_owned(),
            Kind::Names(names) => match &names[..] {
                [] => "nothing".to_owned(),
                [only] => format!("`{only}`"),
                [first, .., last] => format!("`{first}` … `{last}`"),
            },
            Kind::Range(start) => {
                format!("{start} … {}", start + i64::from(self.n_colours(sort)) - 1)
            }
            Kind::Product(parts) => {
                let parts: Vec<String> = parts.iter().map(|&part| self.describe(part)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}
