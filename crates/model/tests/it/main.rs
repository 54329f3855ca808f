//! Tests of the model families through their public interface.

mod checked;
mod naive;
mod network;
