//! What can be wrong with an architecture, and with components that are put together. The doc comment of each code is its manual page; the
//! example on the page reports the code, which a test checks.

quadrille_diagnostic::codes! {
    ALL:

    /// An interface is not known.
    ///
    /// A component has the interfaces it declares with `provides` and `requires`, each of an
    /// `interface` of the file. Protocols speak about events on these interfaces only; bindings join
    /// interfaces of the parts, written `part.Interface`.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// component Clerk { provides Desk protocol { ?Desk.ask* } }
    /// component Office {
    ///   contains clerk : Clerk
    ///   provides Desk
    ///   delegate Desk to clerk.Counter
    ///   protocol { ?Desk.ask* }
    /// }
    /// ```
    ///
    /// Correct the name, or declare the interface.
    S001 = UNKNOWN_INTERFACE;

    /// A component is not known.
    ///
    /// `contains NAME : COMPONENT` names a component of the file, a binding a part of the same
    /// composite, and `protocol NAME in "FILE.bp"` a component of that file.
    ///
    /// ```arch
    /// component Office { contains clerk : Clerk }
    /// ```
    ///
    /// Correct the name, or describe the component.
    S002 = UNKNOWN_COMPONENT;

    /// Calls on one interface would go to two providers.
    ///
    /// A required interface of a part, and a provided interface of the composite, is joined to one
    /// provider. One provider may serve several callers.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// component Clerk { provides Desk protocol { ?Desk.ask* } }
    /// component Client { requires Desk protocol { !Desk.ask } }
    /// component Office {
    ///   contains client : Client
    ///   contains one : Clerk
    ///   contains two : Clerk
    ///   bind client.Desk to one.Desk
    ///   bind client.Desk to two.Desk
    /// }
    /// ```
    ///
    /// Remove one of the bindings, or give the component two interfaces.
    S003 = TWO_PROVIDERS;

    /// An interface is used from the wrong side.
    ///
    /// Calls go out on required interfaces and come in on provided ones. `bind` leads from a required
    /// interface of a part to a provided one of another part, `delegate` from a provided interface of
    /// the composite to a provided one of a part, `subsume` from a required interface of a part to a
    /// required one of the composite.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// component Clerk { provides Desk protocol { !Desk.ask } }
    /// ```
    ///
    /// Exchange `provides` and `requires`, or `!` and `?`, or the ends of the binding.
    S004 = WRONG_SIDE;

    /// A method is not declared by its interface.
    ///
    /// ```arch
    /// interface Desk { ask; leave }
    /// component Client { requires Desk protocol { !Desk.aks } }
    /// ```
    ///
    /// Correct the name, or declare the method.
    S005 = UNDECLARED_METHOD;

    /// An exception is not declared by its interface.
    ///
    /// Which exceptions a method may throw is part of the interface: `ask throws Busy`.
    ///
    /// ```arch
    /// interface Desk { ask throws Busy }
    /// component Clerk { provides Desk protocol { ?Desk.ask { NULL + throw !Closed }* } }
    /// ```
    ///
    /// Correct the name, or declare the exception.
    S006 = UNDECLARED_EXCEPTION;

    /// A composite contains itself.
    ///
    /// ```arch
    /// component Office { contains wing : Wing }
    /// component Wing { contains office : Office }
    /// ```
    ///
    /// Take one of the parts out.
    S007 = RECURSIVE;

    /// A required interface is used but not bound.
    ///
    /// A call on it is not accepted, which is a bad activity of the composite: against its frame, or among its
    /// parts if it has none.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// component Client { requires Desk protocol { !Desk.ask } }
    /// component Office { contains client : Client }
    /// ```
    ///
    /// Bind it to a provider, `subsume` it, or say `external client.Desk` if its provider is not
    /// described.
    S008 = UNBOUND;

    /// An interface that a composite provides has no provider inside.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// component Clerk { provides Desk protocol { ?Desk.ask* } }
    /// component Office {
    ///   provides Desk
    ///   contains clerk : Clerk
    ///   protocol { ?Desk.ask* }
    /// }
    /// ```
    ///
    /// Delegate it to a part: `delegate Desk to clerk.Desk`.
    S009 = NO_PROVIDER;

    /// Two things have the same name.
    ///
    /// Interfaces of a file, its components, the interfaces and the parts of a component, and the
    /// methods of an interface have different names.
    ///
    /// ```arch
    /// interface Desk { ask; ask }
    /// ```
    ///
    /// Rename one of them.
    S010 = CLASH;

    /// A component has no protocol where one is needed.
    ///
    /// A component without parts is nothing but its frame protocol. A composite needs one as soon as
    /// another composite contains it.
    ///
    /// ```arch
    /// component Clerk { }
    /// ```
    ///
    /// Write `protocol { … }` or `protocol in "FILE.bp"`.
    S011 = NO_PROTOCOL;

    /// Two interfaces that are joined do not fit.
    ///
    /// The provider must have every method that the caller may call, and may throw only what the
    /// caller's interface declares.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// interface Counter { ask; leave }
    /// component Clerk { provides Desk protocol { ?Desk.ask* } }
    /// component Client { requires Counter protocol { !Counter.ask } }
    /// component Office {
    ///   contains client : Client
    ///   contains clerk : Clerk
    ///   bind client.Counter to clerk.Desk
    /// }
    /// ```
    ///
    /// Let both be of one interface, or add what is missing.
    S012 = MISFIT;

    /// The automata of components would be too large.
    ///
    /// Building a component stops at two million states of its parts, putting components together
    /// where a network cannot hold them. Split the component, or repeat less of it in parallel.
    S013 = TOO_LARGE;

    /// Bad activity: an event is emitted, and no component can accept it at that moment.
    ///
    /// An emission does not wait. If a component calls, responds or throws, the component bound to it must
    /// be ready.
    ///
    /// ```arch
    /// interface Desk { ask; leave }
    /// component Clerk { provides Desk protocol { ?Desk.ask ; ?Desk.leave } }
    /// component Client { requires Desk protocol { !Desk.leave } }
    /// component Office {
    ///   contains clerk : Clerk
    ///   contains client : Client
    ///   bind client.Desk to clerk.Desk
    /// }
    /// ```
    ///
    /// Let the other component accept the event there, or do not emit it.
    S020 = BAD_ACTIVITY;

    /// No activity (deadlock): no component can continue, and at least one has not finished.
    ///
    /// Only acceptances of events are enabled that no component emits.
    ///
    /// ```arch
    /// interface Desk { ask }
    /// interface Call { next }
    /// component Clerk { provides Desk requires Call protocol { ?Desk.ask ; !Call.next } }
    /// component Client { provides Call requires Desk protocol { ?Call.next ; !Desk.ask } }
    /// component Office {
    ///   contains clerk : Clerk
    ///   contains client : Client
    ///   bind client.Desk to clerk.Desk
    ///   bind clerk.Call to client.Call
    /// }
    /// ```
    ///
    /// Let one of the components emit first.
    S021 = NO_ACTIVITY;

    /// Infinite activity: the components run for ever and can never finish.
    ///
    /// From some point on every step leads to another one, and there is no way to a configuration
    /// where all components may end.
    ///
    /// ```arch
    /// interface Desk { ask; leave }
    /// component Clerk { provides Desk protocol { ?Desk.ask^ ; (?Desk.leave^ ; ?Desk.ask^)* } }
    /// component Client { requires Desk protocol { (!Desk.ask^ ; !Desk.leave^)* } }
    /// component Office {
    ///   contains clerk : Clerk
    ///   contains client : Client
    ///   bind client.Desk to clerk.Desk
    /// }
    /// ```
    ///
    /// Let the components leave the loop at the same moment.
    S022 = INFINITE_ACTIVITY;
}
