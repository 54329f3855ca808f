module util/sequniv
-- Sequences as relations from the first integers.

open util/integer as ui

pred isSeq [s : Int -> univ] {
  s in seq/Int -> lone univ
  s.inds - ui/next[s.inds] in 0
}

fun inds [s : Int -> univ] : set Int { s.univ }
fun elems [s : Int -> univ] : set (Int.s) { seq/Int.s }
fun lastIdx [s : Int -> univ] : lone Int { ui/max[inds[s]] }
fun afterLastIdx [s : Int -> univ] : lone Int { ui/min[seq/Int - inds[s]] }
fun first [s : Int -> univ] : lone (Int.s) { s[0] }
fun last [s : Int -> univ] : lone (Int.s) { s[lastIdx[s]] }
fun rest [s : Int -> univ] : s { seq/Int <: (ui/next).s }
fun butlast [s : Int -> univ] : s { (seq/Int - lastIdx[s]) <: s }

pred isEmpty [s : Int -> univ] { no s }
pred hasDups [s : Int -> univ] { #elems[s] < #inds[s] }

fun indsOf [s : Int -> univ, e : univ] : set Int { s.e }
fun idxOf [s : Int -> univ, e : univ] : lone Int { ui/min[indsOf[s, e]] }
fun lastIdxOf [s : Int -> univ, e : univ] : lone Int { ui/max[indsOf[s, e]] }

fun setAt [s : Int -> univ, i : Int, e : univ] : s + (seq/Int -> e) { s ++ i -> e }
fun add [s : Int -> univ, e : univ] : s + (seq/Int -> e) { setAt[s, afterLastIdx[s], e] }
fun insert [s : Int -> univ, i : Int, e : univ] : s + (seq/Int -> e) {
  seq/Int <: ((ui/prevs[i] <: s) + (i -> e) + ui/prev.((ui/nexts[i] + i) <: s))
}
fun delete [s : Int -> univ, i : Int] : s {
  (ui/prevs[i] <: s) + (ui/next).(ui/nexts[i] <: s)
}
fun append [s1, s2 : Int -> univ] : s1 + s2 {
  let move = { to, from : seq/Int | int[to] = ui/add[int[from], ui/add[int[lastIdx[s1]], 1]] } |
    no s1 implies s2 else (s1 + move.s2)
}
fun subseq [s : Int -> univ, from, to : Int] : s {
  let move = { new, old : seq/Int | int[new] = ui/sub[int[old], int[from]] } |
    move.((seq/Int - ui/nexts[to]) <: s)
}
