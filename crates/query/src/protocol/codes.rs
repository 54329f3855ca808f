//! The codes of lint and of the comparison of forms, with their manual pages.

use quadrille_diagnostic::codes;

codes! {
    ALL:

    /// A role sends that was not involved before.
    ///
    /// On a channel from p to q something is sent, but not as the first action of all, and p has neither
    /// received nor sent anything before. Then p has no way to know that it is its turn.
    ///
    /// ```quad
    /// message Ask, File; role client, server, clerk, archive;
    /// protocol p { Ask from client to server; File from clerk to archive; }     // who told the clerk?
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> String ::client ::server)
    ///        (s/-->> String ::clerk ::archive))     ; who told the clerk?
    /// ```
    ///
    /// Let another role send to p first.
    L001 = CAUSALITY;

    /// A channel is closed on some runs and left open on others.
    ///
    /// After something was sent on the channel, the protocol can come to a state from which it can no longer
    /// close it. A channel that is never closed, or stays open only while a loop goes on for ever, is
    /// reported as L024.
    ///
    /// ```quad
    /// message Level, Full, Low; role pump, tank;
    /// protocol p {
    ///     Level from pump to tank;
    ///     either { Full from tank to pump; pump closes tank; } or { Low from tank to pump; }
    /// }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> Long ::pump ::tank)
    ///        (s/alt (s/cat (s/-->> Boolean ::tank ::pump) (s/close ::pump ::tank))
    ///               (s/-->> Long ::tank ::pump)))
    /// ```
    ///
    /// Close the channel wherever the protocol ends.
    L002 = NOT_CLOSED;

    /// A channel is closed on a path on which nothing was sent.
    ///
    /// ```quad
    /// message A; role a, b, c;
    /// protocol p {
    ///     either { A from a to b; a closes c; a closes b; } or { A from a to c; a closes c; }
    /// }
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message Level; role sensor, logger;
    /// protocol p { Level from sensor to logger; logger closes sensor; }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> Long ::sensor ::logger) (s/close ::logger ::sensor))
    /// ```
    ///
    /// Perhaps sender and receiver were exchanged.
    L004 = CLOSED_NEVER_USED;

    /// A channel may be closed twice.
    ///
    /// ```quad
    /// message A; role a, b;
    /// protocol p { A from a to b; a closes b; a closes b; }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> Long ::a ::b) (s/close ::a ::b) (s/close ::a ::b))
    /// ```
    L005 = CLOSED_TWICE;

    /// Something may be sent on a channel after it was closed.
    ///
    /// ```quad
    /// message A; role a, b;
    /// protocol p { a closes b; A from a to b; }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/close ::a ::b) (s/-->> Long ::a ::b))
    /// ```
    L006 = SENT_AFTER_CLOSE;

    /// A role sends to itself.
    ///
    /// ```quad
    /// message Yes; role node[0..3];
    /// protocol p { for i in 0..3 { Yes from node[i] to node[min(i + 1, 2)]; } }     // the last one
    /// ```
    ///
    /// ```dcj
    /// (s/cat-every [i (range 3)]
    ///   (s/-->> Boolean (::node i) (::node (min (inc i) 2))))     ; the last one
    /// ```
    L007 = SENT_TO_SELF;

    /// The protocol can come to a state from which it can no longer end.
    ///
    /// It can end elsewhere, so that is probably intended.
    ///
    /// ```quad
    /// message Stop, Go; role a, b;
    /// protocol p { either { Stop from a to b; } or { repeat forever { Go from a to b; } } }
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message X; role a, b;
    /// protocol p { X from a to b; when 1 > 2 { X from b to a; } }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> X ::a ::b) (s/loop again [] (s/recur again)))
    /// ```
    L009 = STUCK;

    /// Independent actions exclude each other.
    ///
    /// Two actions that share no role are both possible in one state, but one does not lead to the same
    /// whether it comes first or second. No role sees that only one of them may happen.
    ///
    /// ```quad
    /// message X, Y; role a, b, c, d;
    /// protocol p { either { X from a to b sync; } or { Y from c to d sync; } }
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message Offer; role a, b;
    /// protocol p { either { Offer from a to b; } or { Offer from b to a; } }
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message X, Y, Z; role a, b, c;
    /// protocol p { either { X from a to b; Y from c to b; } or { Z from a to b; } }     // how does c know?
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message M, X, Y; role a, b;
    /// protocol p { either { M from a to b; X from b to a; } or { M from a to b; Y from b to a; } }
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message X; role a, b, c;
    /// protocol p { repeat forever { either { X from a to b; } or { X from a to c; } } }     // never c
    /// ```
    ///
    /// ```dcj
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
    /// ```quad
    /// message X, Y, V, W; role a, b, c, d;
    /// protocol p {
    ///     either { X from a to b; V from c to d; }     // c does not see which
    ///     or { Y from a to b; W from c to d; }
    /// }
    /// ```
    ///
    /// ```dcj
    /// (s/alt (s/cat (s/-->> X ::a ::b) (s/-->> V ::c ::d))     ; c does not see which
    ///        (s/cat (s/-->> Y ::a ::b) (s/-->> W ::c ::d)))
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
    /// ```quad
    /// message M, N; role a, b;
    /// protocol p { par { M from a to b; } and { N from a to b; } }     // b takes N first
    /// ```
    ///
    /// ```dcj
    /// (s/par (s/-->> M ::a ::b) (s/-->> N ::a ::b))     ; b takes N first
    /// ```
    ///
    /// Put the messages in order, or run the strict form.
    L021 = LOST;

    /// A queue of the liberal form can grow for ever.
    ///
    /// A sender goes round a loop without waiting for any other role.
    ///
    /// ```quad
    /// message Tick; role clock, display;
    /// protocol p { repeat forever { Tick from clock to display; } }
    /// ```
    ///
    /// ```dcj
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

    /// A channel may stay open.
    ///
    /// It is never closed, or a loop before the closing can go on for ever. Many protocols intend that,
    /// and this rule is switched off. Switch it on, `--level L024=warn`, where after every send each way in which
    /// the protocol can go on must close the channel.
    ///
    /// ```quad
    /// message Level; role pump, tank;
    /// protocol p { Level from pump to tank; }
    /// ```
    ///
    /// ```dcj
    /// (s/-->> Long ::pump ::tank)
    /// ```
    ///
    /// Close the channel where the protocol ends.
    L024 = STAYS_OPEN;

    /// The liberal form of a protocol is the same up to reordering.
    ///
    /// Each role keeps its own order, within each part of a `par`; every message is received where the protocol has it,
    /// and no role gets stuck. But steps of different roles, and of different parts of a `par`, which no message puts in
    /// order, may happen in another order than the protocol lists.
    /// That is how asynchronous multiparty session types read a protocol, and usually what is wanted; so this is a note.
    ///
    /// ```quad
    /// message A, B; role a, b;
    /// protocol p { A from a to b; B from a to b; }     // B may be sent before A is received
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> A ::a ::b) (s/-->> B ::a ::b))     ; B may be sent before A is received
    /// ```
    ///
    /// To make a role wait for another, send it a message; or run the strict form, which keeps the order of the text.
    L029 = REORDERED;

    /// An exception from a rule of lint cannot be used.
    ///
    /// An exception names the rules, or groups of rules, and gives a reason. It covers the statement or
    /// declaration that begins on its line, or on the next line; with `in file`, all of the text.
    ///
    /// ```quad
    /// // allow L014 in file: players are patient
    /// message Go; role a, b, c;
    /// protocol p {
    ///     // allow L011
    ///     either { Go from a to b; } or { Go from b to a; }
    /// }
    /// ```
    ///
    /// ```dcj
    /// ; allow L011
    /// (s/alt (s/-->> Go ::a ::b) (s/-->> Go ::b ::a))
    /// ```
    ///
    /// Write the reason behind a colon: `allow L011: the one who is ready first begins`.
    L025 = BAD_ALLOW;

    /// An exception from a rule of lint covers nothing.
    ///
    /// Nothing is found there that it would have to except: the text was mended, or the comment stands
    /// in the wrong place.
    ///
    /// Remove it, or put it on the line before the finding.
    L026 = UNUSED_ALLOW;

    /// A role sends, but never right after a message that prompts it.
    ///
    /// On a channel from p to q something is sent, but never as the first action of all and never right
    /// after p has received something; p was involved before, and may know that it is its turn. Where each
    /// send is to be an answer, switch this rule on: `--level L027=warn`.
    ///
    /// ```quad
    /// message Work, Done; role master, worker[0..2];
    /// protocol p {
    ///     for i in 0..2 { Work from master to worker[i]; }
    ///     for i in 0..2 { Done from worker[i] to master; }     // the first worker was asked long ago
    /// }
    /// ```
    ///
    /// ```dcj
    /// (s/cat (s/-->> Long ::master ::a) (s/-->> Long ::master ::b) (s/-->> Long ::a ::master))
    /// ```
    ///
    /// Let another role send to p right before.
    L027 = UNPROMPTED;

    /// A statement in which nothing ever happens.
    ///
    /// The protocol was explored completely, with the given arguments and values of parameters, and no action
    /// of the statement took part: a condition before it is never true, a branch never possible, or the
    /// protocol gets stuck before.
    ///
    /// ```quad
    /// message Offer, Surplus; role a, b; parameter n = 2;
    /// protocol p { Offer from a to b; if n > 3 { Surplus from a to b; } }
    /// ```
    ///
    /// Look at the conditions before it, or delete it.
    L028 = NEVER_HAPPENS;
}
