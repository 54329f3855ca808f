//! Signing in through a third party: the application learns who a user is and never sees a password. Three processes.

use quadrille_runtime::Error;
use serde::{Deserialize, Serialize};

use crate::login::{
    App, AppReceives, Denied, Provider, ProviderReceives, Redirect, Refused, Role, Sorry, User,
    UserReceives, Visit, Welcome,
};

/// A name and a password.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Credentials {
    /// Who it is.
    pub name: String,
    /// What proves it.
    pub password: String,
}

/// What the provider gives a user, to be passed on to the application.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Code(pub u64);

/// The code, on its way back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Exchange(pub u64);

/// Who the user is.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Token(pub String);

/// Tries passwords until one is right or the provider has enough; whether the application says welcome.
pub fn user(mut role: User, name: &str, passwords: &[&str]) -> Result<bool, Error> {
    role.send(Visit)?;
    role.recv_from(Role::App)?;
    // The protocol has as many attempts as this.
    for attempt in 0..3 {
        let password = passwords.get(attempt).copied().unwrap_or_default().to_owned();
        role.send(Credentials { name: name.to_owned(), password })?;
        if let UserReceives::Code(code) = role.recv_from(Role::Provider)? {
            role.send(code)?;
            let is_welcome = matches!(role.recv()?, UserReceives::Welcome(_));
            role.finish()?;
            return Ok(is_welcome);
        }
    }
    role.send(Denied)?;
    role.recv()?;
    role.finish()?;
    Ok(false)
}

/// Sends users to the provider, and welcomes those with a code that it accepts; who came.
pub fn app(mut role: App) -> Result<Option<String>, Error> {
    role.recv()?;
    role.send(Redirect)?;
    let AppReceives::Code(Code(code)) = role.recv_from(Role::User)? else {
        role.send(Sorry)?;
        role.finish()?;
        return Ok(None);
    };
    role.send(Exchange(code))?;
    let who = match role.recv_from(Role::Provider)? {
        AppReceives::Token(Token(name)) => {
            role.send(Welcome)?;
            Some(name)
        }
        _ => {
            role.send(Sorry)?;
            None
        }
    };
    role.finish()?;
    Ok(who)
}

/// Knows the passwords; `code` makes codes that cannot be guessed.
pub fn provider(
    mut role: Provider,
    is_right: impl Fn(&Credentials) -> bool,
    code: impl Fn() -> u64,
) -> Result<(), Error> {
    for _ in 0..3 {
        let ProviderReceives::Credentials(credentials) = role.recv()? else {
            unreachable!("users show credentials first")
        };
        if !is_right(&credentials) {
            role.send(Denied)?;
            continue;
        }
        let given = code();
        role.send(Code(given))?;
        // The same code comes back, by way of the user and the application.
        match role.recv()? {
            ProviderReceives::Exchange(Exchange(code)) if code == given => {
                role.send(Token(credentials.name))?;
            }
            _ => role.send(Refused)?,
        }
        break;
    }
    role.finish()
}
