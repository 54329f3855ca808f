//! Kernels over modules that are generated from `protocols/`: requests and replies become typed messages. There
//! is a module for each kernel and number of workers.
//!
//! Nothing here enforces the order of messages: the modules do, in either form.

use quadrille_runtime::Form;

use crate::link::{Broken, MasterLink, Reply, Request, Worker, WorkerLink, Workers};
use crate::{cg, ft, is, mg};

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

/// All kernels for one number of workers.
macro_rules! kernels {
    ($size:ident) => {
        mod $size {
            use super::*;
            use crate::generated::$size as generated;

            pub(super) fn cg(form: Form, problem: cg::Problem) -> Result<cg::Answer, Broken> {
                use generated::cg as module;
                let module::Roles { master, workers } = in_form!(module, form).into_roles();
                cg::parallel::solve(problem, master, workers)
            }

            pub(super) fn ft(form: Form, problem: ft::Problem) -> Result<ft::Answer, Broken> {
                use generated::ft as module;
                let module::Roles { master, evolves, ffts } = in_form!(module, form).into_roles();
                ft::parallel::solve(problem, master, evolves, ffts)
            }

            pub(super) fn is(form: Form, problem: is::Problem) -> Result<is::Answer, Broken> {
                use generated::is_sort as module;
                let module::Roles { master, workers } = in_form!(module, form).into_roles();
                is::parallel::solve(problem, master, workers)
            }

            pub(super) fn mg(form: Form, problem: mg::Problem) -> Result<mg::Answer, Broken> {
                use generated::mg as module;
                let roles = in_form!(module, form).into_roles();
                let module::Roles { master, interps, psinvs, rprjs, resids } = roles;
                let links = mg::parallel::Links {
                    interp: interps,
                    psinv: psinvs,
                    rprj: rprjs,
                    resid: resids,
                };
                mg::parallel::solve(problem, master, links)
            }

            mod of_cg {
                use super::generated::cg;
                use super::*;
                links! { cg:
                    crate::cg::parallel::Multiplication, Worker, WorkerReceives, Work => Done;
                }
            }

            mod of_ft {
                use super::generated::ft;
                use super::*;
                links! { ft:
                    crate::ft::parallel::Evolve, Evolve, EvolveReceives, Step => Stepped;
                    crate::ft::parallel::Fft, Fft, FftReceives, Transform => Transformed;
                }
            }

            mod of_is {
                use super::generated::is_sort;
                use super::*;
                links! { is_sort:
                    crate::is::parallel::Counting, Worker, WorkerReceives, Count => Counted;
                }
            }

            mod of_mg {
                use super::generated::mg;
                use super::*;
                links! { mg:
                    crate::mg::parallel::Interp, Interp, InterpReceives, Work => Done;
                    crate::mg::parallel::Psinv, Psinv, PsinvReceives, Work => Done;
                    crate::mg::parallel::Rprj, Rprj, RprjReceives, Work => Done;
                    crate::mg::parallel::Resid, Resid, ResidReceives, Residual => Done;
                }
            }
        }
    };
}

macro_rules! in_form {
    ($module:ident, $form:ident) => {
        match $form {
            Form::Strict => $module::strict(),
            Form::Liberal => $module::liberal(),
        }
    };
}

/// Solves the problem of a kernel over the module for so many workers.
macro_rules! solve {
    ($($kernel:ident),+) => { $(
        pub(crate) fn $kernel(
            form: Form,
            workers: Workers,
            problem: $kernel::Problem,
        ) -> Result<$kernel::Answer, Broken> {
            match workers.get() {
                2 => two::$kernel(form, problem),
                4 => four::$kernel(form, problem),
                _ => Err(Broken(format!("there are modules for 2 and 4 workers, not for {workers}"))),
            }
        }
    )+ };
}

kernels!(two);
kernels!(four);
solve!(cg, ft, is, mg);
