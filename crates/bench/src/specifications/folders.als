-- Folders and files, and what moving and deleting does to them.

abstract sig Entry { var parent : lone Folder }
sig File extends Entry {}
sig Folder extends Entry {}
one sig Root extends Folder {}
var sig Live in Entry {}

pred tree {
  no Root.parent and Root in Live
  parent in Live -> Live
  all e : Live - Root | one e.parent
  no e : Entry | e in e.^parent
}

fact start { tree and Live = Root }

pred make [e : Entry, f : Folder] {
  e not in Live and f in Live
  Live' = Live + e
  parent' = parent + e -> f
}

pred move [e : Entry, f : Folder] {
  e in Live - Root and f in Live
  f not in e.*~parent
  parent' = parent ++ e -> f
  Live' = Live
}

pred remove [e : Entry] {
  e in Live - Root
  let gone = e.*~parent {
    Live' = Live - gone
    parent' = parent - gone -> Folder
  }
}

pred rest { Live' = Live and parent' = parent }
fact moves {
  always (rest or some e : Entry | remove[e] or some f : Folder | make[e, f] or move[e, f])
}

check stays_a_tree { always tree } for 4 but 8 steps expect 0
check stays_a_larger_tree { always tree } for 6 but 5 steps expect 0
check nothing_comes_back { all e : Entry | always (e not in Live implies always e not in Live) }
  for 4 expect 1
run deep { eventually some e : Live | #e.^parent = 4 } for 6 but 8 steps expect 1
run emptied { some e : Entry { eventually (e in Live - Root and some parent.e and after no Live - Root) } }
  for 5 expect 1
