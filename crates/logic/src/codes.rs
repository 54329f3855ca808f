//! The diagnostics of formulas and automata, each with its manual page.

quadrille_diagnostic::codes! {
    ALL:

    /// Something is missing or too much in a formula.
    ///
    /// A formula is built from atoms, `not`, `and`, `or`, `implies`, `iff` and temporal operators.
    /// The message says what could have stood at the place shown. Reading goes on behind it, so
    /// that one run reports every such place.
    ///
    /// ```text
    /// always (request implies )
    /// ```
    ///
    /// Write the missing operand (`always (request implies eventually grant)`) or delete what is
    /// too much. A name that happens to be a reserved word is written in back quotes: `` `next` ``.
    F001 = SYNTAX;

    /// A parenthesis, bracket or quotation is opened and not closed, or closed and not opened.
    ///
    /// ```text
    /// eventually (a and b
    /// ```
    ///
    /// Add the missing one, or delete the one that has no partner.
    F002 = UNBALANCED;

    /// A character that no formula contains.
    ///
    /// ```text
    /// always (a § b)
    /// ```
    ///
    /// Delete it, or put the label it belongs to in double quotes: an action label may contain any
    /// character.
    F003 = STRAY_CHARACTER;

    /// The formula is longer, or nested more deeply, than any formula people write.
    ///
    /// The limits keep a generated or damaged file from exhausting the machine. Split the formula:
    /// the parts of a conjunction can be checked one by one.
    F004 = TOO_LARGE;

    /// Operators of linear time and of branching time stand in one formula.
    ///
    /// `G`, `F`, `U` speak about one run; `AG`, `EF`, `A[p U q]` speak about all the runs from a
    /// state. Their mixture is the logic CTL*, which Quadrille does not check.
    ///
    /// ```text
    /// AG (request -> F grant)
    /// ```
    ///
    /// Write the whole formula in one of the two: `G (request -> F grant)` or
    /// `AG (request -> AF grant)`. Where one part needs the one and another part the other, check
    /// two formulas.
    F005 = MIXED_TIME;

    /// A linear operator that looks forward stands below one that looks back.
    ///
    /// Operators that look back (`previously`, `once`, `historically`, `since`) may be used anywhere
    /// in a linear formula, over operands that look back themselves or have no temporal operator.
    ///
    /// ```text
    /// G (grant -> O (request & F done))
    /// ```
    ///
    /// Move the forward part out: `G (grant -> O request)` and `G (request -> F done)` are two
    /// formulas that say it.
    F006 = FUTURE_UNDER_PAST;

    /// `always` (or another word) covers less than the sentence suggests.
    ///
    /// Operators with one operand bind most tightly, however they are spelled.
    /// `always a implies b` therefore means `(always a) implies b`, although English reads it
    /// as `always (a implies b)`.
    ///
    /// ```text
    /// always request implies eventually grant
    /// ```
    ///
    /// Put parentheses around what belongs together: `always (request implies eventually grant)`, or
    /// `(always request) implies eventually grant`.
    F007 = NARROW_OPERATOR;

    /// A linear formula mentions more atoms than an automaton can tell apart.
    ///
    /// A step of a run is looked at as one machine word, a bit for each atom: 64 at most. Check
    /// the parts of the formula one by one, or use wildcards so that one atom stands for many
    /// actions.
    F008 = TOO_MANY_ATOMS;

    /// The automaton of a linear formula would be too large.
    ///
    /// A formula is translated into an automaton whose size can be exponential in the number of
    /// temporal operators. The translation stops at a limit rather than fill the memory.
    ///
    /// Conjunctions are the usual cause, and they can be split: a system satisfies `p and q` exactly
    /// when it satisfies `p` and satisfies `q`.
    F009 = AUTOMATON_TOO_LARGE;

    /// An automaton file is not in the Hanoi Omega-Automata format.
    ///
    /// The format is described at <https://adl.github.io/hoaf/>; version 1 is read. The message
    /// says what is wrong and, where it is known, where.
    F010 = HOA_SYNTAX;

    /// An automaton file uses a part of its format that Quadrille does not handle.
    ///
    /// Generalised Büchi acceptance (`Acceptance: n Inf(0)&Inf(1)…`, `Buchi`, `generalized-Buchi`,
    /// `all`) with explicit edge labels and without universal branching is read. Convert the
    /// automaton first, for example with `autfilt --gba` of Spot.
    F011 = HOA_UNSUPPORTED;
}
