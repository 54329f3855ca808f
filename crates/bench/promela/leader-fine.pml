/* Leader election in a unidirectional ring (Dolev, Klawe, Rodeh 1982), queues of four messages,
 * numbers in zig-zag order N, 1, N-1, 2, … Every statement is a step: translate with -o3, or Spin
 * merges some. The winner's number goes round once; then every node rests.
 * Give N with -DN=7. */
mtype = { one, two, winner };
chan ring[N] = [4] of { mtype, byte };

#define NUMBER ((_pid % 2) -> (_pid + 1) / 2 : N - _pid / 2)
#define IN  ring[_pid]
#define OUT ring[(_pid + 1) % N]
#ifdef LIVENESS
byte leaders;
#define LEAD leaders++
ltl { <> [] (leaders == 1) }
#else
#define LEAD skip
#endif
#define BETTER (neighbour > number && neighbour > maximum)

active [N] proctype Node() {
  bit passive, knows;
  mtype kind;
  byte number, maximum = NUMBER, neighbour;

  OUT!one(maximum);
end:
  do
  :: IN?kind(number);
     if
     :: kind != winner && !passive ->
        if
        :: kind == one && number != maximum -> OUT!two(number); neighbour = number
        :: kind == one && number == maximum ->
           d_step { knows = 1; LEAD };
           OUT!winner(number);
           number = 0
        :: kind == two && BETTER -> OUT!one(neighbour); maximum = neighbour
        :: kind == two && !BETTER -> passive = 1
        fi
     :: kind != winner && passive ->
        if
        :: kind == one -> OUT!one(number)
        :: kind == two -> OUT!two(number)
        fi;
        number = 0
     :: kind == winner ->
        if
        :: knows -> number = 0
        :: !knows -> knows = 1; OUT!winner(number); number = 0
        fi;
        break
     fi
  od;
endrest: false
}
