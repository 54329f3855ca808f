//! The form in which systems are compared: numbered states, labels matched by text, internal
//! labels made one, ends and divergence turned into steps. Knows the view, not the relations.

use quadrille_graph::{Csr, LabelledGraph, Tree, components};
use quadrille_model::{ActionId, Bound, Explicit, ExplicitBuilder, StateId};
use rustc_hash::FxHashMap;

use super::{Observation, View};
use crate::limits::Watch;

/// A label of a [`System`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Label(u32);

impl Label {
    /// Any internal action.
    pub const INTERNAL: Label = Label(0);
    /// The system may end: a step to [`System::SINK`].
    pub const END: Label = Label(1);
    /// The system may run internally for ever: a step to [`System::SINK`].
    pub const DIVERGENCE: Label = Label(2);
    /// The first label that is an action seen from outside.
    const FIRST_ACTION: u32 = 3;

    fn action(position: usize) -> Label {
        Label(Self::FIRST_ACTION + u32::try_from(position).expect("labels fit 32 bits"))
    }
}

/// Labels as texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    actions: Vec<String>,
    /// How an internal step is called where a table must name it.
    internal: Option<String>,
}

impl Names {
    /// What an outsider sees of a label.
    pub fn observation(&self, label: Label) -> Observation {
        match label {
            Label::INTERNAL => Observation::Internal,
            Label::END => Observation::End,
            Label::DIVERGENCE => Observation::Divergence,
            Label(number) => {
                Observation::Action(self.actions[(number - Label::FIRST_ACTION) as usize].clone())
            }
        }
    }
}

/// A transition system with merged labels. The edges of a state are ascending and distinct.
#[derive(Clone, Debug)]
pub(super) struct System {
    edges: Csr<(Label, StateId)>,
}

impl System {
    /// Where ends and divergence lead; it has no edges.
    pub const SINK: StateId = StateId::new(0);

    /// A system with these edges by state.
    pub fn from_edges(n_states: usize, mut edges: Vec<(StateId, Label, StateId)>) -> System {
        edges.sort_unstable();
        edges.dedup();
        let edges = edges.iter().map(|&(from, label, to)| (from.index(), (label, to)));
        System { edges: Csr::group(n_states, edges) }
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.edges.bytes()
    }

    /// Bytes that an [image](System::image) takes while it is made, at most.
    pub fn image_bytes(&self) -> usize {
        self.edges.bytes() + self.edges.n_entries() * size_of::<(StateId, Label, StateId)>()
    }

    /// Number of states, the sink included.
    pub fn n_states(&self) -> usize {
        self.edges.n_rows()
    }

    /// All states in order.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.n_states()).map(StateId::from_usize)
    }

    /// The edges of a state, ascending.
    pub fn edges(&self, state: StateId) -> &[(Label, StateId)] {
        self.edges.row(state.index())
    }

    /// Where internal steps lead from a state.
    pub fn internal(&self, state: StateId) -> impl Iterator<Item = StateId> + '_ {
        self.edges(state)
            .iter()
            .take_while(|(label, _)| *label == Label::INTERNAL)
            .map(|&(_, to)| to)
    }

    /// The edges of a state that are not internal.
    pub fn visible(&self, state: StateId) -> &[(Label, StateId)] {
        let edges = self.edges(state);
        &edges[edges.partition_point(|(label, _)| *label == Label::INTERNAL)..]
    }

    /// The states that internal steps reach from `states`, these included, ascending.
    pub fn closure(&self, mut states: Vec<StateId>) -> Vec<StateId> {
        states.sort_unstable();
        states.dedup();
        let mut seen: rustc_hash::FxHashSet<StateId> = states.iter().copied().collect();
        let mut position = 0;
        while let Some(&state) = states.get(position) {
            position += 1;
            states.extend(self.internal(state).filter(|&to| seen.insert(to)));
        }
        states.sort_unstable();
        states
    }

    /// The system whose states are the images of `map`, a map onto `0..n_states`; internal steps
    /// within an image vanish unless `keep_loops`.
    pub fn image(&self, map: &[StateId], n_states: usize, keep_loops: bool) -> System {
        let mut edges = Vec::with_capacity(self.edges.n_entries());
        for from in self.states() {
            for &(label, to) in self.edges(from) {
                let (from, to) = (map[from.index()], map[to.index()]);
                if keep_loops || label != Label::INTERNAL || from != to {
                    edges.push((from, label, to));
                }
            }
        }
        System::from_edges(n_states, edges)
    }

    /// Makes every cycle of internal steps one state, and says where each state went. Afterwards
    /// internal steps lead from higher numbers to lower ones. With `divergence`, what was a cycle
    /// gets a step that says so.
    pub fn without_cycles(&self, divergence: bool) -> (System, Vec<StateId>) {
        let components = internal_components(self);
        let n_components = 1 + components.iter().map(|c| c.index()).max().unwrap_or(0);
        let mut image = self.image(&components, n_components, false);
        if divergence {
            let mut edges: Vec<_> = image
                .states()
                .flat_map(|from| image.edges(from).iter().map(move |&(l, to)| (from, l, to)))
                .collect();
            for from in self.states() {
                let component = components[from.index()];
                if self.internal(from).any(|to| components[to.index()] == component) {
                    edges.push((component, Label::DIVERGENCE, Self::SINK));
                }
            }
            image = System::from_edges(n_components, edges);
        }
        (image, components)
    }
}

impl LabelledGraph for System {
    fn n_nodes(&self) -> usize {
        self.n_states()
    }

    fn edges(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + Clone {
        self.edges.row(node).iter().map(|(label, to)| (label.0, to.index()))
    }
}

/// The strongly connected components of the internal steps, numbered so that internal steps never
/// lead to a higher number. The sink, the first state, stays number 0.
fn internal_components(system: &System) -> Vec<StateId> {
    let found = components(system.n_states(), |state| {
        system.internal(StateId::from_usize(state)).map(StateId::index)
    });
    found.of.into_iter().map(StateId::new).collect()
}

/// Several tables side by side in one [`System`], reachable states only.
pub(super) struct Joined {
    pub system: System,
    pub names: Names,
    /// Initial states, by table.
    pub initial: Vec<Vec<StateId>>,
}

/// Puts tables side by side as a view shows them.
pub(super) fn join(
    tables: &[&Explicit],
    view: &View,
    watch: &mut Watch<'_>,
) -> Result<Joined, Bound> {
    let mut names = Names::default();
    let mut by_text: FxHashMap<&str, Label> = FxHashMap::default();
    let most_states = 1 + tables.iter().map(|table| table.n_states()).sum::<usize>();
    let most_edges = most_states + tables.iter().map(|table| table.n_edges()).sum::<usize>();
    // The edges, and of each state of a table its number and when it is visited.
    let own = most_edges * size_of::<(Label, StateId)>() + most_states * 3 * size_of::<u32>();
    watch.allocated(own)?;
    // States are visited in the order of their numbers.
    let mut edges = Csr::with_capacity(most_states, most_edges);
    edges.push_row([]);
    let mut row = Vec::new();
    let mut initial = Vec::new();
    let mut n_states = 1;
    for table in tables {
        let mut meaning = Vec::with_capacity(table.labels().len());
        for text in table.labels() {
            meaning.push(if view.internal.contains(text) {
                names.internal.get_or_insert_with(|| text.clone());
                Label::INTERNAL
            } else {
                *by_text.entry(text).or_insert_with(|| {
                    names.actions.push(text.clone());
                    Label::action(names.actions.len() - 1)
                })
            });
        }
        let mut place = vec![System::SINK; table.n_states()];
        let mut reached = Vec::new();
        let mut visit = |state: StateId, reached: &mut Vec<StateId>| {
            if place[state.index()] == System::SINK {
                place[state.index()] = StateId::from_usize(n_states);
                n_states += 1;
                reached.push(state);
            }
            place[state.index()]
        };
        let starts = table.initial_states().iter();
        initial.push(starts.map(|&state| visit(state, &mut reached)).collect());
        let mut position = 0;
        while let Some(&state) = reached.get(position) {
            position += 1;
            for &(action, to) in table.edges(state) {
                row.push((meaning[action.index()], visit(to, &mut reached)));
            }
            if view.endings && table.is_end(state) {
                row.push((Label::END, System::SINK));
            }
            row.sort_unstable();
            row.dedup();
            watch.work(row.len(), || own)?;
            edges.push_row(row.drain(..));
        }
    }
    Ok(Joined { system: System { edges }, names, initial })
}

/// Writes a system as a table again; states are numbered breadth-first. A divergent state gets an
/// internal loop.
pub(super) fn to_table(system: &System, initial: &[StateId], names: &Names) -> Explicit {
    let mut builder = ExplicitBuilder::default();
    let mut actions: FxHashMap<Label, ActionId> = FxHashMap::default();
    let mut tree = Tree::default();
    for &state in initial {
        let known = tree.nodes().len();
        let start = tree.root(state);
        if start == known {
            builder.initial(StateId::from_usize(start));
        }
    }
    while let Some(at) = tree.next() {
        let (from, state) = (StateId::from_usize(at), *tree.node(at));
        for &(label, to) in system.edges(state) {
            if label == Label::END {
                builder.end(from);
                continue;
            }
            let diverges = label == Label::DIVERGENCE;
            let to = if diverges { at } else { tree.child(at, (), to) };
            let label = if diverges { Label::INTERNAL } else { label };
            let action = *actions.entry(label).or_insert_with(|| {
                builder.action(match names.observation(label) {
                    Observation::Action(text) => text,
                    _ => names.internal.clone().unwrap_or_default(),
                })
            });
            builder.edge(from, action, StateId::from_usize(to));
        }
    }
    builder.build()
}
