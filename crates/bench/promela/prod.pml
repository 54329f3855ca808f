/* Producer and consumer with a chain of N one-place buffers. A put is a call: request, response,
 * each a rendezvous. A buffer takes a request at once and answers it when its place is free; the
 * next request may come while it passes the item on. 2 * 3^N states. Give N with -DN=12. */
chan request[N + 1] = [0] of { bit };
chan response[N + 1] = [0] of { bit };

active [N] proctype Buffer() {
idle:
  request[_pid]?0;
asked:
  response[_pid]!0;
  if                                       /* holds an item, nobody waits */
  :: request[_pid]?0;
     request[_pid + 1]!0                   /* holds an item, somebody waits */
  :: request[_pid + 1]!0;
     if                                    /* passes it on, nobody waits */
     :: request[_pid]?0
     :: response[_pid + 1]?0; goto idle
     fi
  fi;
  response[_pid + 1]?0;                    /* passes it on, somebody waits */
  goto asked
}

active proctype Producer() {
  do
  :: request[0]!0; response[0]?0
  od
}

active proctype Consumer() {
  do
  :: request[N]?0; response[N]!0
  od
}
