-- Leader election in a ring: each node sends what is greatest of what it has seen.

open util/ordering[Id]

sig Id {}
sig Node { id : one Id, next : one Node, var inbox : set Id }
var sig Elected in Node {}

fact ring {
  all n : Node | Node in n.^next
  id in Node lone -> Id
}
fact start {
  no Elected
  inbox = ~next.id
}

pred receive [n : Node, i : Id] {
  i in n.inbox
  lt[n.id, i] => inbox' = inbox - n -> i + n.next -> i else inbox' = inbox - n -> i
  i = n.id => Elected' = Elected + n else Elected' = Elected
}
pred rest { inbox' = inbox and Elected' = Elected }
fact moves { always (rest or some n : Node, i : Id | receive[n, i]) }

check at_most_one { always lone Elected } for 3 but 10 steps
check at_most_one_of_four { always lone Elected } for 4 but 8 steps
check someone { (always (some inbox implies not rest)) implies eventually some Elected } for 3
run elected { eventually some Elected } for exactly 4 Node, exactly 4 Id, 12 steps
