//! What can be wrong with annotated Rust traits, and with components whose frame is wanted. The doc comment of each code is its manual page.

quadrille_diagnostic::codes! {
    ALL:

    /// A Rust text cannot be read.
    ///
    /// Frames are derived from the traits of a text that the compiler would accept.
    ///
    /// ```text
    /// trait Door { fn open(&mut self) }
    /// ```
    ///
    /// Correct the place shown; here a `;` is missing.
    B001 = RUST;

    /// An annotation cannot be read.
    ///
    /// A line of a trait's documentation that begins with `protocol:` names the state it starts in and
    /// those it may end in: `protocol: starts closed, ends closed`. A line of a method's documentation
    /// says where it may be called and where that leads, perhaps with what the method calls in turn
    /// and with exceptions: `protocol: open { !Card.charge } -> open, throws Refused -> open`.
    ///
    /// ```text
    /// /// protocol: starts closed, ends closed
    /// trait Door {
    ///     /// protocol: closed to open
    ///     fn open(&mut self);
    /// }
    /// ```
    ///
    /// Correct the line shown; here `to` should be `->`.
    B002 = ANNOTATION;

    /// A trait, or a role, cannot come to an end.
    ///
    /// From one of its states, nothing that it does leads to a state in which it may end. A behavior
    /// protocol describes what comes to an end.
    ///
    /// ```text
    /// /// protocol: starts closed, ends closed
    /// trait Door {
    ///     /// protocol: closed -> open
    ///     fn open(&mut self);
    /// }
    /// ```
    ///
    /// Add the missing way, or let it end in more states.
    B003 = NEVER_ENDS;

    /// The protocol of a trait, or of a role, would be too large.
    ///
    /// States with many ways between them make a long protocol. Split the trait or the protocol, or write the
    /// frame by hand.
    B004 = TOO_LARGE;

    /// A component has no frame.
    ///
    /// The frame of a component is what it does at its boundary, one event at a time. A component that takes
    /// part in atomic actions of several events (`[!a^, !b^]`) or in meetings (`&start`) cannot be followed there,
    /// nor one whose automaton would be too large.
    ///
    /// Write such actions as events of their own, or follow other components.
    B005 = NO_FRAME;

    /// A component has no double.
    ///
    /// A double is Rust: a trait for each interface, whose methods are called one at a time. Some frames cannot
    /// be written so: names without an interface, interfaces that the component both calls and offers,
    /// traits with methods that are asynchronous, generic or give what borrows.
    ///
    /// `docs/frames.md` says what doubles can do.
    B006 = NO_DOUBLE;
}
