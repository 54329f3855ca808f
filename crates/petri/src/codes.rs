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

    /// A file holds no place/transition net and no symmetric net.
    ///
    /// Read are nets of the types `http://www.pnml.org/version-2009/grammar/ptnet`, `symmetricnet` and
    /// `pnmlcoremodel` of ISO/IEC 15909-2. Other high-level nets and nets of other tools are refused. Written as nets
    /// are those, and networks (`.net`) without channels.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/highlevelnet"></net></pnml>
    /// ```
    ///
    /// Save the net as a symmetric net, or unfold it with the tool that made it.
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
    /// Place/transition nets have no colours and no conditions; symmetric nets have enumerations, ranges,
    /// products and dots, and no other sorts and terms. Inhibitor, reset and read arcs are in neither.
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

    /// Colours of a symmetric net do not fit.
    ///
    /// The term of an arc, or of an initial marking, is of the sort of its place; the two sides of a
    /// comparison are of one sort, or integers; a constant is in its range; and nothing is taken
    /// out of a multiset that does not have it.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
    /// <declaration><structure><declarations><namedsort id="Side" name="Side"><cyclicenumeration>
    /// <feconstant id="left" name="left"/><feconstant id="right" name="right"/>
    /// </cyclicenumeration></namedsort></declarations></structure></declaration><page id="g">
    /// <place id="p"><type><structure><usersort declaration="Side"/></structure></type>
    /// <hlinitialMarking><structure><dotconstant/></structure></hlinitialMarking></place>
    /// </page></net></pnml>
    /// ```
    ///
    /// Correct the term that is pointed at, or the sort of the place.
    X008 = COLOUR;

    /// A symmetric net stands for a place/transition net that is too large.
    ///
    /// There is a transition for each value of its variables that the condition allows, and a place for
    /// each of its colours that has a token or an arc: at most 1,000,000 transitions and
    /// 10,000,000 arcs.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
    /// <declaration><structure><declarations>
    /// <namedsort id="Large" name="Large"><finiteintrange start="1" end="20000000"/></namedsort>
    /// </declarations></structure></declaration><page id="g">
    /// <place id="p"><type><structure><usersort declaration="Large"/></structure></type>
    /// <hlinitialMarking><structure><all><usersort declaration="Large"/></all></structure>
    /// </hlinitialMarking></place>
    /// </page></net></pnml>
    /// ```
    ///
    /// Give its sorts fewer colours, or its conditions fewer values to choose from.
    X009 = TOO_LARGE;

    /// A net is not bounded.
    ///
    /// A run leads to a marking that has as many tokens everywhere as an earlier one, and more in the place
    /// that is named: it can be repeated for ever, so that there is no end of markings.
    ///
    /// ```pnml
    /// <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
    /// <place id="p"/><transition id="t"/><arc id="a" source="t" target="p"/>
    /// </page></net></pnml>
    /// ```
    ///
    /// Searches of it end by a violation or after 100,000 markings (`--max-states`); what neither they nor
    /// proofs answer is unknown. A place beside the one that grows, with the room that is left, bounds it.
    X010 = UNBOUNDED;
}
