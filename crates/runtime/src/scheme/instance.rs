//! A scheme with its parameter: roles by number, indices as numbers.

use super::{Comparison, Index, Place, Scheme, Sum, Test, Unfit, Variable};
use crate::plan::RoleId;

/// A scheme and the value of its parameter.
pub(super) struct Instance<'s> {
    pub(super) scheme: &'s Scheme,
    parameter: i64,
    /// By family: the number of the first role, the step to the next, the first index, and how many there are.
    families: Vec<Members>,
    /// Names of the roles, by number.
    pub(super) roles: Vec<String>,
}

struct Members {
    first: usize,
    step: usize,
    lowest: i64,
    count: i64,
}

/// The values of bound names, innermost last.
pub(super) type Frame = Vec<(Variable, i64)>;

impl<'s> Instance<'s> {
    /// Numbers the roles: single roles first, then the first members of all families, then the second, so that a role
    /// has the same number whatever the number of members.
    pub(super) fn new(scheme: &'s Scheme, value: u32) -> Result<Self, Unfit> {
        let mut made =
            Self { scheme, parameter: i64::from(value), families: Vec::new(), roles: Vec::new() };
        let n_families = scheme.families.iter().filter(|family| family.members.is_some()).count();
        let n_single = scheme.families.len() - n_families;
        let (mut single, mut family_number, mut size) = (0, 0, None);
        for family in scheme.families.iter() {
            let Some((lowest, end)) = &family.members else {
                made.families.push(Members { first: single, step: 0, lowest: 0, count: 1 });
                single += 1;
                continue;
            };
            let (lowest, end) = (made.index(lowest, &[])?, made.index(end, &[])?);
            let count = (end - lowest).max(0);
            if *size.get_or_insert(count) != count {
                return Err(Unfit::Index("families of different sizes".to_owned()));
            }
            let first = n_single + family_number;
            made.families.push(Members { first, step: n_families, lowest, count });
            family_number += 1;
        }
        let n_members = usize::try_from(size.unwrap_or(0)).unwrap_or(usize::MAX);
        let n_roles = n_members.saturating_mul(n_families).saturating_add(n_single);
        if n_roles > usize::from(u16::MAX) {
            return Err(Unfit::TooLarge);
        }
        made.roles = vec![String::new(); n_roles];
        for (family, members) in scheme.families.iter().zip(&made.families) {
            for member in 0..members.count {
                let name = match family.members {
                    None => family.name.to_string(),
                    Some(_) => format!("{}[{}]", family.name, members.lowest + member),
                };
                made.roles[members.first + members.step * member as usize] = name;
            }
        }
        Ok(made)
    }

    pub(super) fn role(&self, place: &Place, frame: &[(Variable, i64)]) -> Result<RoleId, Unfit> {
        let members = &self.families[usize::from(place.family)];
        let member = match &place.index {
            None => 0,
            Some(index) => self.index(index, frame)? - members.lowest,
        };
        if !(0..members.count).contains(&member) {
            let family = &self.scheme.families[usize::from(place.family)].name;
            let index = member + members.lowest;
            return Err(Unfit::Index(format!("`{family}[{index}]` does not exist")));
        }
        Ok(RoleId((members.first + members.step * member as usize) as u16))
    }

    pub(super) fn index(&self, index: &Index, frame: &[(Variable, i64)]) -> Result<i64, Unfit> {
        let sum = self.sum(&index.sum, frame)?;
        let Some(modulo) = &index.modulo else { return Ok(sum) };
        let modulo = self.sum(modulo, frame)?;
        let rest = sum.checked_rem(modulo);
        let rest = rest.ok_or_else(|| Unfit::Index("a division by zero".to_owned()))?;
        // With the sign of the divisor.
        Ok(if rest != 0 && (rest < 0) != (modulo < 0) { rest + modulo } else { rest })
    }

    fn sum(&self, sum: &Sum, frame: &[(Variable, i64)]) -> Result<i64, Unfit> {
        let value = |variable: Variable| {
            let bound = frame.iter().rev().find(|(bound, _)| *bound == variable);
            bound.map_or(0, |&(_, value)| value)
        };
        let mut total = sum.parameter.checked_mul(self.parameter);
        total = total.and_then(|total| total.checked_add(sum.constant));
        for &(variable, factor) in &sum.variables {
            let more = factor.checked_mul(value(variable));
            total = total.and_then(|total| total.checked_add(more?));
        }
        total.ok_or_else(|| Unfit::Index("a number is too large".to_owned()))
    }

    pub(super) fn holds(&self, test: &Test, frame: &[(Variable, i64)]) -> Result<bool, Unfit> {
        let (left, right) = (self.index(&test.left, frame)?, self.index(&test.right, frame)?);
        Ok(match test.is {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
        })
    }
}
