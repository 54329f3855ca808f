//! What can be wrong with an `.aut` or a `.net` text. The doc comment of each code is its manual
//! page; the example on the page reports the code, which a test checks.

quadrille_diagnostic::codes! {
    ALL:

    /// The header of an Aldebaran file is missing or cannot be read.
    ///
    /// The first line that is not blank must be `des (first, transitions, states)`: the number of
    /// the initial state, how many transitions follow, and how many states there are. States are
    /// numbered from 0.
    ///
    /// ```aut
    /// des (0, 1)
    /// (0, "go", 1)
    /// ```
    ///
    /// Write all three numbers: `des (0, 1, 2)`.
    A001 = AUT_HEADER;

    /// A line of an Aldebaran file is not a transition.
    ///
    /// Each line after the header is `(from, label, to)`. The label stands between the first and
    /// the last comma; in double quotes it may hold anything, with `\"`, `\\`, `\n` and `\r` for
    /// a quote, a backslash and line ends.
    ///
    /// ```aut
    /// des (0, 1, 2)
    /// 0 "go" 1
    /// ```
    ///
    /// Write `(0, "go", 1)`.
    A002 = AUT_TRANSITION;

    /// A state number is not below the number of states in the header.
    ///
    /// States are numbered from 0, so `des (0, 1, 2)` has the states 0 and 1.
    ///
    /// ```aut
    /// des (0, 1, 2)
    /// (0, "go", 2)
    /// ```
    ///
    /// Correct the number, or the header.
    A003 = AUT_STATE;

    /// An Aldebaran file has more or fewer transitions than its header says.
    ///
    /// The file may have been cut off, or edited without the header.
    ///
    /// ```aut
    /// des (0, 2, 2)
    /// (0, "go", 1)
    /// ```
    ///
    /// Complete the file, or correct the second number of the header.
    A004 = AUT_COUNT;

    /// The header announces more states than can be right.
    ///
    /// A file with few transitions cannot have billions of states that matter: nothing but the
    /// initial state is reached without a transition. Quadrille refuses rather than reserve memory
    /// for them.
    ///
    /// ```aut
    /// des (0, 0, 4000000000)
    /// ```
    ///
    /// Correct the third number of the header.
    A005 = AUT_TOO_LARGE;

    /// The text of a network does not follow the grammar.
    ///
    /// A statement ends with its line, unless the line ends in `,` `->` `=` `{` `(` `<` or
    /// in `and`, `or`, `not`. After a mistake, reading goes on with the next line.
    ///
    /// ```net
    /// participant Light: red green
    /// change: Light red => green
    /// ```
    ///
    /// Write `change: Light red -> green`.
    N001 = NET_SYNTAX;

    /// A name is used that was not declared.
    ///
    /// Participants with their states and channels with their messages are declared anywhere in
    /// the file. Names are case-sensitive.
    ///
    /// ```net
    /// participant Light: red green
    /// change: Light red -> gren
    /// ```
    ///
    /// Correct the name, or declare it.
    N002 = NET_UNKNOWN;

    /// A name is declared twice.
    ///
    /// Participants and channels share one space of names; propositions have their own; so have
    /// the states of each participant and the messages of each channel.
    ///
    /// ```net
    /// participant Light: red green red
    /// ```
    ///
    /// Rename one of them.
    N003 = NET_TWICE;

    /// A template mentions a participant or a direction of a channel twice.
    ///
    /// A participant has at most one condition and one result in a template, written together as
    /// `Light red -> green`. A channel is received from once and sent to once.
    ///
    /// ```net
    /// participant Light: red green
    /// change: Light red, Light -> green
    /// ```
    ///
    /// Join them: `change: Light red -> green`.
    N004 = NET_REPEATED;

    /// A set of local states is empty.
    ///
    /// A template with such a condition could never happen; one with such a result has nowhere
    /// to go.
    ///
    /// ```net
    /// participant Lamp: on
    /// never: Lamp !on -> on
    /// ```
    ///
    /// Name at least one state, or leave the condition out to allow any.
    N005 = NET_EMPTY_SET;

    /// The capacity of a channel is not a number from 1 to 4096.
    ///
    /// Channels are bounded queues. For a step in which sender and receiver move together, do not
    /// use a channel: name both participants in one template.
    ///
    /// ```net
    /// participant Clerk: idle
    /// channel desk [0] of form
    /// ```
    ///
    /// Give the channel room: `channel desk [1] of form`.
    N006 = NET_CAPACITY;

    /// A positional template has another number of fields than there are participants.
    ///
    /// In `name: <condition> -> <result>` both sides have one field per participant, in the order
    /// of declaration; `_` or nothing stands for any state and for no change.
    ///
    /// ```net
    /// participants Left:2 Right:2
    /// both: <0,0> -> <1>
    /// ```
    ///
    /// Write a field for everyone: `both: <0,0> -> <1,_>`.
    N007 = NET_FIELDS;

    /// A network without participants.
    ///
    /// An empty file, or one with nothing but comments, describes no system.
    ///
    /// ```net
    /// // nothing yet
    /// ```
    ///
    /// Declare a participant, `participant Light: red green`, or a counter, `counter stock [5]`.
    N008 = NET_NOBODY;

    /// A number is too large, or a product of choices is.
    ///
    /// There are limits on the local states of a participant, the messages of a channel, and the
    /// successors of one template in one state (the product of the sizes of its result sets).
    ///
    /// ```net
    /// participants Giant:4000000000
    /// ```
    ///
    /// Split the participant, or the template.
    N009 = NET_TOO_LARGE;

    /// A proposition is nested too deeply.
    ///
    /// Parentheses and `not` may be nested 100 deep; more is nearly always generated by mistake.
    /// The example has 101 parentheses.
    ///
    /// ```net
    /// participant Lamp: on off
    /// prop dark = (((((((((((((((((((((((((((((((((((((((((((((((((((
    ///             ((((((((((((((((((((((((((((((((((((((((((((((((((Lamp in off)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
    /// ```
    ///
    /// Simplify it, or name parts of it as propositions of their own.
    N010 = NET_DEPTH;
}
