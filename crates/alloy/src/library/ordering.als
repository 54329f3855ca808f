module util/ordering[exactly elem]
-- A total order of all atoms of a signature.

private one sig Ord {
  First : set elem,
  Next : elem -> elem
} {
  pred/totalOrder[elem, First, Next]
}

fun first : one elem { Ord.First }
fun last : one elem { elem - Ord.Next.elem }
fun next : elem -> elem { Ord.Next }
fun prev : elem -> elem { ~(Ord.Next) }
fun nexts [e : elem] : set elem { e.^(Ord.Next) }
fun prevs [e : elem] : set elem { ^(Ord.Next).e }

pred lt [e1, e2 : elem] { e1 in prevs[e2] }
pred gt [e1, e2 : elem] { e1 in nexts[e2] }
pred lte [e1, e2 : elem] { e1 = e2 or lt[e1, e2] }
pred gte [e1, e2 : elem] { e1 = e2 or gt[e1, e2] }

fun larger [e1, e2 : elem] : elem { lt[e1, e2] implies e2 else e1 }
fun smaller [e1, e2 : elem] : elem { lt[e1, e2] implies e1 else e2 }
fun max [es : set elem] : lone elem { es - ^(Ord.Next).es }
fun min [es : set elem] : lone elem { es - es.^(Ord.Next) }
