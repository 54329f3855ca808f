-- A lock that a coordinator leases to one node at a time. A lease runs out; a node may be slow to
-- notice.

open util/ordering[Epoch]

sig Epoch {}

sig Node {
  var believes : lone Epoch -- the lease it thinks it has
}

one sig Lease {
  var epoch : one Epoch,
  var holder : lone Node
}

fact start {
  Lease.epoch = first
  no Lease.holder
  no believes
}

pred grant [n : Node] {
  no Lease.holder
  some Lease.epoch.next
  Lease.epoch' = Lease.epoch.next
  Lease.holder' = n
  believes' = believes ++ n -> Lease.epoch.next
}

pred expire {
  some Lease.holder
  no Lease.holder'
  Lease.epoch' = Lease.epoch
  believes' = believes
}

pred notice [n : Node] {
  some n.believes and Lease.holder != n
  believes' = believes - n -> Epoch
  holder' = holder
  epoch' = epoch
}

pred rest {
  believes' = believes
  holder' = holder
  epoch' = epoch
}

fact behaviour {
  always (rest or expire or some n : Node | grant[n] or notice[n])
}

-- Nobody holds the lease but who believes so.
assert holders_know {
  always all n : Lease.holder | n.believes = Lease.epoch
}
check holders_know for 3 but 4 Epoch expect 0

-- Two nodes may both believe that they have it: this is why epochs are compared.
assert one_believer {
  always lone believes.Epoch
}
check one_believer for 3 expect 1

assert newest_wins {
  always all disj n, m : Node | some n.believes and some m.believes implies n.believes != m.believes
}
check newest_wins for 3 but 4 Epoch expect 0

run handed_over {
  some disj a, b : Node { grant[a]; expire; grant[b] }
} for 3 expect 1
