//! May one component take the place of another?

use quadrille_diagnostic::Diagnostic;

use super::conform;
use super::plan::inverted;
use super::system::{Architecture, ComponentId, Frame};
use crate::assembly::{Assembly, Member};
use crate::automata::Construction;
use crate::composition::Wiring;

impl Architecture {
    /// The same architecture with another protocol in place of a component and everything inside it;
    /// diagnostics say whether the protocol agrees with the component's interfaces.
    pub fn substituted(&self, old: ComponentId, frame: &Frame) -> (Architecture, Vec<Diagnostic>) {
        let mut system = self.clone();
        let component = &mut system.components[old.0 as usize];
        component.frame = Some(frame.clone());
        component.parts.clear();
        component.connections.clear();
        component.external.clear();
        let mut diagnostics = Vec::new();
        conform::check_frame(&system, system.component(old), frame, &mut diagnostics);
        (system, diagnostics)
    }

    /// The composites that contain a component.
    pub fn containers(&self, of: ComponentId) -> Vec<ComponentId> {
        let contains =
            |id: &&ComponentId| self.component(**id).parts.iter().any(|part| part.of == of);
        self.order.iter().filter(contains).copied().collect()
    }
}

/// A component against everything that the environment of another may do: without error, it may
/// take the other's place anywhere. Without a frame protocol nothing is known about the other.
pub fn substitution(
    system: &Architecture,
    old: ComponentId,
    new: &Frame,
) -> Option<Result<Assembly, Diagnostic>> {
    let component = system.component(old);
    let frame = component.frame.as_ref()?;
    let throws = system.throws(component);
    let member = |name: &str, frame: &Frame| {
        let mut component = frame.component.clone();
        component.name.text = name.to_owned();
        Member { types: frame.types.clone(), component, throws: Some(throws.clone()) }
    };
    let environment = inverted(member("environment", frame));
    let members = vec![environment, member(&component.name.text, new)];
    Some(Assembly::new(members, Construction::Minimal, |alphabet, _| Wiring::all(alphabet)))
}
