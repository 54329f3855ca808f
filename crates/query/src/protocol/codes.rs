//! The codes of lint and of the comparison of forms, with their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// A role sends that was not involved before.
    ///
    /// On a channel from p to q something is sent, but never as the first action of all and never right
    /// after p has received something. Then p has no way to know that it is its turn.
    ///
    /// ```text
    /// (s/cat (s/-->> String ::client ::server)
    ///        (s/-->> String ::clerk ::archive))     ; who told the clerk?
    /// ```
    ///
    /// Let another role send to p first.
    L001 = CAUSALITY;

    /// A channel is used and not always closed afterwards.
    ///
    /// After each send on the channel, every way in which the protocol can go on must close it. A protocol
    /// that goes on for ever does not, nor one that never closes anything.
    ///
    /// ```text
    /// (s/cat (s/-->> Long ::pump ::tank) (s/-->> Long ::tank ::pump) (s/close ::pump ::tank))
    /// ```
    ///
    /// Close the channel where the protocol ends.
    L002 = NOT_CLOSED;

    /// A channel is closed on a path on which nothing was sent.
    ///
    /// ```text
    /// (s/alt (s/cat (s/-->> String ::a ::b) (s/close ::a ::c) (s/close ::a ::b))
    ///        (s/cat (s/-->> String ::a ::c) (s/close ::a ::c)))
    /// ```
    ///
    /// Where paths have met before the closing, one on which something was sent is enough.
    ///
    /// Close it only in the branches that use it.
    L003 = CLOSED_UNUSED_ON_PATH;

    /// A channel is closed that the protocol never uses.
    ///
    /// ```text
    /// (s/cat (s/-->> Long ::sensor ::logger) (s/close ::logger ::sensor))
    /// ```
    ///
    /// Perhaps sender and receiver were exchanged.
    L004 = CLOSED_NEVER_USED;

    /// A channel may be closed twice.
    ///
    /// ```text
    /// (s/cat (s/-->> Long ::a ::b) (s/close ::a ::b) (s/close ::a ::b))
    /// ```
    L005 = CLOSED_TWICE;

    /// Something may be sent on a channel after it was closed.
    ///
    /// ```text
    /// (s/cat (s/close ::a ::b) (s/-->> Long ::a ::b))
    /// ```
    L006 = SENT_AFTER_CLOSE;

    /// A role sends to itself.
    ///
    /// ```text
    /// (s/cat-every [i (range 3)]
    ///   (s/-->> Boolean (::node i) (::node (min (inc i) 2))))     ; the last one
    /// ```
    L007 = SENT_TO_SELF;

    /// The protocol can come to a state from which it can no longer end.
    ///
    /// It can end elsewhere, so it is meant to.
    ///
    /// ```text
    /// (s/alt (s/-->> Stop ::a ::b) (s/ω (s/-->> Go ::a ::b)))
    /// ```
    ///
    /// Give the loop a way out, or none of the branches an end.
    L008 = CANNOT_END;

    /// The protocol can get stuck.
    ///
    /// It comes to a state in which nothing can happen and which is not an end: a recursion without an
    /// action, a guard that never holds.
    ///
    /// ```text
    /// (s/cat (s/-->> X ::a ::b) (s/loop again [] (s/recur again)))
    /// ```
    L009 = STUCK;

    /// Independent actions exclude each other.
    ///
    /// Two actions that share no role are both possible in one state, but one does not lead to the same
    /// whether it comes first or second. No role sees that only one of them may happen.
    ///
    /// ```text
    /// (s/alt (s/-->> X ::a ::b) (s/-->> Y ::c ::d))
    /// ```
    ///
    /// Put one role in charge of the choice, or use `s/par`.
    L010 = DIAMOND;

    /// A choice is not decided by one role.
    ///
    /// Two roles can act in one state, and what one does takes the possibility from the other. If
    /// each goes ahead without asking, both branches begin.
    ///
    /// ```text
    /// (s/alt (s/-->> Offer ::a ::b) (s/-->> Offer ::b ::a))
    /// ```
    ///
    /// Let one role decide, and tell the other.
    L011 = DECIDED_BY_SEVERAL;

    /// A role cannot tell in time which branch was chosen.
    ///
    /// As far as the role knows it may act; but in another state that it cannot tell from this one, it
    /// must never do so.
    ///
    /// ```text
    /// (s/alt (s/cat (s/-->> X ::a ::b) (s/-->> Y ::c ::b))
    ///        (s/-->> Z ::a ::b))                     ; how does c know?
    /// ```
    ///
    /// Let the role that chooses tell this one, in every branch.
    L012 = CANNOT_TELL;

    /// Two branches begin with the same action.
    ///
    /// What follows is different, and no role can see from the action which branch was taken.
    ///
    /// ```text
    /// (s/alt (s/cat (s/-->> M ::a ::b) (s/-->> X ::b ::a))
    ///        (s/cat (s/-->> M ::a ::b) (s/-->> Y ::b ::a)))
    /// ```
    ///
    /// Take the action out of the choice, or give the messages different names.
    L013 = SAME_BEGINNING;

    /// A role can starve.
    ///
    /// The others can go on for ever without it, although it could still act.
    ///
    /// ```text
    /// (s/ω (s/alt (s/-->> X ::a ::b) (s/-->> X ::a ::c)))     ; never c
    /// ```
    ///
    /// That may be meant. If not, let the choice come round to every role; or state the fairness you rely
    /// on when you check formulas.
    L014 = STARVES;

    /// A role is declared and never takes part.
    ///
    /// No action that the protocol can come to is one of its own, or sends to it. Perhaps its name is
    /// spelt in two ways.
    ///
    /// Remove the declaration, or let the role take part.
    L015 = UNUSED_ROLE;

    /// A role takes part that is not declared, although others are.
    ///
    /// Where roles are declared, one that is not is most likely a typing mistake.
    ///
    /// Declare it, or correct its name.
    L016 = UNDECLARED_ROLE;

    /// The liberal form makes a choice at another moment than the protocol.
    ///
    /// Both have the same runs. But after the same actions, one of them still has a choice that the other
    /// has already made; it can then be stuck where the other goes on.
    L017 = OTHER_MOMENT;

    /// An atom of a formula can never be true.
    ///
    /// No action of the protocol matches it: a role that takes no part, a message that is never sent, a
    /// spelling. `G !atom` would hold for any typing mistake.
    ///
    /// ```text
    /// G !"whyte SEND Move"
    /// ```
    L018 = IDLE_ATOM;

    /// A formula holds for a poor reason.
    ///
    /// It would also hold with one of its parts replaced by anything, so it says nothing about that
    /// part (Beer, Ben-David, Eisner and Rodeh 1997). Often an implication whose left side never holds.
    ///
    /// ```text
    /// G (never_happens -> F answer)
    /// ```
    L019 = VACUOUS;

    /// The liberal form does something that the protocol does not allow.
    ///
    /// In the liberal form each role follows an automaton of its own. A role that cannot see from what it
    /// sends and receives that it must wait does not wait.
    ///
    /// ```text
    /// (s/cat (s/-->> X ::a ::b) (s/-->> Y ::c ::d))     ; c sends at once
    /// ```
    ///
    /// Send a message to the role that must wait, or run the strict form, in which all roles ask one
    /// coordinator.
    L020 = ADDED;

    /// The liberal form cannot do something that the protocol allows.
    ///
    /// Queues keep the order of messages. A protocol that lets a message overtake another of the same
    /// sender and receiver loses that; and with one queue for each receiver, what arrives in an order
    /// that the receiver does not expect blocks it.
    ///
    /// ```text
    /// (s/par (s/-->> M ::a ::b) (s/-->> N ::a ::b))     ; b takes N first
    /// ```
    ///
    /// Put the messages in order, or run the strict form.
    L021 = LOST;

    /// A queue of the liberal form can grow for ever.
    ///
    /// A sender goes round a loop without waiting for anybody.
    ///
    /// ```text
    /// (s/ω (s/-->> Tick ::clock ::display))
    /// ```
    ///
    /// Let the receiver answer once per round.
    L022 = UNBOUNDED;

    /// Words of an Owl atom are ignored.
    ///
    /// In `.owl` formulas everything after the type of a `RECV` means nothing, because it meant nothing to the
    /// tool that these files were written for.
    ///
    /// ```text
    /// "white RECV <Move> FROM black"      means      "white RECV <Move>"
    /// ```
    ///
    /// Leave the words out.
    L023 = IGNORED_WORDS;
}
