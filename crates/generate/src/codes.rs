//! The diagnostics of generation, with their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// A protocol is too large to become a module.
    ///
    /// Generated modules contain the automaton of the protocol, or one for each role, as tables. The protocol is explored
    /// completely for that, and this one has infinitely many states, or so many that the tables would be too large.
    ///
    /// ```text
    /// protocol counter(n = 0) { Tick from a to b; counter(n + 1); }      // never the same state twice
    /// protocol nest { Open from a to b; nest(); Shut from a to b; }      // ever more to shut
    /// ```
    ///
    /// Keep variables and arguments in a range, let a protocol call itself only as the last thing it does, or generate for
    /// smaller arguments. Where many roles act concurrently, their automata are much smaller than that of the whole protocol:
    /// `--variant liberal`.
    G001 = TOO_LARGE;

    /// The liberal variant of a protocol is not faithful to it.
    ///
    /// In the liberal variant each role follows an automaton of its own, and knows no more than what it sent and received.
    /// Where that is not enough to follow the protocol, the module has no liberal variant; the notes show a run in which the
    /// two differ. By default this is a warning, and an error where the liberal variant was requested.
    ///
    /// ```text
    /// either { Order from a to b; Parcel from c to d; }        // how does c know what a has decided?
    /// or { Cancel from a to b; Letter from c to d; }
    /// ```
    ///
    /// A liberal variant that differs in the order of steps of different roles only is faithful; a note says so (`L029`).
    ///
    /// Send a message to the role that must wait. Or generate the strict variant alone with `--variant strict`. Or accept the
    /// difference with `--accept-differences`.
    G002 = UNFAITHFUL;

    /// Two names of a protocol become the same name in Rust.
    ///
    /// Types and variants of Rust are written `LikeThis`, fields and functions `like_this`. Names that differ only in case
    /// become the same. (A role with the name of a message becomes `TokenRole`.)
    ///
    /// ```text
    /// role white, White;
    /// ```
    ///
    /// Rename one of them.
    G003 = SAME_NAME;

    /// A Rust type for a message cannot be used.
    ///
    /// It is given in the protocol with `as`, or on the command line. It must be an owned type of Rust, for a message that the
    /// protocol has.
    ///
    /// ```text
    /// quadrille generate chess.quad --type Move=crate::board::Move
    /// ```
    G004 = BAD_TYPE;

    /// A file is not a protocol.
    ///
    /// Modules are generated from protocols, in files that end in `.quad` or `.dcj` and are UTF-8.
    G006 = LANGUAGE;

    /// A parameter cannot be chosen at run time.
    ///
    /// `--param k=1..=8` generates tables for each value behind one interface. So all values must have the same roles and
    /// families, and no member may disappear as the value grows.
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=1..=8
    /// ```
    ///
    /// Omit values that differ from the others, or generate a module for each value.
    G007 = NOT_UNIFORM;

    /// A protocol has no actions.
    ///
    /// No role performs any action, so the module would have no roles; perhaps because a number of workers is 0.
    ///
    /// ```text
    /// protocol farm { for i in 0..k { Work from master to worker[i]; } }      // with k = 0
    /// ```
    ///
    /// Generate for other arguments.
    G008 = NOTHING_HAPPENS;

    /// Roles of the strict variant cannot run in different processes.
    ///
    /// The strict variant is one automaton for all roles, in one process. In the liberal variant each role has an automaton of
    /// its own, which can run in any process.
    ///
    /// ```text
    /// quadrille generate chess.quad --variant strict --tcp
    /// ```
    ///
    /// Generate the liberal variant, too.
    G009 = ONE_PLACE;

    /// The tables of a module are large.
    ///
    /// The strict variant is the automaton of the whole protocol: roles that act concurrently multiply its states. The compiler
    /// takes minutes for tables of a hundred thousand states.
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=8 --variant liberal
    /// ```
    ///
    /// Generate the liberal variant alone, whose tables have the states of each role, or for smaller arguments.
    G010 = LONG;

    /// A bound was reached before the module could be generated.
    ///
    /// The protocol is explored completely, and so is its liberal variant. A search reached its bound of states, memory or
    /// time; whether a module can be generated is unknown (exit code 3).
    ///
    /// ```text
    /// quadrille generate farm.quad --param k=8 --max-states 10000000
    /// ```
    ///
    /// Raise the bound (`--max-states`, `--max-memory`, `--timeout`), or generate for smaller arguments.
    G011 = BOUND_REACHED;

    /// A name that the text gives to a state is not used.
    ///
    /// `state Deciding of buyer;` names the type of the state that the buyer is in there. A role has one state in two places
    /// if it has seen the same before both, or may do the same from there on; a state has one name, the first in the text. A
    /// role that takes part in nothing has no states.
    ///
    /// ```text
    /// either { state Sold of shop; Buy from buyer to shop; }       // the shop cannot tell which of the two
    /// or { state Left of shop; Leave from buyer to shop; }         // it will be
    /// ```
    ///
    /// Keep one of the names, or write it where the role knows.
    G012 = NAME_UNUSED;
}
