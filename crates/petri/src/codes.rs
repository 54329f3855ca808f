//! What can be wrong with a net or with formulas about it. The doc comment of each code is its manual
//! page; the example on the page reports the code, which a test checks.

quadrille_diagnostic::codes! {
    ALL:

    /// A text is not well-formed XML.
    ///
    /// Elements must be closed in the order in which they were opened, and attributes stand in quotes.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"></pnml>
    /// ```
    ///
    /// Close the element that is named, or correct the character that is pointed at.
    X001 = NOT_XML;

    /// A file holds no place/transition net.
    ///
    /// Read are nets of the type `http://www.pnml.org/version-2009/grammar/ptnet` of ISO/IEC 15909-2:
    /// places, transitions and arcs with weights. Symmetric (coloured) nets, high-level nets and nets
    /// of other tools are refused.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"></net></pnml>
    /// ```
    ///
    /// Unfold the net with the tool that made it, and save it as a place/transition net.
    X002 = NO_NET;

    /// Something of a net is declared twice, or without an identifier.
    ///
    /// Places, transitions and units are called by their `id`, in arcs and in formulas.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    /// <place id="p"/><place id="p"/>
    /// </page></net></pnml>
    /// ```
    ///
    /// Give each an identifier of its own.
    X003 = IDENTIFIER;

    /// A number of a net cannot be read.
    ///
    /// Markings are natural numbers and weights of arcs positive ones, below 2^31.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    /// <place id="p"><initialMarking><text>-1</text></initialMarking></place>
    /// </page></net></pnml>
    /// ```
    ///
    /// Write the number with digits only.
    X004 = NUMBER;

    /// An arc, a unit or a formula names something that the net does not have.
    ///
    /// An arc goes from a place to a transition or from a transition to a place.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    /// <place id="p"/><arc id="a" source="p" target="t"/>
    /// </page></net></pnml>
    /// ```
    ///
    /// Correct the name, or declare what it names.
    X005 = UNKNOWN;

    /// A net has something that is not understood and would change what it does.
    ///
    /// Arcs with an `inscription` that is a term, inhibitor, reset or read arcs, and transitions with
    /// guards are none of place/transition nets.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    /// <place id="p"/><transition id="t"/>
    /// <arc id="a" source="p" target="t"><type value="inhibitor"/></arc>
    /// </page></net></pnml>
    /// ```
    ///
    /// Express it by places and arcs with weights.
    X006 = NOT_UNDERSTOOD;

    /// A formula of a property file cannot be read.
    ///
    /// Formulas are those of the Model Checking Contest: `all-paths` and `exists-path` before `finally`,
    /// `globally`, `next` and `until`; `conjunction`, `disjunction`, `negation`; `integer-le` between
    /// sums of `tokens-count` and constants; `is-fireable`; `deadlock`; `place-bound`.
    ///
    /// ```xml
    /// <property-set><property><id>one</id><formula><maybe/></formula></property></property-set>
    /// ```
    ///
    /// Correct the element that is pointed at.
    X007 = FORMULA;
}
