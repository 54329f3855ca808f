/* Peterson's lock for N processes (the filter lock). One step per access to a shared variable: set
 * the own level; set the victim of that level; then look at every process in turn, oneself
 * included, and pass it when it is oneself, is on a lower level, or somebody else is the victim.
 * The critical section ends with setting the own level to 0. Give N with -DN=5. */
byte level[N];
byte victim[N];          /* by level; level 0 has none */

#define PASSES (k == _pid || level[k] < j || victim[j] != _pid)

#ifdef LIVENESS
byte inside;
#define ENTER inside++
#define LEAVE inside--
ltl { [] <> (inside > 0) }
#else
#define ENTER skip
#define LEAVE skip
#endif

active [N] proctype Process() {
  byte j, k;

  do
  :: d_step { j = 1; level[_pid] = 1 };
     goto mark;
climb:
     level[_pid] = j;
mark:
     victim[j] = _pid;
wait:
     if
     :: d_step { k < N - 1 && PASSES; k++ }; goto wait
     :: d_step { k == N - 1 && j < N - 1 && PASSES; k = 0; j++ }; goto climb
     :: d_step { k == N - 1 && j == N - 1 && PASSES; k = 0; ENTER }
     fi;
     d_step { level[_pid] = 0; j = 0; LEAVE }
  od
}
