//! Generated modules as programs use them, and what the compiler says where they do not.

mod all;
mod compile_errors;
mod play;
