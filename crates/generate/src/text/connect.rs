//! Roles that run in different processes.

use proc_macro2::TokenStream;
use quadrille_runtime::plan::{Act, Kind};
use quote::quote;

use super::Context;
use crate::interface::Family;

impl Context<'_> {
    /// The role over a network, unless it takes part in steps of several roles: those need one place.
    pub(super) fn connect(&self, family: &Family) -> Option<TokenStream> {
        let takes_part = |act: &Act| {
            let mut all = std::iter::once(act.from).chain(act.to.iter().copied());
            all.any(|role| family.members.contains(&role))
        };
        if self.plan.acts.iter().any(|act| act.kind == Kind::Exchange && takes_part(act)) {
            return None;
        }
        let (handle, number) = (&family.handle, family.number_type());
        let indices = if family.is_family() { family.index_names() } else { Vec::new() };
        let role = if family.is_family() { quote!((#(#indices),*)) } else { quote!() };
        let index = family.is_family().then(|| family.index(&indices));
        Some(quote! {
            #[doc = " Plays the role here, and leaves the others to the processes where the streams lead. Each role must run in"]
            #[doc = " exactly one of them."]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = ""]
            #[doc = " The module is in strict form, or the peers do not run all other roles of the same protocol."]
            pub fn connect(
                module: Module,
                #(#indices: #number,)*
                peers: Vec<std::net::TcpStream>,
            ) -> Result<(Self, runtime::tcp::Connections), runtime::tcp::ConnectError> {
                let (role, connections) = module.0.connect_as(Role::#handle #role.id(), peers)?;
                Ok((Self { role, #index }, connections))
            }
        })
    }
}
