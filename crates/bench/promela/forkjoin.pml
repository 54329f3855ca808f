/* Fork and join: a master puts a task into each worker's one-place queue in index order; a worker
 * takes it, works, and answers into a one-place queue of its own; the master takes the answers in
 * index order and joins. `done` counts the master's steps in the round. Give N with -DN=8. */
chan task[N] = [1] of { bit };
chan answer[N] = [1] of { bit };
byte done;

active [N] proctype Worker() {
  do
  :: task[_pid]?0;
     true;
     answer[_pid]!0
  od
}

active proctype Master() {
  do
  :: d_step { done < N && len(task[done]) == 0; task[done]!0; done++ }
  :: d_step { done >= N && done < 2 * N && len(answer[done - N]) == 1; answer[done - N]?0; done++ }
  :: d_step { done == 2 * N; done = 0 }
  od
}

#ifdef LIVENESS
ltl { [] <> (done == 2 * N) }
#endif
