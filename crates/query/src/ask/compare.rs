//! Whether two subjects behave alike.

use super::unrepeatable;
use quadrille_engine::equivalence::{
    Comparison, Difference, Relation, Side, View, Word, compare_within,
};
use quadrille_engine::{Space, Stopped, Watch};
use quadrille_model::{Counts, Explicit, Model, Verdict};

use super::{Answered, Config, Watcher};
use crate::answer::{Answer, Evidence};
use crate::question::Question;
use crate::subject::Subject;

/// The tables of two spaces. The watch counts them and the spaces from now on.
fn both(
    left: &mut Space<'_>,
    right: &mut Space<'_>,
    watch: &mut Watch<'_>,
) -> Result<(Explicit, Explicit), Stopped> {
    let one = left.tabulate_within(watch)?;
    watch.hold(left.bytes() + one.table_bytes());
    let two = right.tabulate_within(watch)?;
    watch.hold(right.bytes() + two.table_bytes());
    Ok((one, two))
}

impl Subject<'_> {
    pub(super) fn compare(
        &self,
        question: &Question<'_>,
        (other, relation, view): (&dyn Model, Relation, &View),
        config: &Config,
        watcher: &mut dyn Watcher,
    ) -> Answered {
        let limits = config.limits;
        let engine = match relation {
            Relation::Bisimilar(_) => "partition refinement",
            Relation::TracesIncluded | Relation::SameTraces => "antichains",
        };
        let blank = self.blank(question, config, engine);
        let mut look = |progress: &_| watcher.look(progress);
        let (mut left, mut right) = (Space::new(self.model()), Space::new(other));
        let mut watch = Watch::new(limits, &mut look);
        let tables = both(&mut left, &mut right, &mut watch);
        let (one, two) = match tables {
            Ok(tables) => tables,
            Err(Stopped::Bound(bound)) => {
                return Ok(Answer { verdict: Verdict::Unknown(bound), ..blank });
            }
            Err(Stopped::Failed(error)) => return Err(unrepeatable(error)),
        };
        let counts = Counts {
            states: one.n_states() as u64,
            transitions: one.n_edges() as u64,
            bytes: left.bytes() as u64,
            ..Counts::default()
        };
        let comparison = compare_within(&one, &two, relation, view, &mut watch);
        let (verdict, evidence) = match comparison {
            Comparison::Holds => (Verdict::Holds, Evidence::None),
            Comparison::Unknown(bound) => (Verdict::Unknown(bound), Evidence::None),
            Comparison::Differs(difference) => {
                let run = match &difference {
                    Difference::Word(Word { side: Side::Left, run, .. }) => left.retold(run),
                    Difference::Word(Word { side: Side::Right, run, .. }) => right.retold(run),
                    Difference::Formulas { .. } | Difference::Moves(_) => None,
                };
                (Verdict::Violated(None), Evidence::Difference { difference, run })
            }
        };
        Ok(Answer { verdict, counts, evidence, ..blank })
    }
}
