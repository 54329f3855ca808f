module util/natural
-- Natural numbers as atoms, as many as the scope says.

private open util/ordering[Natural] as ord
private open util/integer as integer

sig Natural {}
one sig Zero in Natural {}
lone sig One in Natural {}

fact { first in Zero and next[first] in One }

fun inc [n : Natural] : lone Natural { ord/next[n] }
fun dec [n : Natural] : lone Natural { ord/prev[n] }

fun add [n1, n2 : Natural] : lone Natural {
  { n : Natural | #ord/prevs[n] = plus[#ord/prevs[n1], #ord/prevs[n2]] }
}
fun sub [n1, n2 : Natural] : lone Natural {
  { n : Natural | plus[#ord/prevs[n2], #ord/prevs[n]] = #ord/prevs[n1] }
}
fun mul [n1, n2 : Natural] : lone Natural {
  { n : Natural | #(ord/prevs[n1] -> ord/prevs[n2]) = #ord/prevs[n] }
}
fun div [n1, n2 : Natural] : lone Natural {
  { n : Natural | #(ord/prevs[n2] -> ord/prevs[n]) = #ord/prevs[n1] }
}

pred lt [n1, n2 : Natural] { ord/lt[n1, n2] }
pred gt [n1, n2 : Natural] { ord/gt[n1, n2] }
pred lte [n1, n2 : Natural] { ord/lte[n1, n2] }
pred gte [n1, n2 : Natural] { ord/gte[n1, n2] }
fun max [ns : set Natural] : lone Natural { ord/max[ns] }
fun min [ns : set Natural] : lone Natural { ord/min[ns] }
