module util/seqrel[elem]
-- Sequences as relations from atoms that count.

open util/integer
open util/ordering[SeqIdx] as ord

sig SeqIdx {}

pred isSeq [s : SeqIdx -> elem] {
  s in SeqIdx -> lone elem
  s.inds - ord/next[s.inds] in ord/first
}

fun inds [s : SeqIdx -> elem] : set SeqIdx { s.elem }
fun elems [s : SeqIdx -> elem] : set elem { SeqIdx.s }
fun lastIdx [s : SeqIdx -> elem] : lone SeqIdx { ord/max[inds[s]] }
fun afterLastIdx [s : SeqIdx -> elem] : lone SeqIdx { ord/min[SeqIdx - inds[s]] }
fun first [s : SeqIdx -> elem] : lone elem { s[ord/first] }
fun last [s : SeqIdx -> elem] : lone elem { s[lastIdx[s]] }
fun rest [s : SeqIdx -> elem] : SeqIdx -> elem { (ord/next).s }
fun butlast [s : SeqIdx -> elem] : SeqIdx -> elem { (SeqIdx - lastIdx[s]) <: s }

pred isEmpty [s : SeqIdx -> elem] { no s }
pred hasDups [s : SeqIdx -> elem] { #elems[s] < #inds[s] }

fun indsOf [s : SeqIdx -> elem, e : elem] : set SeqIdx { s.e }
fun idxOf [s : SeqIdx -> elem, e : elem] : lone SeqIdx { ord/min[indsOf[s, e]] }
fun lastIdxOf [s : SeqIdx -> elem, e : elem] : lone SeqIdx { ord/max[indsOf[s, e]] }

fun setAt [s : SeqIdx -> elem, i : SeqIdx, e : elem] : SeqIdx -> elem { s ++ i -> e }
fun add [s : SeqIdx -> elem, e : elem] : SeqIdx -> elem { setAt[s, afterLastIdx[s], e] }
fun insert [s : SeqIdx -> elem, i : SeqIdx, e : elem] : SeqIdx -> elem {
  (ord/prevs[i] <: s) + (i -> e) + (~(ord/next)).((ord/nexts[i] + i) <: s)
}
fun delete [s : SeqIdx -> elem, i : SeqIdx] : SeqIdx -> elem {
  (ord/prevs[i] <: s) + (ord/next).(ord/nexts[i] <: s)
}
fun append [s1, s2 : SeqIdx -> elem] : SeqIdx -> elem {
  let move = { to, from : SeqIdx |
    #ord/prevs[to] = add[#ord/prevs[from], add[#ord/prevs[lastIdx[s1]], 1]] } |
      s1 + move.s2
}
fun subseq [s : SeqIdx -> elem, from, to : SeqIdx] : SeqIdx -> elem {
  let move = { new, old : SeqIdx | #ord/prevs[new] = sub[#ord/prevs[old], #ord/prevs[from]] } |
    move.((SeqIdx - ord/nexts[to]) <: s)
}

fun firstIdx : SeqIdx { ord/first }
fun finalIdx : SeqIdx { ord/last }
