//! What random walks are watched for, judged step by step: properties that a finite run refutes.
//! Knows nothing of how a run is chosen.

use quadrille_logic::{Automaton, Letter, Location};
use quadrille_model::{ActionId, Ending, Explorer, Model, Problem, Value};
use rustc_hash::FxHashMap;

use crate::interpretation::Interpretation;
use crate::ltl::{SetId, Sets};
use crate::safety::Property;

/// Something that a finite run refutes.
pub enum Probe<'a> {
    /// A property of states or steps.
    Property(Property<'a>),
    /// A safety formula, by the automaton that [`monitor_of`](crate::monitor_of) gives.
    Formula(&'a Automaton, Interpretation<'a>),
}

/// Probes and what is known about them.
pub(super) struct Judge<'a> {
    model: &'a dyn Model,
    armed: Vec<Armed<'a>>,
}

enum Armed<'a> {
    Property(Property<'a>),
    Formula {
        automaton: &'a Automaton,
        interpretation: Interpretation<'a>,
        sets: Sets<'a>,
        letters: FxHashMap<ActionId, Letter>,
    },
}

/// Per probe, where the automaton of its formula may be after a run: the same in every judge. Empty
/// for a property, whose past does not matter.
pub(super) type Memory = Vec<Vec<Location>>;

/// The same as numbers of one judge.
pub(super) type Marks = Vec<Option<SetId>>;

/// The probe that a run refutes, and how the run ends.
pub(super) type Refuted = (usize, Ending);

impl<'a> Judge<'a> {
    pub(super) fn new(model: &'a dyn Model, probes: Vec<Probe<'a>>) -> Self {
        let armed = probes.into_iter().map(|probe| match probe {
            Probe::Property(property) => Armed::Property(property),
            Probe::Formula(automaton, interpretation) => Armed::Formula {
                automaton,
                interpretation,
                sets: Sets::new(automaton),
                letters: FxHashMap::default(),
            },
        });
        Self { model, armed: armed.collect() }
    }

    /// Where runs start.
    pub(super) fn start(&mut self) -> Marks {
        let mut marks = Vec::new();
        for armed in &mut self.armed {
            marks.push(match armed {
                Armed::Property(_) => None,
                Armed::Formula { automaton, sets, .. } => {
                    Some(sets.intern(automaton.initial.clone()))
                }
            });
        }
        marks
    }

    pub(super) fn recall(&mut self, memory: &Memory) -> Marks {
        let mut marks = Vec::new();
        for (armed, locations) in self.armed.iter_mut().zip(memory) {
            marks.push(match armed {
                Armed::Property(_) => None,
                Armed::Formula { sets, .. } => Some(sets.intern(locations.clone())),
            });
        }
        marks
    }

    pub(super) fn remember(&self, marks: &Marks) -> Memory {
        let known = self.armed.iter().zip(marks).map(|(armed, mark)| match (armed, mark) {
            (Armed::Formula { sets, .. }, Some(mark)) => sets.members(*mark).to_vec(),
            _ => Vec::new(),
        });
        known.collect()
    }

    /// Whether a run that leads to a state refutes a probe there, whatever follows; `stuck` says that
    /// the state has no successor.
    pub(super) fn arrive(
        &mut self,
        marks: &Marks,
        explorer: &mut dyn Explorer,
        values: &[Value],
        stuck: bool,
    ) -> Result<Option<Refuted>, Box<Problem>> {
        for (number, (armed, mark)) in self.armed.iter_mut().zip(marks).enumerate() {
            let ending = match (armed, mark) {
                (Armed::Property(Property::DeadlockFree), _) => {
                    (stuck && !explorer.may_end(values)?).then_some(Ending::Stuck)
                }
                (Armed::Property(Property::Always(holds)), _) => {
                    (!holds(values)?).then_some(Ending::Prefix)
                }
                (Armed::Formula { interpretation, sets, .. }, Some(mark)) => {
                    let here = interpretation.state_letter(explorer, values)?;
                    if !sets.stays_open(*mark, here, interpretation.atoms_of_states()) {
                        Some(Ending::Prefix)
                    } else {
                        let finished = explorer.may_end(values)?;
                        let ending = if finished { Ending::Finished } else { Ending::Stuck };
                        let ends = stuck || finished;
                        (ends && sets.silence_kills(*mark, here)).then_some(ending)
                    }
                }
                (Armed::Property(Property::Never(_)) | Armed::Formula { .. }, _) => None,
            };
            if let Some(ending) = ending {
                return Ok(Some((number, ending)));
            }
        }
        Ok(None)
    }

    /// Takes a step out of a state, and says which probe that refutes. Formulas are judged where the
    /// step leads.
    pub(super) fn leave(
        &mut self,
        marks: &mut Marks,
        explorer: &mut dyn Explorer,
        values: &[Value],
        action: ActionId,
    ) -> Result<Option<Refuted>, Box<Problem>> {
        let (mut refuted, model) = (None, self.model);
        for (number, (armed, mark)) in self.armed.iter_mut().zip(marks).enumerate() {
            match (armed, mark) {
                (Armed::Property(Property::Never(is_wanted)), _) if is_wanted(action) => {
                    refuted = refuted.or(Some((number, Ending::Prefix)));
                }
                (Armed::Formula { interpretation, sets, letters, .. }, Some(mark)) => {
                    let here = interpretation.state_letter(explorer, values)?;
                    let by = *letters
                        .entry(action)
                        .or_insert_with(|| interpretation.action_letter(model, action));
                    *mark = sets.after(*mark, here | by);
                }
                _ => {}
            }
        }
        Ok(refuted)
    }
}
