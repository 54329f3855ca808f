/* Leader election in a unidirectional ring (Dolev, Klawe, Rodeh 1982), queues of four messages,
 * numbers in zig-zag order N, 1, N-1, 2, … A receive with all that follows from it locally is one
 * step, a send another. The winner's number goes round once; then every node rests.
 * Give N with -DN=9. */
mtype = { one, two, winner };
chan ring[N] = [4] of { mtype, byte };

#define NUMBER ((_pid % 2) -> (_pid + 1) / 2 : N - _pid / 2)
#define IN  ring[_pid]
#define OUT ring[(_pid + 1) % N]

active [N] proctype Node() {
  bit passive, knows, rests;
  bit sends = 1;                       /* kind(number) waits to be sent */
  mtype kind = one;
  byte number = NUMBER, maximum = NUMBER, neighbour;

end:
  do
  :: d_step {
       sends && len(OUT) < 4;
       OUT!kind(number);
       sends = 0;
       rests = (kind == winner && !knows -> 1 : 0)
     }
  :: d_step {
       !sends && !rests && len(IN) > 0;
       IN?kind(number);
       sends = 1;
       if
       :: kind == winner && knows -> sends = 0; rests = 1
       :: kind == winner && !knows
       :: kind != winner && passive
       :: kind == one && !passive && number != maximum -> neighbour = number; kind = two
       :: kind == one && !passive && number == maximum -> knows = 1; kind = winner
       :: kind == two && !passive && neighbour > number && neighbour > maximum ->
            maximum = neighbour; number = neighbour; kind = one
       :: kind == two && !passive && !(neighbour > number && neighbour > maximum) ->
            passive = 1; sends = 0
       fi
     }
  od
}
