//! No text makes the reader fail, whatever is in it.

use crate::said;

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

const SAMPLE: &str = "(ns a.b (:require [c :as s])) ; comment
(s/defrole ::worker \"w\") (s/defroles ::a ::b)
(defn f [x & [y]] (let [z (if x 1/2 -3.5)] (+ z (count #{1 2 :k}) (reduce + (map #(* % 2) (range 3))))))
(s/defsession ::main [] (s/cat (s/* (s/-->> Long ::a (::worker 0))) (s/loop l [i 0]
  (s/par-every [j (range 2) k (remove #{j} [0 1])] (s/--> (fn [x] (= x i)) (::worker j) (::worker k)))
  (s/if (< i 3) (s/recur l (inc i)) (s/close ::a ::b))) (::sub {:a 1} \\x \"s\\n\" '(q) #\"r.*\")))
(s/defsession ::sub [a b c d e] (s/alt (s/+ (--> ::a ::b)) (s/? [(s/end)]) (s/any [::a ::b])))";

#[test]
fn no_mutation_of_a_file_makes_it_fail() {
    let pieces = [
        "(", ")", "[", "]", "{", "}", "#", "'", "\"", "::", "s/", "recur", " ", "%", "^", "é",
        "1e9", "\\",
    ];
    for seed in 1..=400u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text = SAMPLE.to_owned();
        for _ in 0..=random.below(6) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            let to = text.floor_char_boundary((at + random.below(30)).min(text.len()));
            match random.below(4) {
                0 => text.replace_range(at..to, ""),
                1 => text.insert_str(at, pieces[random.below(pieces.len())]),
                2 => {
                    let piece = text[at..to].to_owned();
                    let place = text.floor_char_boundary(random.below(text.len() + 1));
                    text.insert_str(place, &piece);
                }
                _ => text.replace_range(at..to, pieces[random.below(pieces.len())]),
            }
        }
        said(&text, &[]);
    }
}

#[test]
fn no_bytes_make_the_reader_fail() {
    for seed in 1..=300u64 {
        let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let alphabet: Vec<char> =
            "()[]{}#'\"\\;:^`~@%&/s-> \n0189aωé\u{feff}\u{0}".chars().collect();
        let length = random.below(120);
        let text: String = (0..length).map(|_| alphabet[random.below(alphabet.len())]).collect();
        said(&text, &[]);
    }
}
