//! The manual pages of what can be wrong with a report that is read back.

quadrille_diagnostic::codes! {
    ALL:

    /// The file is not a trace that Quadrille wrote.
    ///
    /// A trace file is one JSON object with `"schema": "quadrille/1"`. `quadrille check` writes
    /// one with `--trace-out FILE.json`; the object that `--format json` prints is accepted too, as
    /// long as one of its findings carries a trace. `docs/json.md` describes every field.
    ///
    /// Other formats (`.itf.json`, `.svg`, `.mmd`, `.txt`) are for reading, not for replaying.
    R001 = NOT_A_TRACE;

    /// The trace was written by a version of Quadrille with another schema.
    ///
    /// The number after the slash in `"schema": "quadrille/1"` grows when a field changes its
    /// meaning. Run the check again with this version to get a fresh trace.
    R002 = OTHER_SCHEMA;

    /// The graph is too large to be drawn.
    ///
    /// A picture of more than a few dozen states is of no help. Draw a smaller instance, draw a
    /// trace instead (`--trace`), raise the limit with `--max-states`, or write DOT
    /// (`-o graph.dot`), whose limit is higher, and let Graphviz try.
    R003 = TOO_LARGE_TO_DRAW;

    /// A theme of pictures is not understood.
    ///
    /// Each line is `hide NAME`, `attribute NAME` (a field inside of boxes instead of arrows) or
    /// `colour NAME #rrggbb`; lines that begin with `--` are comments.
    R004 = BAD_THEME;
}
