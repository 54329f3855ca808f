/* Dining philosophers: N philosophers, N fork bits, the last philosopher takes his forks in the
 * other order. Five positions (thinking, hungry, one fork, eating, one fork put down), five steps.
 * Counts: L(3N) states, L the Lucas numbers. Give N with -DN=8. */
bit fork[N];

#define FIRST  (_pid == N - 1 -> 0 : _pid)
#define SECOND (_pid == N - 1 -> N - 1 : _pid + 1)

#ifdef LIVENESS
byte eaters;
#define SIT_DOWN eaters++
#define GET_UP   eaters--
ltl { [] <> (eaters > 0) }
#else
#define SIT_DOWN skip
#define GET_UP   skip
#endif

active [N] proctype Philosopher() {
  do
  :: true;
     d_step { fork[FIRST] == 0; fork[FIRST] = 1 };
     d_step { fork[SECOND] == 0; fork[SECOND] = 1; SIT_DOWN };
     d_step { fork[FIRST] = 0; GET_UP };
     fork[SECOND] = 0
  od
}
