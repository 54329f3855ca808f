//! FT: a diffusion equation in three dimensions, solved with fast Fourier transforms.

mod channels;
mod complex;
mod fft;
mod field;
pub mod parallel;
mod problem;
mod sequential;

pub use complex::Complex;
pub use field::{Equation, Slab};
pub use problem::{Answer, Problem, Shape};
