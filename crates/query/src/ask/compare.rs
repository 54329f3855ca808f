//! Whether two subjects behave alike.

use super::unrepeatable;
use quadrille_engine::Space;
use quadrille_engine::Stopped;
use quadrille_engine::equivalence::{Comparison, Difference, Relation, Side, View, Word, compare};
use quadrille_model::{Counts, Verdict};

use super::{Answered, Config, Watcher};
use crate::answer::{Answer, Evidence};
use crate::question::Question;
use crate::subject::Subject;

impl Subject<'_> {
    pub(super) fn compare(
        &self,
        question: &Question<'_>,
        (other, relation, view): (&Subject<'_>, Relation, &View),
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
        let (mut left, mut right) = (Space::new(self.model()), Space::new(other.model()));
        let tables = left
            .tabulate(limits, &mut look)
            .and_then(|table| Ok((table, right.tabulate(limits, &mut look)?)));
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
        let (verdict, evidence) = match compare(&one, &two, relation, view, limits, &mut look) {
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
