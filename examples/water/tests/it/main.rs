//! Both implementations of the interface, and the table of planted errors.

mod interfaces;
mod table;
