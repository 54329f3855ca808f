/* Two-phase commit after Lamport's TwoPhase: N (3 to 8) resource managers; messages are never
 * taken away, so every one that can be received can be received again, and those steps are
 * counted. One process with one option per action of the specification, because the manager's
 * actions range over the resource managers. Give N with -DN=7. */
#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3

byte resource[N];        /* what each resource manager does */
byte manager;            /* WORKING stands for "init"; else its message is on the way */
byte heard;              /* managers whose "prepared" was taken, as bits */
byte said;               /* "prepared" messages on the way, as bits */

#define ALL ((1 << N) - 1)
#define ACTIONS(r) \
  :: d_step { manager == WORKING && (said & (1 << r)); heard = heard | (1 << r) } \
  :: d_step { resource[r] == WORKING; resource[r] = PREPARED; said = said | (1 << r) } \
  :: d_step { resource[r] == WORKING; resource[r] = ABORTED } \
  :: d_step { manager == COMMITTED; resource[r] = COMMITTED } \
  :: d_step { manager == ABORTED; resource[r] = ABORTED }

active proctype Everything() {
  do
  :: d_step { manager == WORKING && heard == ALL; manager = COMMITTED }
  :: d_step { manager == WORKING; manager = ABORTED }
  ACTIONS(0) ACTIONS(1) ACTIONS(2)
#if N > 3
  ACTIONS(3)
#endif
#if N > 4
  ACTIONS(4)
#endif
#if N > 5
  ACTIONS(5)
#endif
#if N > 6
  ACTIONS(6)
#endif
#if N > 7
  ACTIONS(7)
#endif
  od
}
