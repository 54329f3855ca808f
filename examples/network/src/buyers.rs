//! Two buyers who share the price of a book: what each of the three does. The states of the roles are types, so that a step
//! out of turn does not compile.

use quadrille_runtime::Error;
use serde::{Deserialize, Serialize};

use crate::two_buyer::{Address, Alice, AliceReceives, Bob, Buy, Quit, Seller, SellerReceives};

/// The title of a book.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Title(pub String);

/// What it costs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Quote(pub u32);

/// What the first buyer pays of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Share(pub u32);

/// What arrives.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Delivery(pub String);

/// Asks for a book and pays half of it; whether it was bought.
pub fn alice(mut role: Alice, title: &str) -> Result<bool, Error> {
    role.send(Title(title.to_owned()))?;
    let AliceReceives::Quote(Quote(price)) = role.recv()? else { unreachable!("it comes first") };
    role.send(Share(price / 2))?;
    let is_bought = matches!(role.recv()?, AliceReceives::Buy(_));
    role.finish()?;
    Ok(is_bought)
}

/// Pays the rest, if it has enough; what was delivered.
pub fn bob(mut role: Bob, budget: u32) -> Result<Option<String>, Error> {
    use crate::two_buyer::{BobReceives, Role};

    let BobReceives::Quote(Quote(price)) = role.recv_from(Role::Seller)? else {
        unreachable!("the seller quotes first")
    };
    let BobReceives::Share(Share(share)) = role.recv_from(Role::Alice)? else {
        unreachable!("Alice says her share")
    };
    if price - share > budget {
        role.send_to(Role::Alice, Quit)?;
        role.send_to(Role::Seller, Quit)?;
        role.finish()?;
        return Ok(None);
    }
    role.send(Buy)?;
    role.send(Address)?;
    let BobReceives::Delivery(Delivery(book)) = role.recv()? else {
        unreachable!("the seller delivers")
    };
    role.finish()?;
    Ok(Some(book))
}

/// Quotes a price, and delivers if it is asked to.
pub fn seller(mut role: Seller, price: impl Fn(&str) -> u32) -> Result<(), Error> {
    use crate::two_buyer::Role;

    let SellerReceives::Title(Title(title)) = role.recv()? else {
        unreachable!("a title comes first")
    };
    let quote = Quote(price(&title));
    role.send_to(Role::Alice, quote)?;
    role.send_to(Role::Bob, quote)?;
    if let SellerReceives::Address(_) = role.recv()? {
        role.send(Delivery(title))?;
    }
    role.finish()
}
