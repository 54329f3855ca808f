//! No text makes the reader fail, whatever is in it.

use quadrille_workshop::check;
use quadrille_workshop::texts::{pieces, spoilt};

use crate::said;

const SAMPLE: &str = "(ns a.b (:require [c :as s])) ; comment
(s/defrole ::worker \"w\") (s/defroles ::a ::b)
(defn f [x & [y]] (let [z (if x 1/2 -3.5)] (+ z (count #{1 2 :k}) (reduce + (map #(* % 2) (range 3))))))
(s/defsession ::main [] (s/cat (s/* (s/-->> Long ::a (::worker 0))) (s/loop l [i 0]
  (s/par-every [j (range 2) k (remove #{j} [0 1])] (s/--> (fn [x] (= x i)) (::worker j) (::worker k)))
  (s/if (< i 3) (s/recur l (inc i)) (s/close ::a ::b))) (::sub {:a 1} \\x \"s\\n\" '(q) #\"r.*\")))
(s/defsession ::sub [a b c d e] (s/alt (s/+ (--> ::a ::b)) (s/? [(s/end)]) (s/any [::a ::b])))";

const PIECES: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "#", "'", "\"", "::", "s/", "recur", " ", "%", "^", "é", "1e9",
    "\\", ";", ":", "`", "~", "@", "&", "/", "->", "\n", "0", "ω", "\u{feff}", "\u{0}",
];

#[test]
fn no_mutation_of_a_file_makes_it_fail() {
    check(400, |choices| drop(said(&spoilt(choices, SAMPLE, PIECES), &[])));
}

#[test]
fn no_pieces_make_the_reader_fail() {
    check(300, |choices| drop(said(&pieces(choices, PIECES, 120), &[])));
}
