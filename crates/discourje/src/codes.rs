//! The codes of the Discourje reader and their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// The text is not a sequence of Clojure forms.
    ///
    /// A parenthesis, bracket or brace does not match, a string does not end, or a character does not
    /// start any form.
    ///
    /// ```text
    /// (s/cat (s/-->> Long ::a ::b)
    /// ```
    ///
    /// Close what was opened, in the reverse order.
    D001 = UNREADABLE;

    /// Forms are nested too deeply.
    ///
    /// No more than 200 forms may stand inside each other.
    ///
    /// Name inner parts with `defn` or `s/defsession`.
    D002 = NESTED;

    /// A definition is not of the right form.
    ///
    /// ```text
    /// (s/defrole ::worker)
    /// (s/defsession ::ping [k] (s/--> Long ::a ::b))
    /// (defn next [i k] (mod (inc i) k))
    /// ```
    D003 = BAD_DEFINITION;

    /// A form at the top of a file is passed over.
    ///
    /// Definitions of roles, sessions, functions and values are read; `ns`, `require`, `import`, records and
    /// the like mean nothing here. Anything else is code that runs the protocol, not part of it.
    D004 = PASSED_OVER;

    /// A form is not one that describes a protocol.
    ///
    /// Where an action, a sequence or another protocol is expected there is a form that Discourje's
    /// specification language does not have, or one that this reader does not know.
    D005 = UNKNOWN_FORM;

    /// A protocol form has the wrong parts.
    ///
    /// ```text
    /// (s/-->> Long ::a ::b)            ; type, sender, receiver
    /// (s/alt-every [i (range k)] P)    ; pairs of names and collections, one protocol
    /// (s/loop name [x 0] P)            ; name, pairs of names and values, protocols
    /// ```
    D006 = BAD_FORM;

    /// There is no session of this name.
    ///
    /// Sessions are defined with `s/defsession`; their names are written with two colons.
    D007 = NO_SESSION;

    /// A session, function or loop is called with the wrong number of arguments.
    ///
    /// Sessions are known by their name and their number of parameters: `::turn` with one and `::turn` with
    /// two are different sessions. A loop that goes on may leave out values, not add any.
    ///
    /// Give as many arguments as the definition has parameters.
    D008 = ARITY;

    /// A role is expected.
    ///
    /// A role is a keyword, such as `::alice`, a member of a family, such as `(::worker 0)`, a string, or a
    /// variable that stands for one of these. Indices are integers.
    D009 = BAD_ROLE;

    /// There is no loop of this name around a `s/recur`.
    ///
    /// `s/recur` goes on with a loop that it stands inside of, in the same session.
    ///
    /// Use the name of a `s/loop` around it, or call a session.
    D010 = NO_LOOP;

    /// A name has no meaning in an expression.
    ///
    /// Neither a variable, nor a function of the file, nor one of the functions of Clojure that this
    /// reader knows.
    D011 = UNKNOWN_NAME;

    /// A form of Clojure is not supported in expressions.
    ///
    /// Expressions are the pure part of Clojure: numbers, strings, collections, functions, `let`, `if`, `cond`,
    /// `loop`, `try` and the like. Macros, atoms, references and calls into Java are not among them, but for a few
    /// static methods (`Math/ceil`, `Long/parseLong` …).
    D012 = UNSUPPORTED;

    /// An expression has no value.
    ///
    /// A division by zero, a number that is none, an argument of the wrong kind, an index outside a
    /// collection, a number beyond 64 bits, or a `throw` that is not caught.
    D013 = EVALUATION;

    /// An expression takes too long.
    ///
    /// Each unfolding of a session may take a few million steps of evaluation, and a function may call
    /// itself some ten thousand times. More means that the recursion or loop does not end.
    D014 = ENDLESS;

    /// An argument given to a session cannot be read.
    ///
    /// Arguments are written as in Clojure: `3`, `true`, `"text"`, `:word`, `#{0 1 2}`, `(set (range 3))`.
    D015 = BAD_ARGUMENT;
}
