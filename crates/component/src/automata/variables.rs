//! Variables of enumerated types: declarations in scope, and the silent edges that look at them and
//! change them.

use super::build::Builder;
use super::nfa::{Argument, Constant, Edge, Node, Variable, VariableId};
use crate::syntax::{Case, Protocol, Test};

/// Most combinations of the values of a method's parameters.
const MAX_COMBINATIONS: usize = 1 << 12;

impl Builder<'_> {
    pub(super) fn declare(&mut self, of: &str, name: &str, initial: &str) -> VariableId {
        let declared = self.types.iter().find(|known| known.name.text == of);
        let mut values: Vec<String> = declared
            .map(|known| known.values.iter().map(|value| value.text.clone()).collect())
            .unwrap_or_default();
        values.truncate(Constant::MAX as usize);
        if values.is_empty() {
            values.push(String::new());
        }
        let initial = values.iter().position(|value| value == initial).unwrap_or(0) as Constant;
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable { values, initial });
        self.names.push((name.to_owned(), id));
        id
    }

    pub(super) fn variable(&self, name: &str) -> Option<VariableId> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    pub(super) fn value(&self, name: &str) -> Argument {
        let variable = self.variable(name);
        variable.map_or_else(|| Argument::Constant(name.to_owned()), Argument::Variable)
    }

    pub(super) fn constants(&self, variable: VariableId) -> Vec<Constant> {
        (0..self.variables[variable.0 as usize].values.len() as Constant).collect()
    }

    pub(super) fn constant(&self, variable: VariableId, name: &str) -> Option<Constant> {
        let values = &self.variables[variable.0 as usize].values;
        values.iter().position(|value| value == name).map(|position| position as Constant)
    }

    pub(super) fn when(
        &mut self,
        entry: Node,
        variable: VariableId,
        constants: Vec<Constant>,
    ) -> Node {
        let next = self.fresh();
        self.edge(entry, Edge::When(variable, constants, next));
        next
    }

    pub(super) fn assign(&mut self, entry: Node, variable: &str, value: &str) -> Option<Node> {
        let variable = self.variable(variable)?;
        let next = self.fresh();
        let edge = match self.variable(value) {
            Some(from) => Edge::Copy(variable, from, next),
            None => Edge::Set(variable, self.constant(variable, value)?, next),
        };
        self.edge(entry, edge);
        Some(next)
    }

    pub(super) fn while_loop(&mut self, entry: Node, test: &Test, body: &Protocol) -> Node {
        let wanted = self
            .variable(&test.variable.text)
            .and_then(|variable| Some((variable, self.constant(variable, &test.value.text)?)));
        let Some((variable, value)) = wanted else { return entry };
        let turn = self.fresh();
        self.silent(entry, turn);
        let others = self.constants(variable).into_iter().filter(|other| *other != value).collect();
        let (go_on, stop) = if test.equal { (vec![value], others) } else { (others, vec![value]) };
        let start = self.when(turn, variable, go_on);
        let end = self.lower(body, start);
        self.silent(end, turn);
        self.when(turn, variable, stop)
    }

    /// All values that some variables can have together; none if they are too many.
    pub(super) fn combinations(&mut self, ids: &[VariableId]) -> Vec<Vec<Constant>> {
        let mut all = vec![Vec::new()];
        for id in ids {
            let values = self.constants(*id);
            if all.len() * values.len() > MAX_COMBINATIONS {
                self.too_large = true;
                return Vec::new();
            }
            let extended = all.iter().flat_map(|before: &Vec<Constant>| {
                values.iter().map(|value| [before.as_slice(), &[*value]].concat())
            });
            all = extended.collect();
        }
        all
    }

    pub(super) fn switch(
        &mut self,
        entry: Node,
        variable: VariableId,
        cases: &[Case],
        default: Option<&Protocol>,
    ) -> Node {
        let exit = self.fresh();
        let mut rest = self.constants(variable);
        for case in cases {
            let Some(constant) = self.constant(variable, &case.value.text) else { continue };
            rest.retain(|other| *other != constant);
            let start = self.when(entry, variable, vec![constant]);
            let end = self.lower(&case.protocol, start);
            self.silent(end, exit);
        }
        let start = self.when(entry, variable, rest);
        let end = match default {
            Some(default) => self.lower(default, start),
            None => start,
        };
        self.silent(end, exit);
        exit
    }
}
