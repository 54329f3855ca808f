//! The manual pages of what is said about files, selections and formulas.

quadrille_diagnostic::codes! {
    ALL:

    /// A file cannot be read.
    ///
    /// It does not exist, is a directory, or may not be read. Paths are relative to the folder the
    /// command is run in.
    Q001 = UNREADABLE;

    /// The kind of a file is not known.
    ///
    /// Quadrille tells kinds apart by what stands after the last dot of the name:
    ///
    /// - `.quad`: protocols with their properties;
    /// - `.dcj`: protocols in Discourje's language;
    /// - `.net`: a network of participants and channels;
    /// - `.ia`: a network in positional form;
    /// - `.bp`: components with their behavior protocols;
    /// - `.arch`: an architecture of components;
    /// - `.qev`: a design of relations and events;
    /// - `.tno`: a design in Taino's form;
    /// - `.als`, also `.ele`: a specification in Alloy 6, which `check`, `test` and `eval` read;
    /// - `.aut`: a transition system in Aldebaran format;
    /// - `.pnml`: a Petri net.
    ///
    /// Rename the file.
    Q003 = UNKNOWN_KIND;

    /// A file is not text in UTF-8.
    ///
    /// The place of the first byte that does not fit is shown. Convert the file, for example with
    /// `iconv -f LATIN1 -t UTF-8`.
    Q004 = NOT_UTF8;

    /// A formula asks for an action that the model does not have.
    ///
    /// An action is written by its label in double quotes, as the model writes it. If the action
    /// were simply never performed, `G !"label"` would hold for a typing mistake too; so a label
    /// that nothing bears is an error.
    ///
    /// ```text
    /// quadrille check examples/philosophers.net --formula 'G F "eat_with_chopsticks"'
    /// ```
    ///
    /// Correct the label, or write a proposition without quotes.
    Q006 = UNKNOWN_ACTION;

    /// A formula asks for a proposition that the model does not have.
    ///
    /// A proposition is written as a bare name. In `.net` files propositions are declared with
    /// `prop`; `.aut` files have none. Labels of actions stand in double quotes.
    ///
    /// ```text
    /// quadrille check examples/philosophers.net --formula 'G hungry'
    /// ```
    ///
    /// Correct the name, or put the label of an action in quotes.
    Q007 = UNKNOWN_PROPOSITION;

    /// The model does not repeat itself.
    ///
    /// Every counterexample is replayed before it is reported; this one could not be. A model must
    /// give the same answers to the same questions. For the models that Quadrille reads from files
    /// this is a bug in Quadrille: please report it.
    Q011 = UNREPEATABLE;

    /// The options contradict each other or the model.
    ///
    /// The message says which ones, and what to use instead.
    Q012 = CONTRADICTION;

    /// Fairness is asked for steps that the model does not have.
    ///
    /// `--fair weak=NAME` and `--fair strong=NAME` mean the steps of that name: in `.net` files the
    /// label of the templates, in `.aut` files the label of the transitions.
    Q014 = UNKNOWN_GROUP;

    /// It is not clear which protocol of a file is selected.
    ///
    /// A file with one protocol needs no name; with several, name one of them, and give its
    /// arguments in order.
    ///
    /// ```text
    /// quadrille check tokens.dcj --protocol ring --arg 4 --arg 0
    /// ```
    Q015 = WHICH_PROTOCOL;

    /// There is too much that a role can know.
    ///
    /// The automaton of a role is made of sets of states of the whole protocol: all that it may be in, as far as
    /// the role knows. Where messages must carry what their senders know there can be very many such
    /// sets, or it takes very long to find them; then the projection is given up, and the answer is *unknown*
    /// (exit code 3). Project a smaller instance, or stay with the strict form, which needs no projection.
    Q016 = TOO_LARGE_TO_PROJECT;

    /// A property is asked for that the protocol does not have.
    ///
    /// Properties belong to a protocol: `property p of ring(4): …` is checked on `ring` with the
    /// argument 4 only. Name the protocol with `--protocol` and its arguments with `--arg`, or run all
    /// properties of the file with `quadrille test`.
    Q019 = UNKNOWN_PROPERTY;

    /// There are no components to put together.
    ///
    /// A `.bp` file is a sequence of `NAME protocol`; of a folder, the `.bp` files directly in it are
    /// taken.
    ///
    /// ```bp
    /// Client !Desk.ask
    /// Clerk  ?Desk.ask*
    /// ```
    Q021 = NO_COMPONENT;

    /// A formula names a role, a message or an action that the module does not have.
    ///
    /// A misspelt name would make `always not …` hold whatever the module does, so it is refused.
    ///
    /// ```text
    /// always (not Blakc sends Move)      // there is a role `Black`
    /// ```
    V001 = UNKNOWN_NAME;

    /// A formula was asked with the wrong method.
    ///
    /// A formula with path quantifiers (`AG`, `EF` …) is one of branching time: ask it with `ctl`. One without is one of
    /// linear time, about all runs: ask it with `ltl`.
    V002 = OTHER_KIND;

    /// A form of a protocol has no variables.
    ///
    /// The strict and the liberal form, and the modules that are generated of them, are made of messages alone;
    /// what the variables of the protocol hold can be asked of the protocol itself only. Leave `--form`
    /// out, or write a formula about the messages.
    Q020 = NO_VARIABLES;

    /// A protocol has no initial state.
    ///
    /// What happens first cannot be computed, so that there is nothing to explore. The problems of the
    /// protocol say why.
    Q024 = NO_START;

    /// An automaton cannot be used as a property.
    ///
    /// The atoms of an automaton in the Hanoi format are written like atoms of formulas about the model: a
    /// proposition, an action, or what a role does. As a property it says which runs are allowed, and must be
    /// deterministic; given with `--never`, it says which runs must not be, and may be any.
    ///
    /// ```text
    /// AP: 2 "eats" "a sends Move"
    /// ```
    Q025 = AUTOMATON;

    /// A verdict with reduction differs from the verdict without.
    ///
    /// `--reduction check` explores a model with and without partial-order reduction and compares. They
    /// must agree: where they do not, the model declares something about its steps that is not true, or
    /// there is a bug in the reduction. For the models that Quadrille reads from files both are bugs in
    /// Quadrille: please report it, and use `--reduction off`.
    Q026 = REDUCTION;

    /// The folder of a search cannot be used.
    ///
    /// `--store disk=FOLDER` keeps the states of a search in files, and a manifest that names them. The
    /// message says what is wrong: the disk is full, a file was changed since it was written, the search
    /// in the folder is of another model or was asked something else, or another search uses it.
    ///
    /// Nothing is lost by a full disk or a killed process: the search goes on from its last complete
    /// level.
    ///
    /// ```text
    /// quadrille states examples/philosophers.net --store disk=phil.runs --resume
    /// quadrille runs phil.runs
    /// ```
    ///
    /// A damaged file cannot be mended: delete the search and begin again.
    Q030 = UNUSABLE;

    /// The processes of a cluster cannot search together.
    ///
    /// `quadrille cluster` shares a search out among processes. The message says which of them is the
    /// reason: one cannot be reached or did not come in time, does not know the same secret, has another
    /// model or other options, died, or said nothing for longer than `--patience`. All others end then,
    /// and no verdict is given.
    ///
    /// With `--store disk=FOLDER`, nothing is lost but the level that was begun: run the same command
    /// with `--resume` in all processes.
    ///
    /// ```text
    /// quadrille cluster local --processes 2 examples/philosophers.net --store disk=phil.runs --resume
    /// ```
    Q031 = CLUSTER;
}
