//! What is probably a mistake in a protocol or in properties about it, or in components.

use quadrille_component::architecture;
use quadrille_diagnostic::Diagnostic;
use quadrille_engine::{Graph, Interpretation, LtlOptions};
use quadrille_model::Expected;

use super::formula::refusal;
use super::{Config, Refused, Watcher};
use crate::answer::Finding;
use crate::claim::{Property, Statement};
use crate::protocol::codes::STUCK;
use crate::protocol::{
    Explored, idle_atoms, idle_statements, lint, lint_roles, never_happens, vacuous, vacuous_part,
};
use crate::subject::{Matter, Subject};

impl Subject<'_> {
    pub(super) fn lint(
        &self,
        properties: &[Property],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Finding>, Refused> {
        match &self.matter {
            Matter::Model(_) | Matter::Net(_) => Ok(Vec::new()),
            Matter::Components(composed) => {
                let found = match &composed.system {
                    Some(system) => {
                        architecture::lint(system).map_err(|too_large| vec![too_large])?
                    }
                    None => composed.assembly.open_choices(),
                };
                Ok(found.into_iter().map(Finding::from).collect())
            }
            Matter::Protocol(_) => self.lint_protocol(properties, config, watcher),
        }
    }

    fn lint_protocol(
        &self,
        properties: &[Property],
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Finding>, Refused> {
        let Some(protocol) = self.protocol() else { return Ok(Vec::new()) };
        let limits = config.limits;
        let mut look = |progress: &_| watcher.look(progress);
        let explored = Explored::new(&protocol.model, limits, &mut look)?;
        let mut findings = lint(&explored, limits, &mut look)?;
        if self.no_deadlock == Expected::Violated {
            findings.retain(|finding| finding.diagnostic.code.id != STUCK.id);
        }
        let declared = protocol.roles.iter();
        let declared: Vec<_> =
            declared.filter_map(|(name, span)| Some((&**name, (*span)?))).collect();
        findings.extend(lint_roles(&declared, &[&explored]).into_iter().map(Finding::from));
        let idle = idle_statements(&protocol.model, explored.used_acts(), limits, &mut look);
        findings.extend(idle.into_iter().map(never_happens).map(Finding::from));
        let mut graph = Graph::new(&protocol.model);
        for property in properties {
            let found = self.lint_property(property, &explored, &mut graph, config, watcher)?;
            findings.extend(found.into_iter().map(Finding::from));
        }
        Ok(findings)
    }

    /// Atoms that nothing satisfies; parts of a formula that could be anything.
    fn lint_property<'s>(
        &'s self,
        property: &Property,
        explored: &Explored<'_>,
        graph: &mut Graph<'s>,
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<Diagnostic>, Refused> {
        let mut diagnostics = Vec::new();
        for claim in &property.claims {
            let idle = idle_atoms(explored, claim.actions());
            // A statement about something that never happens is vacuous: one finding is enough.
            if idle.is_empty()
                && let Statement::Linear(formula) = &claim.statement
            {
                let options = LtlOptions {
                    runs: property.runs,
                    limits: config.limits,
                    ..LtlOptions::default()
                };
                let meanings = Interpretation::new(claim.meanings(self.terms()));
                let mut look = |progress: &_| watcher.look(progress);
                let parts = vacuous(graph, formula, &meanings, &options, &mut look)
                    .map_err(|error| refusal(error, property))?;
                let names = claim.names(self.model());
                let shown = parts.into_iter().map(|part| part.show(&names).to_string());
                diagnostics.extend(shown.map(|part| vacuous_part(&part, property.span)));
            }
            diagnostics.extend(idle);
        }
        diagnostics.dedup();
        Ok(diagnostics)
    }
}
