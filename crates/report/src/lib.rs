//! What people, CI and files get to see: traces as text, sequence diagrams, JSON and ITF; verdicts
//! as text, JSON and JUnit XML; small state graphs as drawings.
//!
//! Everything starts from a [`Story`]: a trace told in names instead of numbers, which needs no
//! model any more. This crate returns strings; it knows no search, writes no file, prints nothing.
#![forbid(unsafe_code)]

mod chart;
pub mod codes;
mod composition;
mod findings;
mod graph;
mod itf;
mod json;
mod junit;
mod mermaid;
mod never;
mod outcome;
mod outline;
mod picture;
mod progress;
mod reach;
mod retrace;
mod runs;
mod sequence;
mod sketch;
mod specification;
mod story;
mod substitution;
mod svg;
mod text;
mod valuation;
mod waits;
mod xml;

pub use composition::{
    CompositionContent, CompositionDocument, CompositionRecord, ReduceDocument, ReduceStep,
};
pub use findings::{
    DiagnosticsDocument, LintDocument, LintFinding, NamedState, ProjectDocument, ProjectRecord,
    ProjectedRole, QueueRecord, queues_text,
};
pub use graph::{Graph, GraphEdge, GraphNode, NodeShape, SlotText};
pub use itf::itf;
pub use json::{
    CheckDocument, CompareDocument, DifferenceRecord, ReplayDocument, SCHEMA, StatesDocument,
    TestDocument, read_story, story_json,
};
pub use junit::junit;
pub use mermaid::sequence_mermaid;
pub use never::never_text;
pub use outcome::{
    Outcome, Suite, bound_advice, bound_phrase, bounds_phrase, runs_phrase, runs_word,
    show_probability, show_size, story_of,
};
pub use outline::{Fragment, FrameOperator, Outline};
pub use picture::{Theme, picture};
pub use progress::{ProgressDocument, WorkerRecord, workers_line};
pub use reach::{EstimateDocument, Forecast, SimulateDocument};
pub use retrace::{Mismatch, retrace};
pub use runs::{RunsDocument, ShelfRecord};
pub use sequence::sequence_svg;
pub use sketch::sequence_text;
pub use specification::{
    Answered, CommandTest, SpecificationDocument, SpecificationTests, answered_text,
};
pub use story::{Story, StoryEnding, StoryStep};
pub use substitution::{FaultRecord, SubstitutionDocument};
pub use text::{changes_text, ending_lines, state_text, steps_text, story_text};
pub use valuation::{Shown, Valuation};
pub use waits::{Need, Wait};
