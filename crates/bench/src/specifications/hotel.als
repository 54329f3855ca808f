-- Keys of hotel rooms: a door learns the next key when it first sees it, and the desk knows which key
-- it handed out last.

open util/ordering[Key]

sig Key {}
sig Guest { var keys : set Key }
sig Room {
  var current : one Key,
  own : set Key
}
one sig Desk {
  var issued : Room -> lone Key,
  var occupant : Room -> lone Guest
}

fact start {
  no keys and no Desk.occupant
  own in Room lone -> Key
  all r : Room | r.current in r.own and r.(Desk.issued) = r.current
}

fun following [k : Key, among : set Key] : lone Key { min[nexts[k] & among] }

pred checkin [g : Guest, r : Room, k : Key] {
  no r.(Desk.occupant)
  k = following[r.(Desk.issued), r.own]
  keys' = keys + g -> k
  issued' = Desk -> (Desk.issued ++ r -> k)
  occupant' = occupant + Desk -> r -> g
  current' = current
}

pred checkout [g : Guest] {
  some (Desk.occupant).g
  occupant' = Desk -> (Desk.occupant :> (Guest - g))
  keys' = keys and issued' = issued and current' = current
}

pred enter [g : Guest, r : Room, k : Key] {
  k in g.keys
  k = r.current or k = following[r.current, r.own]
  current' = current ++ r -> k
  keys' = keys and issued' = issued and occupant' = occupant
}

pred rest { keys' = keys and current' = current and issued' = issued and occupant' = occupant }

fact moves {
  always (rest or some g : Guest |
    checkout[g] or some r : Room, k : Key | checkin[g, r, k] or enter[g, r, k])
}

pred intruded {
  some g : Guest, r : Room, k : Key | enter[g, r, k] and some r.(Desk.occupant) and g not in r.(Desk.occupant)
}

check nobody_intrudes { always not intruded } for 3 expect 1
check keys_are_not_shared { always keys in Guest lone -> Key } for 3 but 8 steps expect 0
run two_guests { some disj g, h : Guest, r : Room | eventually (some k : Key | enter[g, r, k])
  and eventually (some k : Key | enter[h, r, k]) } for 3 but 2 Room expect 1
check doors_have_their_keys { always current in own } for 4 but 8 steps expect 0
