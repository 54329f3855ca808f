//! Protocols without loops as sets of partial orders: of what each role does outside parallel parts, and in each of them.
//! Shares nothing with the calculus but the labels of actions.

use std::fmt;

use quadrille_workshop::Choices;

const ROLES: [&str; 3] = ["a", "b", "c"];

/// A protocol without loops.
pub enum Body {
    Message { name: &'static str, from: usize, to: Vec<usize>, is_sync: bool },
    Local(usize),
    Sequence(Box<[Body; 2]>),
    Choice(Box<[Body; 2]>),
    Parallel(Box<[Body; 2]>),
    Optional(Box<Body>),
}

impl Body {
    pub fn random(choices: &mut Choices, depth: usize) -> Self {
        if depth == 0 || choices.below(5) == 0 {
            return Self::step(choices);
        }
        let one = Self::random(choices, depth - 1);
        let kind = choices.below(8);
        if kind == 7 {
            return Body::Optional(Box::new(one));
        }
        let both = Box::new([one, Self::random(choices, depth - 1)]);
        match kind {
            0..=2 => Body::Sequence(both),
            3 | 4 => Body::Choice(both),
            _ => Body::Parallel(both),
        }
    }

    fn step(choices: &mut Choices) -> Self {
        let from = choices.below(3);
        let to = (from + 1 + choices.below(2)) % 3;
        let name = choices.pick(&["M", "N", "O"]);
        match choices.below(9) {
            0 => Body::Message { name, from, to: vec![to], is_sync: true },
            1 => Body::Message { name, from, to: vec![to, 3 - from - to], is_sync: false },
            2 => Body::Local(from),
            _ => Body::Message { name, from, to: vec![to], is_sync: false },
        }
    }

    pub fn has_par(&self) -> bool {
        match self {
            Body::Message { .. } | Body::Local(_) => false,
            Body::Sequence(parts) | Body::Choice(parts) => parts.iter().any(Body::has_par),
            Body::Parallel(_) => true,
            Body::Optional(part) => part.has_par(),
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Message { name, from, to, is_sync } => {
                let sync = if *is_sync { " sync" } else { "" };
                write!(f, "{name} from {} to {}{sync};", ROLES[*from], names(to))
            }
            Body::Local(role) => write!(f, "{} does E;", ROLES[*role]),
            Body::Sequence(parts) => write!(f, "{} {}", parts[0], parts[1]),
            Body::Choice(parts) => write!(f, "either {{ {} }} or {{ {} }}", parts[0], parts[1]),
            Body::Parallel(parts) => write!(f, "par {{ {} }} and {{ {} }}", parts[0], parts[1]),
            Body::Optional(part) => write!(f, "opt {{ {part} }}"),
        }
    }
}

fn names(roles: &[usize]) -> String {
    roles.iter().map(|&role| ROLES[role]).collect::<Vec<_>>().join(", ")
}

/// What happens in a run, in a partial order.
#[derive(Clone, Default)]
pub struct Pomset {
    pub labels: Vec<String>,
    roles: Vec<Vec<usize>>,
    /// Pairs of which the first comes before the second.
    pub order: Vec<(usize, usize)>,
}

impl Pomset {
    fn add(&mut self, label: String, roles: &[usize], after: Option<usize>) {
        self.order.extend(after.map(|before| (before, self.labels.len())));
        self.labels.push(label);
        self.roles.push(roles.to_vec());
    }

    /// Both, unordered.
    fn beside(&self, other: &Self) -> Self {
        let (mut both, first) = (self.clone(), self.labels.len());
        both.labels.extend(other.labels.iter().cloned());
        both.roles.extend(other.roles.iter().cloned());
        both.order.extend(other.order.iter().map(|(one, two)| (one + first, two + first)));
        both
    }

    /// Both, where each role does the first before the second.
    fn then(&self, other: &Self) -> Self {
        let (mut both, first) = (self.beside(other), self.labels.len());
        for before in 0..first {
            for after in first..both.labels.len() {
                if both.roles[before].iter().any(|role| both.roles[after].contains(role)) {
                    both.order.push((before, after));
                }
            }
        }
        both
    }
}

/// The partial orders of a protocol; `None` if there are more than `most`.
pub fn pomsets(body: &Body, most: usize) -> Option<Vec<Pomset>> {
    let found = match body {
        Body::Message { name, from, to, is_sync: true } => {
            let mut one = Pomset::default();
            let roles = [&[*from], &to[..]].concat();
            one.add(format!("{} passes {name} to {}", ROLES[*from], names(to)), &roles, None);
            vec![one]
        }
        Body::Message { name, from, to, is_sync: false } => {
            let mut one = Pomset::default();
            one.add(format!("{} sends {name} to {}", ROLES[*from], names(to)), &[*from], None);
            for &role in to {
                let label = format!("{} receives {name} from {}", ROLES[role], ROLES[*from]);
                one.add(label, &[role], Some(0));
            }
            vec![one]
        }
        Body::Local(role) => {
            let mut one = Pomset::default();
            one.add(format!("{} does E", ROLES[*role]), &[*role], None);
            vec![one]
        }
        Body::Choice(parts) => {
            let mut all = pomsets(&parts[0], most)?;
            all.extend(pomsets(&parts[1], most)?);
            all
        }
        Body::Optional(part) => {
            let mut all = pomsets(part, most)?;
            all.push(Pomset::default());
            all
        }
        Body::Sequence(parts) | Body::Parallel(parts) => {
            let (left, right) = (pomsets(&parts[0], most)?, pomsets(&parts[1], most)?);
            let is_sequence = matches!(body, Body::Sequence(_));
            let join = |one: &Pomset, two: &Pomset| {
                if is_sequence { one.then(two) } else { one.beside(two) }
            };
            let pairs = left.iter().flat_map(|one| right.iter().map(move |two| join(one, two)));
            pairs.collect()
        }
    };
    (found.len() <= most).then_some(found)
}
