module util/sequence[elem]
-- Sequences as atoms.

open util/ordering[SeqIdx] as ord

sig SeqIdx {}

sig Seq {
  seqElems : SeqIdx -> lone elem
} {
  -- There is no gap.
  all i : SeqIdx - ord/first | some i.seqElems implies some ord/prev[i].seqElems
}

fact canonicalizeSeqs { no disj a, b : Seq | a.seqElems = b.seqElems }

fun at [s : Seq, i : SeqIdx] : lone elem { i.(s.seqElems) }
fun elems [s : Seq] : set elem { SeqIdx.(s.seqElems) }
fun inds [s : Seq] : set SeqIdx { (s.seqElems).elem }
fun first [s : Seq] : lone elem { s.at[ord/first] }
fun lastIdx [s : Seq] : lone SeqIdx { ord/max[s.inds] }
fun last [s : Seq] : lone elem { s.at[s.lastIdx] }
fun afterLastIdx [s : Seq] : lone SeqIdx { ord/min[SeqIdx - s.inds] }
fun indsOf [s : Seq, e : elem] : set SeqIdx { (s.seqElems).e }
fun idxOf [s : Seq, e : elem] : lone SeqIdx { ord/min[s.indsOf[e]] }
fun lastIdxOf [s : Seq, e : elem] : lone SeqIdx { ord/max[s.indsOf[e]] }

pred isEmpty [s : Seq] { no s.elems }
pred hasDups [s : Seq] { #elems[s] < #inds[s] }
pred noDuplicates { all s : Seq | not s.hasDups }
pred allExist {
  some s : Seq | s.isEmpty
  all s : Seq | SeqIdx not in s.inds implies (all e : elem | some t : Seq | s.add[e, t])
}
pred allExistNoDuplicates {
  some s : Seq | s.isEmpty
  all s : Seq {
    not s.hasDups
    SeqIdx not in s.inds implies (all e : elem - s.elems | some t : Seq | s.add[e, t])
  }
}

pred rest [s, r : Seq] {
  not s.isEmpty
  all i : SeqIdx | r.at[i] = s.at[ord/next[i]]
}
pred startsWith [s, prefix : Seq] { all i : prefix.inds | s.at[i] = prefix.at[i] }
pred add [s : Seq, e : elem, added : Seq] {
  added.startsWith[s]
  added.seqElems[s.afterLastIdx] = e
  #added.inds = (#s.inds).add[1]
}
pred setAt [s : Seq, idx : SeqIdx, e : elem, setted : Seq] {
  setted.seqElems = s.seqElems ++ idx -> e
}
pred insert [s : Seq, idx : SeqIdx, e : elem, inserted : Seq] {
  inserted.at[idx] = e
  all i : ord/prevs[idx] | inserted.at[i] = s.at[i]
  all i : ord/nexts[idx] | inserted.at[i] = s.at[ord/prev[i]]
  #inserted.inds = (#s.inds).add[1]
}
pred copy [source, dest : Seq, destStart : SeqIdx] {
  all from : source.inds | some to : SeqIdx {
    ord/gte[to, destStart]
    dest.at[to] = source.at[from]
    #ord/prevs[from] = #(ord/prevs[to] - ord/prevs[destStart])
  }
}
pred append [s1, s2, appended : Seq] {
  appended.startsWith[s1]
  copy[s2, appended, s1.afterLastIdx]
  #appended.inds = (#s1.inds).add[#s2.inds]
}
pred subseq [s, sub : Seq, from, to : SeqIdx] {
  ord/lte[from, to]
  copy[sub, s, from]
  #sub.inds = #(to + ord/prevs[to] - ord/prevs[from])
}

fun firstIdx : SeqIdx { ord/first }
fun finalIdx : SeqIdx { ord/last }
