//! What every crate sees without importing it. Recent compilers (1.95) find macros there, too, so that
//! `thread_local!` must be named here, or crates that are built against this `std` get the real one.

macro_rules! prelude {
    ($($name:ident),*) => {
        $(
            #[doc = "What crates of this edition see."]
            pub mod $name {
                pub use ::std::prelude::$name::*;
                pub use crate::thread_local;
            }
        )*
    };
}

prelude!(v1, rust_2015, rust_2018, rust_2021, rust_2024);
