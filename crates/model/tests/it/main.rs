//! Tests of the model families through their public interface.

mod naive;
mod network;
mod random;
