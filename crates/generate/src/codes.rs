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
}
