-- Static relations: colours of graphs, and holes for pigeons.

sig Place { beside : set Place, colour : one Colour }
sig Colour {}
fact graph { beside = ~beside and no beside & iden }
fact proper { all p : Place | p.colour not in p.beside.colour }

sig Pigeon { hole : one Hole }
sig Hole {}
fact alone { hole in Pigeon lone -> one Hole }

run wheel { some p : Place | Place - p = p.beside } for exactly 6 Place, 4 Colour, 0 Pigeon, 0 Hole
check bipartite { #Colour = 2 implies no p : Place | p in p.beside.beside.beside }
  for 7 Place, 2 Colour, 0 Pigeon, 0 Hole
run pigeons { some Pigeon } for exactly 8 Pigeon, 7 Hole, 0 Place, 0 Colour
check transitive { (no p : Place | p in p.^beside) implies no beside }
  for 8 Place, 8 Colour, 0 Pigeon, 0 Hole
