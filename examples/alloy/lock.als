-- A lock that several nodes ask for. Grants can expire: then a node may believe for a while that it
-- still holds the lock, although another one does.

sig Node { var believes : lone Lock }
one sig Lock { var holder : lone Node }

fact start { no holder and no believes }

pred grant [n : Node] {
  no Lock.holder
  holder' = Lock -> n
  believes' = believes + n -> Lock
}

pred notice [n : Node] {
  some n.believes and n not in Lock.holder
  believes' = believes - n -> Lock
  holder' = holder
}

pred expire {
  some holder
  no holder'
  believes' = believes
}

pred rest {
  holder' = holder
  believes' = believes
}

fact behaviour {
  always (rest or expire or some n : Node | grant[n] or notice[n])
}

assert holder_knows { always all n : Lock.holder | some n.believes }
check holder_knows for 3 expect 0

assert one_believer { always lone believes.Lock }
check one_believer for 2 expect 1

-- If nodes notice, every wrong belief ends. This takes fairness, and is shown for runs of every length.
pred attentive {
  all n : Node | always ((some n.believes and n not in Lock.holder) implies eventually notice[n])
}
check beliefs_end {
  attentive implies
    all n : Node | always (some n.believes implies
      (always n in Lock.holder) or eventually (no n.believes or n in Lock.holder))
} for 2 expect 0

run two_in_turn {
  some disj a, b : Node { grant[a] ; expire ; grant[b] }
} for 2 expect 1
