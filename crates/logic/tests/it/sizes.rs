//! Sizes of automata, so that no change makes them larger unseen: the specification patterns of
//! Dwyer, Avrunin and Corbett (ICSE 1999) in their five scopes, fairness, and a few others.

use std::fmt::Write as _;

use expect_test::expect;
use quadrille_logic::{Formula, translate};

use crate::parsing::plain;

/// Name and formula.
const PATTERNS: &[(&str, &str)] = &[
    ("absence globally", "G !p"),
    ("absence before", "F r -> (!p U r)"),
    ("absence after", "G (q -> G !p)"),
    ("absence between", "G (q & !r & F r -> (!p U r))"),
    ("absence after-until", "G (q & !r -> (!p W r))"),
    ("existence globally", "F p"),
    ("existence before", "!r W (p & !r)"),
    ("existence after", "G !q | F (q & F p)"),
    ("existence between", "G (q & !r -> (!r W (p & !r)))"),
    ("existence after-until", "G (q & !r -> (!r U (p & !r)))"),
    ("bounded existence globally", "!p W (p W (!p W (p W G !p)))"),
    (
        "bounded existence before",
        "F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
    ),
    ("bounded existence after", "F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))"),
    (
        "bounded existence between",
        "G (q & F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
    ),
    (
        "bounded existence after-until",
        "G (q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | G p)))))))))",
    ),
    ("universality globally", "G p"),
    ("universality before", "F r -> (p U r)"),
    ("universality after", "G (q -> G p)"),
    ("universality between", "G (q & !r & F r -> (p U r))"),
    ("universality after-until", "G (q & !r -> (p W r))"),
    ("precedence globally", "!p W s"),
    ("precedence before", "F r -> (!p U (s | r))"),
    ("precedence after", "G !q | F (q & (!p W s))"),
    ("precedence between", "G (q & !r & F r -> (!p U (s | r)))"),
    ("precedence after-until", "G (q & !r -> (!p W (s | r)))"),
    ("response globally", "G (p -> F s)"),
    ("response before", "F r -> ((p -> (!r U (s & !r))) U r)"),
    ("response after", "G (q -> G (p -> F s))"),
    ("response between", "G (q & !r & F r -> ((p -> (!r U (s & !r))) U r))"),
    ("response after-until", "G (q & !r -> ((p -> (!r U (s & !r))) W r))"),
    ("precedence chain 2-1 globally", "F p -> (!p U (s & !p & X (!p U t)))"),
    ("precedence chain 2-1 before", "F r -> (!p U (r | (s & !p & X (!p U t))))"),
    ("precedence chain 2-1 after", "G !q | (!q U (q & (F p -> (!p U (s & !p & X (!p U t))))))"),
    ("precedence chain 2-1 between", "G (q & F r -> (!p U (r | (s & !p & X (!p U t)))))"),
    ("precedence chain 2-1 after-until", "G (q -> (F p -> (!p U (r | (s & !p & X (!p U t))))))"),
    ("precedence chain 1-2 globally", "F (s & X F t) -> (!s U p)"),
    ("precedence chain 1-2 before", "F r -> (!(s & !r & X (!r U (t & !r))) U (r | p))"),
    ("precedence chain 1-2 after", "G !q | (!q U (q & (F (s & X F t) -> (!s U p))))"),
    ("precedence chain 1-2 between", "G (q & F r -> (!(s & !r & X (!r U (t & !r))) U (r | p)))"),
    (
        "precedence chain 1-2 after-until",
        "G (q -> ((!(s & !r & X (!r U (t & !r))) U (r | p)) | G !(s & X F t)))",
    ),
    ("response chain 2-1 globally", "G (s & X F t -> X F (t & F p))"),
    ("response chain 2-1 before", "F r -> ((s & X (!r U t) -> X (!r U (t & F p))) U r)"),
    ("response chain 2-1 after", "G (q -> G (s & X F t -> X (!t U (t & F p))))"),
    ("response chain 2-1 between", "G (q & F r -> ((s & X (!r U t) -> X (!r U (t & F p))) U r))"),
    (
        "response chain 2-1 after-until",
        "G (q -> ((s & X (!r U t) -> X (!r U (t & F p))) U (r | G (s & X (!r U t) -> X (!r U (t & F p))))))",
    ),
    ("response chain 1-2 globally", "G (p -> F (s & X F t))"),
    ("response chain 1-2 before", "F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r)"),
    ("response chain 1-2 after", "G (q -> G (p -> (s & X F t)))"),
    ("response chain 1-2 between", "G (q & F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r))"),
    (
        "response chain 1-2 after-until",
        "G (q -> ((p -> (!r U (s & !r & X (!r U t)))) U (r | G (p -> (s & X F t)))))",
    ),
    ("constrained response chain", "G (p -> F (s & !z & X (!z U t)))"),
    ("recurrence", "G F a"),
    ("persistence", "F G a"),
    ("two recurrences", "G F a & G F b"),
    ("three recurrences", "G F a & G F b & G F c"),
    ("strong fairness", "G F a -> G F b"),
    ("weak fairness", "F G a -> G F b"),
    ("fair response", "(G F a & G F b) -> G (p -> F s)"),
    ("strongly fair response", "(G F a -> G F b) -> G (p -> F s)"),
    ("two strong fairnesses", "(G F a -> G F b) & (G F c -> G F d)"),
    ("mutual exclusion", "G !(a & b)"),
    ("mutual response", "G (a -> F b) & G (b -> F a)"),
    ("handshake", "G (a -> X (!a U b)) & G (b -> X (!b U a))"),
    ("nested until", "a U (b U (c U d))"),
    ("until of always", "a U G b"),
    ("some time in a row", "F (a & X (b & X c))"),
    ("in two steps", "G (a -> X X b)"),
    ("request before grant", "G (grant -> O request)"),
    ("since the last reset", "G (b -> !a S c)"),
    ("immediately before", "G (b -> Y a)"),
];

#[test]
fn sizes_of_automata() {
    let mut table =
        format!("{:34} {:>12} {:>12}\n", "locations edges sets of", "formula", "negation");
    let size = |formula: &Formula| {
        let automaton = translate(formula).expect("patterns have small automata");
        format!("{:4} {:4} {:2}", automaton.n_locations(), automaton.n_edges(), automaton.n_sets)
    };
    for (name, text) in PATTERNS {
        let (parsed, messages) = plain(text);
        let formula = parsed.formula.unwrap_or_else(|| panic!("{text}\n{messages}"));
        let (own, negation) = (size(&formula), size(&!formula.clone()));
        writeln!(table, "{name:34} {own:>12} {negation:>12}").unwrap();
    }
    expect![[r#"
        locations edges sets of                 formula     negation
        absence globally                      1    1  0    2    3  1
        absence before                        4    7  1    3    5  1
        absence after                         2    3  0    3    6  1
        absence between                       3    7  1    4    8  1
        absence after-until                   2    5  0    3    6  1
        existence globally                    2    3  1    1    1  0
        existence before                      2    3  0    2    3  1
        existence after                       5   11  1    3    6  1
        existence between                     2    6  0    3    5  1
        existence after-until                 2    6  1    3    5  1
        bounded existence globally            5    9  0    6   11  1
        bounded existence before              8   20  1    7   13  1
        bounded existence after               6   12  0    7   14  1
        bounded existence between             7   23  1    8   16  1
        bounded existence after-until         7   24  1    7   22  2
        universality globally                 1    1  0    2    3  1
        universality before                   4    7  1    3    5  1
        universality after                    2    3  0    3    6  1
        universality between                  3    7  1    4    8  1
        universality after-until              2    5  0    3    6  1
        precedence globally                   2    3  0    2    3  1
        precedence before                     4    9  1    3    5  1
        precedence after                      5   11  1    4   14  1
        precedence between                    3    9  1    4    8  1
        precedence after-until                2    7  0    3    6  1
        response globally                     2    5  1    2    3  1
        response before                       5   13  1    3    5  1
        response after                        3    9  1    3    6  1
        response between                      4   13  1    4    8  1
        response after-until                  3   11  1    4    8  1
        precedence chain 2-1 globally         3    5  1    3    6  1
        precedence chain 2-1 before           5   11  1    4    8  1
        precedence chain 2-1 after            4    8  1    6   23  1
        precedence chain 2-1 between          6   27  1    5   12  1
        precedence chain 2-1 after-until      4   13  1    4   10  1
        precedence chain 1-2 globally         5   10  1    3    5  1
        precedence chain 1-2 before           6   15  1    4    7  1
        precedence chain 1-2 after            5   11  1    5   14  1
        precedence chain 1-2 between          6   19  1    5   10  1
        precedence chain 1-2 after-until      7   24  1    4    8  1
        response chain 2-1 globally           8   34  1    4    8  1
        response chain 2-1 before            11   46  1    5   12  1
        response chain 2-1 after              5   16  1    5   11  1
        response chain 2-1 between           12   65  2    6   15  1
        response chain 2-1 after-until       18  117  2    5   11  1
        response chain 1-2 globally           4   15  1    3    6  1
        response chain 1-2 before             6   16  1    4    9  1
        response chain 1-2 after              3    9  1    4    9  1
        response chain 1-2 between            5   16  1    5   13  1
        response chain 1-2 after-until        6   24  1    8   24  1
        constrained response chain            4   15  1    3    9  1
        recurrence                            1    2  1    2    3  1
        persistence                           2    3  1    1    2  1
        two recurrences                       1    4  2    3    5  1
        three recurrences                     1    8  3    4    7  1
        strong fairness                       4    7  1    2    4  1
        weak fairness                         3    6  1    2    3  1
        fair response                         6   14  1    2    6  2
        strongly fair response                5   13  1    4    8  1
        two strong fairnesses                 6   15  2    4    8  1
        mutual exclusion                      1    2  0    2    3  1
        mutual response                       4   13  1    3    5  1
        handshake                             4   12  1    4    8  1
        nested until                          4   10  1    4   10  0
        until of always                       2    3  1    3    7  1
        some time in a row                    4    5  1    4   12  0
        in two steps                          4    8  0    4    5  1
        request before grant                  2    3  0    2    3  1
        since the last reset                  2    5  0    3    8  1
        immediately before                    2    4  0    3    6  1
    "#]]
    .assert_eq(&table);
}
