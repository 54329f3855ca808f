//! The Clojure subset: values of expressions, as arguments of a session show them.

use quadrille_diagnostic::Sources;
use quadrille_discourje as dcj;
use quadrille_model::{Model, SlotId};

/// The value of an expression, or the code and message of what is wrong with it.
fn value(expression: &str) -> String {
    let text = "(defn add [x y] (if (= y 0) x (inc (add x (dec y)))))
      (defn fact ([n] (fact n 1)) ([n acc] (if (zero? n) acc (recur (dec n) (* n acc)))))
      (defn sum [& xs] (reduce + 0 xs))
      (def limit 10)
      (s/defsession ::main [x] (s/end))";
    let mut sources = Sources::default();
    let (program, diagnostics) = dcj::load(sources.add("t.dcj", text), text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    match program.session(&mut sources, "main", &[expression]) {
        Ok(model) => {
            let mut shown = String::new();
            let show = |state: &[u32]| shown = model.show(SlotId::new(0), state[0]);
            model.explorer().each_initial(show).expect("a start");
            shown.trim_start_matches("main(").strip_suffix(')').expect("a call").to_owned()
        }
        Err(diagnostics) => format!("{}: {}", diagnostics[0].code.id, diagnostics[0].message),
    }
}

/// Lines of `expression => value`.
fn check(lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (expression, expected) = line.split_once(" => ").expect("an arrow");
        assert_eq!(value(expression), expected, "{expression}");
    }
}

#[test]
fn numbers() {
    check(
        r#"
        (+ 1 2 3) => 6
        (- 5) => -5
        (/ 6 4) => 3/2
        (/ 6 3) => 2
        (* 2 1/2) => 1
        (+ 1/3 0.5) => 0.8333333333333333
        (mod -1 4) => 3
        (rem -1 4) => -1
        (quot 7 2) => 3
        (long (/ 7 2)) => 3
        (long (Math/ceil (Math/sqrt 5))) => 3
        (max 1 5 3) => 5
        (= 1 1.0) => false
        (== 1 1.0) => true
        (< 1 2 3) => true
        (< 1 3 2) => false
        (not= 1 2) => true
        (bit-and 6 3) => 2
        16rFF => 255
        0x1f => 31
        -3 => -3
        (Math/pow 2 10) => 1024.0
        (Math/abs -4) => 4
        (even? 4) => true
        (compare 1 2) => -1
        "#,
    );
}

#[test]
fn collections() {
    check(
        r#"
        (range 4) => (0 1 2 3)
        (range 1 8 3) => (1 4 7)
        (range 3 0 -1) => (3 2 1)
        (filter #{1 3} (range 5)) => (1 3)
        (remove #{1 3} (range 5)) => (0 2 4)
        (map inc [1 2]) => (2 3)
        (map + [1 2] [10 20 30]) => (11 22)
        (reduce + (range 5)) => 10
        (set [3 1 1]) => #{1 3}
        (vec (range 2)) => [0 1]
        (disj #{1 2} 1) => #{2}
        (conj [1] 2) => [1 2]
        (conj '(1) 2) => (2 1)
        (conj #{1} 1 2) => #{1 2}
        (count #{1 2}) => 2
        (empty? []) => true
        (first []) => nil
        (rest [1 2]) => (2)
        (contains? #{1} 1) => true
        (contains? [5 6] 1) => true
        (clojure.set/union #{1} #{2}) => #{1 2}
        (s/difference #{1 2} #{2}) => #{1}
        (intersection #{1 2} #{2 3}) => #{2}
        (s/power-set #{1 2}) => #{#{} #{1} #{1 2} #{2}}
        (s/count s/empty-set) => 0
        (get {:a 1} :a) => 1
        (:b {:a 1} 7) => 7
        ({1 2} 1) => 2
        ([5 6] 1) => 6
        (assoc {} :a 1) => {:a 1}
        (keys {:a 1 :b 2}) => (:a :b)
        (sort [3 1 2]) => (1 2 3)
        (sort > [3 1 2]) => (3 2 1)
        (nth [1 2] 1) => 2
        (into #{} [1 2]) => #{1 2}
        (concat [1] [2]) => (1 2)
        (partition 2 [1 2 3]) => ((1 2))
        (every? even? [2 4]) => true
        (some #{2} [1 2]) => 2
        (apply max [1 2]) => 2
        (zipmap [:a] [1]) => {:a 1}
        (= [1 2] '(1 2)) => true
        (frequencies [1 1]) => {1 2}
        (for [i (range 3) j (range 3) :when (< i j)] [i j]) => ([0 1] [0 2] [1 2])
        (take 2 (drop 1 [1 2 3])) => (2 3)
        (distinct [1 1 2]) => (1 2)
        (mapv inc #{1}) => [2]
        "#,
    );
}

#[test]
fn control_and_functions() {
    check(
        r#"
        (if nil 1 2) => 2
        (if 0 1 2) => 1
        (cond false 1 :else 2) => 2
        (and 1 2) => 2
        (and 1 nil 2) => nil
        (or nil 3) => 3
        (when true 1 2) => 2
        (let [x 1 [a b & c] [2 3 4]] [x a b c]) => [1 2 3 (4)]
        (loop [i 0 s 0] (if (= i 5) s (recur (inc i) (+ s i)))) => 10
        ((fn [x] (* x x)) 3) => 9
        (#(+ %1 %2) 1 2) => 3
        ((fn f [n] (if (= n 0) 1 (* n (f (dec n))))) 5) => 120
        (fact 6) => 720
        (sum 1 2 3) => 6
        (add 3 4) => 7
        (add 1 3000) => 3001
        limit => 10
        (-> 5 inc (- 2)) => 4
        (->> (range 3) (map inc)) => (1 2 3)
        ((comp inc inc) 1) => 3
        ((partial + 1) 2) => 3
        (case 2 1 :one (2 3) :more) => :more
        (condp = 2 1 :one 2 :two) => :two
        (if-let [x (first [])] x :none) => :none
        (try (/ 1 0) (catch ArithmeticException e -1)) => -1
        (try (Long/parseLong "") (catch Exception e -1)) => -1
        (try (throw (Exception. "no")) (catch Exception e e)) => "no"
        (do 1 2) => 2
        #_ ignored 5 => 5
        "#,
    );
}

#[test]
fn strings() {
    check(
        r#"
        (str 1 "a" nil :b) => "1a:b"
        (Long/toBinaryString 5) => "101"
        (.replaceFirst (Long/toBinaryString 5) ".$" "") => "10"
        (Long/parseLong "101" 2) => 5
        (subs "hello" 1 3) => "el"
        (count "abc") => 3
        (name ::role) => "role"
        (clojure.string/join "," [1 2]) => "1,2"
        (clojure.string/replace "a1b2" #"\d+" "-") => "a-b-"
        (.length "abc") => 3
        (re-matches #"(ab|c)*" "abcab") => "abcab"
        "tab\tq\"" => "tab\tq\""
        \a => \a
        "#,
    );
}

#[test]
fn what_goes_wrong_is_told() {
    check(
        r#"
        (/ 1 0) => D013: division by zero
        (mod 1 0) => D013: division by zero
        (+ 1 "a") => D013: "a" is no number
        (nth [1] 3) => D013: there is no item 3 among 1
        (Long/parseLong "x") => D013: "x" is no number
        (* 9223372036854775807 2) => D013: a number grows beyond 64 bits
        (undefined 1) => D011: `undefined` has no meaning here
        (println 1) => D012: `println` is not part of the pure language
        (.foo "a") => D012: the method `.foo` is not supported
        (add 1) => D008: `add` does not take 1 arguments
        (inc 1 2) => D008: `inc` does not take 2 arguments
        (loop [] (recur)) => D014: evaluation does not seem to end
        ((fn f [x] (inc (f x))) 1) => D014: evaluation is nested too deeply
        (reduce + (range 1e12)) => D014: evaluation does not seem to end
        (reduce list nil (range 100000)) => D014: a value is nested too deeply
        (loop [f inc] (recur (fn [x] (f x)))) => D014: a value is nested too deeply
        (s/power-set (set (range 40))) => D014: the power set of 40 items is too large
        (range) => D012: `range` without an end is not supported
        (5 1) => D013: an integer cannot be called
        (throw (Exception. "no")) => D013: no
        (inc (recur 1)) => D012: `recur` is not the last thing that happens
        (::role 1.5) => D013: 1.5 is no index
        "#,
    );
}
