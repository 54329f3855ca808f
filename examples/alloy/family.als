-- People with their parents: no person is their own ancestor, and marriages are mutual.

abstract sig Person {
  mother : lone Woman,
  father : lone Man,
  married : lone Person
}
sig Woman, Man extends Person {}

fun parents : Person -> Person { mother + father }

fact biology { no p : Person | p in p.^parents }

fact marriage {
  married = ~married
  no p : Person | some p.married & (p.*parents + p.*~parents)
  all p : Person | no p.married.parents & p.parents
}

fun siblings [p : Person] : set Person { p.parents.~parents - p }

assert no_sibling_marriage { no p : Person | some p.married & siblings[p] }
check no_sibling_marriage for 5 expect 0

-- Cousins may marry.
assert no_common_ancestor { all p : Person | no p.married.^parents & p.^parents }
check no_common_ancestor for 7 expect 1

run three_generations { some p : Person | some p.parents.parents } for 5 expect 1
