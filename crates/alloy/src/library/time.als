-- Moments as atoms, and what changes from one to another.

open util/ordering[Time]

sig Time {}

let dynamic[x] = x one -> Time
let dynamicSet[x] = x -> Time

let then [a, b, from, to] {
  some between : Time | a[from, between] and b[between, to]
}

let while = while3

let while9 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while8[cond, body, x, to]
}
let while8 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while7[cond, body, x, to]
}
let while7 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while6[cond, body, x, to]
}
let while6 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while5[cond, body, x, to]
}
let while5 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while4[cond, body, x, to]
}
let while4 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while3[cond, body, x, to]
}
let while3 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while2[cond, body, x, to]
}
let while2 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while1[cond, body, x, to]
}
let while1 [cond, body, from, to] {
  some x : Time | (cond[from] implies body[from, x] else from = x) and while0[cond, body, x, to]
}
let while0 [cond, body, from, to] { not cond[from] and from = to }
