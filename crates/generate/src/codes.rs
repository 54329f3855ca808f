//! The codes of what keeps a protocol from becoming a module, with their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// A protocol is too large to become a module.
    ///
    /// Generated modules hold the automaton of the protocol, or one for each role, as tables. The protocol is
    /// explored completely for that, and this one has more states than the bound allows, or no end of them.
    ///
    /// ```text
    /// protocol Counter(n: Int) { A -> B: Tick  Counter(n + 1) }      // never the same state twice
    /// ```
    ///
    /// Keep variables and arguments in a range, generate for smaller arguments, or raise the bound.
    G001 = TOO_LARGE;

    /// The liberal form of a protocol would not do what the protocol says.
    ///
    /// In the liberal form each role follows an automaton of its own, and knows no more than what it sent and
    /// received. Where that is not enough to follow the protocol no liberal module is made; the notes tell a
    /// run that shows it.
    ///
    /// ```text
    /// A -> B: Order
    /// C -> D: Parcel        // how does C know that A has ordered?
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

    /// A text has several sessions, and none was named.
    ///
    /// ```text
    /// (s/defsession ::ping [] …)
    /// (s/defsession ::pong [] …)
    /// ```
    ///
    /// Name one of them, and give its arguments in order.
    G005 = WHICH_SESSION;

    /// A file is in no language of protocols.
    ///
    /// Modules are generated from protocols, in files that end in `.quad` or `.dcj`.
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
}
