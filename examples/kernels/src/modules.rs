//! Kernels over modules that are generated from `protocols/`: requests and replies become typed messages.
//!
//! Nothing here enforces the order of messages: the modules do, in either form.

use crate::generated::{cg, ft, is_sort, mg};
use crate::link::{Broken, MasterLink, Reply, Request, Worker, WorkerLink};

/// Makes the roles of a module links: for each group of workers, its role with what it receives, and which
/// message is a request and which the reply.
macro_rules! links {
    ($module:ident: $($group:ty, $role:ident, $receives:ident, $work:ident => $done:ident;)+) => { $(
        impl MasterLink<$group> for $module::Master {
            fn send(&mut self, to: Worker, request: Request<$group>) -> Result<(), Broken> {
                let message = match request {
                    Request::Work(work) => $module::MasterSends::$work(work),
                    Request::Exit => $module::MasterSends::Exit($module::Exit),
                };
                self.send_to($module::Role::$role(to.0), message).map_err(Broken::because)
            }

            fn receive(&mut self, from: Worker) -> Result<Reply<$group>, Broken> {
                let role = $module::Role::$role(from.0);
                match self.recv_from(role).map_err(Broken::because)? {
                    $module::MasterReceives::$done(done) => Ok(Reply::Done(done)),
                    $module::MasterReceives::Exited($module::Exited) => Ok(Reply::Exited),
                    #[allow(unreachable_patterns)] // where all groups give the same reply
                    _ => Err(Broken(format!("{role} gives the reply of another group"))),
                }
            }
        }

        impl WorkerLink<$group> for $module::$role {
            fn receive(&mut self) -> Result<Request<$group>, Broken> {
                Ok(match self.recv().map_err(Broken::because)? {
                    $module::$receives::$work(work) => Request::Work(work),
                    $module::$receives::Exit($module::Exit) => Request::Exit,
                })
            }

            fn send(&mut self, reply: Reply<$group>) -> Result<(), Broken> {
                let sent = match reply {
                    Reply::Done(done) => self.send(done),
                    Reply::Exited => self.send($module::Exited),
                };
                sent.map_err(Broken::because)
            }
        }
    )+ };
}

links! { cg:
    crate::cg::parallel::Multiplication, Worker, WorkerReceives, Work => Done;
}

links! { ft:
    crate::ft::parallel::Evolve, Evolve, EvolveReceives, Step => Stepped;
    crate::ft::parallel::Fft, Fft, FftReceives, Transform => Transformed;
}

links! { is_sort:
    crate::is::parallel::Counting, Worker, WorkerReceives, Count => Counted;
}

links! { mg:
    crate::mg::parallel::Interp, Interp, InterpReceives, Work => Done;
    crate::mg::parallel::Psinv, Psinv, PsinvReceives, Work => Done;
    crate::mg::parallel::Rprj, Rprj, RprjReceives, Work => Done;
    crate::mg::parallel::Resid, Resid, ResidReceives, Residual => Done;
}
