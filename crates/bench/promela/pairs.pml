/* Handshake pairs: N callers, each with a callee of its own; one request, one response, then both
 * rest. A handshake is a rendezvous. Nobody terminates: Spin would count the removal of a process
 * as a step. 3^N states. Give N with -DN=12. */
chan call[N] = [0] of { bit };
chan reply[N] = [0] of { bit };

active [N] proctype Caller() {
  call[_pid]!0;
  reply[_pid]?0;
end: false
}

active [N] proctype Callee() {
  call[_pid - N]?0;
  reply[_pid - N]!0;
end: false
}
