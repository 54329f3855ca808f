//! The manual pages of what the command itself has to say.

quadrille_diagnostic::codes! {
    ALL:

    /// A file cannot be written.
    ///
    /// Files are written under a temporary name in the same folder and then renamed, so that no
    /// reader ever sees half of one. The folder must exist and be writable.
    ///
    /// Generated files replace generated files only, which say so in their first lines. A file written by hand is left
    /// alone.
    Q002 = UNWRITABLE;

    /// There is no diagnostic with this code.
    ///
    /// `quadrille explain` without an argument lists all codes.
    Q008 = UNKNOWN_CODE;

    /// The format of an output file is not known.
    ///
    /// The format follows from the name: `.txt`, `.json`, `.itf.json`, `.svg` and `.mmd` for
    /// traces; `.svg`, `.mmd` and `.dot` for graphs.
    Q009 = UNKNOWN_FORMAT;

    /// A trace does not fit the model.
    ///
    /// `quadrille replay` and `quadrille draw --trace` follow the trace on the model by names: the
    /// slots of the state, the labels of the actions, the values. Where the model was changed since
    /// the trace was written, the trace may no longer be one of its runs. Check again.
    Q010 = DOES_NOT_FIT;

    /// A file of formulas holds none.
    ///
    /// Formulas are separated by blank lines; `//` starts a comment.
    ///
    /// ```text
    /// // every request is answered
    /// G ("ask" -> F "answer")
    ///
    /// G !crowded
    /// ```
    Q013 = NO_FORMULA;

    /// There is nothing to test.
    ///
    /// `quadrille test` runs the properties of `.quad` files, and manifests: `.toml` files with
    /// `[[check]]`. Folders are searched for both.
    Q018 = NOTHING_TO_TEST;

    /// A role is asked for that the protocol does not have.
    ///
    /// Roles are written as traces show them: `alice`, `worker[0]`.
    Q022 = UNKNOWN_ROLE;

    /// What a role does in two protocols cannot be compared.
    ///
    /// `quadrille substitute` compares roles by the names of messages. In one of the protocols the same
    /// message leads the role to different states, since it carries which branch its sender has taken.
    ///
    /// Give messages that say something different different names.
    Q028 = NOT_COMPARABLE;

    /// A file is no protocol.
    ///
    /// `lint`, `project`, `monitor` and the views of `draw` are about protocols: `.quad` and `.dcj`
    /// files.
    Q023 = NO_PROTOCOL;

    /// There is no instance to evaluate an expression on.
    ///
    /// `quadrille eval` looks for the first instance of a command. A `check` that holds has none.
    Q027 = NO_INSTANCE;
}
