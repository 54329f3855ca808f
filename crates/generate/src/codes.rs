//! The codes of what keeps a protocol from becoming a module, with their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// A protocol is too large to become a module.
    ///
    /// Generated modules hold the automaton of the protocol, or one for each role, as tables. The protocol is
    /// explored completely for that, and this one has no end of states, or so many that its tables would be too long for
    /// a text.
    ///
    /// ```text
    /// protocol counter(n = 0) { Tick from a to b; counter(n + 1); }      // never the same state twice
    /// protocol nest { Open from a to b; nest(); Shut from a to b; }      // ever more to shut
    /// ```
    ///
    /// Keep variables and arguments in a range, let a protocol call itself only as the last thing it does, or generate for
    /// smaller arguments. Where many roles work side by side, their automata are much smaller than that of the
    /// whole: `--form liberal`.
    G001 = TOO_LARGE;

    /// The liberal form of a protocol would not do what the protocol says.
    ///
    /// In the liberal form each role follows an automaton of its own, and knows no more than what it sent and
    /// received. Where that is not enough to follow the protocol no liberal module is made; the notes tell a
    /// run that shows it.
    ///
    /// ```text
    /// Order from a to b;
    /// Parcel from c to d;        // how does c know that a has ordered?
    /// ```
    ///
    /// Send a message to the role that must wait. Or generate the strict form alone with `--form strict`: there
    /// everybody asks one machine. Or accept the difference with `--accept-differences`.
    G002 = UNFAITHFUL;

    /// Two names of a protocol become the same name in Rust.
    ///
    /// Types and variants of Rust are written `LikeThis`, fields and functions `like_this`. Names that differ
    /// only in that cannot be told apart. (A role that is called like a message is: `TokenRole`.)
    ///
    /// ```text
    /// role white, White;
    /// ```
    ///
    /// Rename one of them.
    G003 = SAME_NAME;

    /// A Rust type for a message cannot be used.
    ///
    /// It is given in the protocol with `as`, or on the command line; there it must be a type of Rust for a
    /// message that the protocol has.
    ///
    /// ```text
    /// quadrille generate chess.quad --type Move=crate::board::Move
    /// ```
    G004 = BAD_TYPE;

    /// A file is in no language of protocols.
    ///
    /// Modules are generated from protocols, in files that end in `.quad` or `.dcj` and are UTF-8.
    G006 = LANGUAGE;

    /// A parameter cannot be chosen when the module is run.
    ///
    /// `--param k=1..=8` makes a module for each value, behind one interface. So each value must have the same roles and
    /// families, and no member that goes away as the value grows.
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=1..=8
    /// ```
    ///
    /// Leave out values that are not like the others, or generate a module for each value.
    G007 = NOT_UNIFORM;

    /// Nothing happens in a protocol.
    ///
    /// Nobody sends or does anything, so there is no role that a module could be made for; perhaps because a number of
    /// workers is 0.
    ///
    /// ```text
    /// protocol farm { for i in 0..k { Work from master to worker[i]; } }      // with k = 0
    /// ```
    ///
    /// Generate for other arguments.
    G008 = NOTHING_HAPPENS;

    /// Roles that cannot run in different processes were to be connected.
    ///
    /// The strict form is one machine that everybody asks; it is in one place. In the liberal form each role has a machine
    /// of its own, and those may be anywhere.
    ///
    /// ```text
    /// quadrille generate chess.quad --form strict --tcp
    /// ```
    ///
    /// Generate the liberal form, too.
    G009 = ONE_PLACE;

    /// The tables of a module are large.
    ///
    /// The strict form is the automaton of the whole protocol, written out in the module: roles that do something at the same
    /// time multiply its states. The compiler takes minutes for tables of hundred thousand states.
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=8 --form liberal
    /// ```
    ///
    /// Generate the liberal form alone, whose tables have the states of each role, or for smaller arguments.
    G010 = LONG;

    /// A bound was reached before a module could be made.
    ///
    /// The protocol is explored completely, and so is its liberal form. A search met more states, or took more memory or
    /// time, than it may; whether there could be a module is not known (exit code 3).
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=8 --max-states 10000000
    /// ```
    ///
    /// Raise the bound (`--max-states`, `--max-memory`, `--timeout`), or generate for smaller arguments.
    G011 = BOUND_REACHED;
}
