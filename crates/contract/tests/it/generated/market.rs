//! A stall on a market: traits as somebody writes them, with arguments and results.

#[path = "market_double.rs"]
pub mod double;

/// What a customer takes home.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt(pub u32);

/// Why nothing was sold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaleError {
    /// There was no money.
    NotPaid,
    /// There was nothing left.
    SoldOut,
}

/// The bank said no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused;

/// protocol: starts closed, ends closed
pub trait Stall {
    /// protocol: closed -> open
    fn open(&mut self, goods: &[u32]);
    /// protocol: open { try { !Bank.charge } catch { ?Bank.Refused : throw !NotPaid } } -> open
    /// protocol: open { throw !SoldOut } -> open
    fn sell(&mut self, cents: u32, name: &str) -> Result<Receipt, SaleError>;
    /// How many were sold.
    fn n_sold(&self) -> usize;
    /// protocol: open { !Bank.total } -> closed
    fn close(&mut self);
}

/// Needs no annotation: the stall says when it calls.
pub trait Bank {
    /// Takes money from somebody.
    fn charge(&mut self, cents: u32, from: &str) -> Result<Receipt, Refused>;
    /// What was taken so far.
    fn total(&self) -> u64;
    /// Not used by the stall.
    fn lend(&mut self, cents: u32) -> bool;
    /// A method that needs no double.
    fn is_open(&self) -> bool {
        true
    }
}
