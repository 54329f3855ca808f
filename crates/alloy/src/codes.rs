//! The diagnostics of Alloy texts, each with its manual page.

quadrille_diagnostic::codes! {
    ALL:

    /// Something is not written as Alloy 6 has it.
    ///
    /// The message says what could have stood at the place shown.
    ///
    /// ```als
    /// sig Node { next lone Node }
    /// ```
    ///
    /// Write `next : lone Node`.
    Y001 = SYNTAX;

    /// Something is nested too deeply.
    ///
    /// Expressions may lie 120 deep within each other. Give a part of it a name of its own, with
    /// `pred` or `fun`.
    Y002 = NESTED;

    /// A name means nothing here, or several things.
    ///
    /// Names are those of signatures, fields, predicates, functions, variables, in this module and in
    /// those it opens. Names are case-sensitive.
    ///
    /// ```als
    /// sig Node { next : lone Node }
    /// run { some nxt }
    /// ```
    ///
    /// Write `next`, or declare what is meant.
    Y003 = NAME;

    /// Several meanings of a name fit equally well, or none does.
    ///
    /// Fields of different signatures, predicates and functions may share a name. What is around
    /// decides which one is meant. Where that does not suffice, write the path of the module, or
    /// restrict a field: `Node <: next`.
    Y004 = AMBIGUOUS;

    /// An expression is of another kind than what is needed: a formula, a set, an integer.
    ///
    /// ```als
    /// sig Node {}
    /// run { Node }
    /// ```
    ///
    /// Write `some Node`.
    Y005 = TYPE;

    /// The numbers of columns of relations do not fit.
    ///
    /// ```als
    /// sig Node { next : lone Node }
    /// run { next = Node }
    /// ```
    ///
    /// Write `Node.next = Node`, or compare what has the same number of columns.
    Y006 = ARITY;

    /// A multiplicity stands where none is allowed.
    ///
    /// `one`, `lone`, `some` and `set` say in declarations how many there are, and to the right of
    /// `in`.
    Y007 = MULTIPLICITY;

    /// A module cannot be opened.
    ///
    /// Paths are seen from the folder in which the names of modules begin: `module a/b` in `a/b.als`
    /// opens `a/c` as `a/c.als`. Modules `util/…` come with Quadrille. No module opens itself.
    Y008 = OPEN;

    /// A signature is declared in a way that has no meaning.
    ///
    /// `abstract` and `one` say how atoms of a signature are made, so a subset (`in`) cannot be `abstract`, and
    /// what stands behind `extends` is one signature and not a set.
    Y009 = SIG;

    /// A signature belongs to itself.
    ///
    /// ```als
    /// sig A extends B {}
    /// sig B extends A {}
    /// ```
    ///
    /// Remove one `extends`.
    Y010 = CIRCLE;

    /// Two fields or parameters share a name where an atom could have both.
    ///
    /// Fields of signatures that have no atom in common may be called alike; here some atom would have two
    /// fields of that name. Rename one of them.
    Y011 = CLASH;

    /// A scope has no meaning.
    ///
    /// ```als
    /// one sig Lock {}
    /// run {} for 2 Lock
    /// ```
    ///
    /// A signature with `one` has one atom: remove it from the scope.
    Y012 = SCOPE;

    /// A part of an expression does not matter: it is always empty, or always the same.
    ///
    /// ```als
    /// sig A {}
    /// sig B {}
    /// run { some A & B }
    /// ```
    ///
    /// Atoms of `A` are never in `B`: something else was probably meant.
    Y013 = IRRELEVANT;

    /// A variable is bound and not used.
    ///
    /// `all a : A | some B` says the same for each atom of `A`: leave out the variable, or use it in the body.
    Y014 = UNUSED;

    /// A question ranges over sets or relations where that cannot be answered.
    ///
    /// `some s : set A | …` is answered where no `all` is around it and it does not have to hold again
    /// and again; `all s : set A | …` in what a `check` asks, or where there are few such sets.
    Y015 = HIGHER_ORDER;

    /// A predicate or function calls itself.
    ///
    /// What calls itself has no finite meaning here. Use a closure (`^r`, `*r`), or one predicate
    /// for each level.
    Y016 = RECURSION;

    /// Something of Alloy is not supported.
    ///
    /// The message names it. Nothing is ignored: the specification is not checked at all until that part is
    /// written in another way.
    Y017 = UNSUPPORTED;

    /// There is no such command.
    ///
    /// `--command NAME` and `eval` name a `run` or `check` of the file by its label, or by the predicate or
    /// assertion that it is about. The message lists those that there are.
    Y018 = COMMAND;
}
