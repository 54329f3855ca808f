//! Roles whose states are types: a module for each role, or for each kind of member of a family.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_runtime::plan::RoleId;
use quote::quote;

use super::Context;
use super::state::StateText;
use crate::interface::Family;
use crate::names::{field_name, ident, type_name};
use crate::scope::Scope;
use crate::typestate::{Class, classes};

impl Context<'_> {
    /// The call that starts the typed states of a role, for its handle, and their module.
    pub(super) fn typed(&self, family: &Family) -> Option<(TokenStream, TokenStream)> {
        if !self.look.typed {
            return None;
        }
        let classes = classes(self.plan, self.interface, &family.members);
        let module = &family.module;
        let doc =
            " The role with a type for each of its states. It must not have done anything yet.";
        match classes.as_slice() {
            [] => None,
            [only] => {
                let call = quote! {
                    #[doc = #doc]
                    pub fn typed(self) -> #module::Start { #module::Start(self.role) }
                };
                let doc = format!(" `{}`, with a type for each of its states.", family.name);
                let items = self.class(family, only, 1);
                Some((call, quote!(#[doc = #doc] pub mod #module { #items })))
            }
            several => Some(self.several_classes(family, several)),
        }
    }

    /// Members that differ have modules of their own.
    fn several_classes(&self, family: &Family, classes: &[Class]) -> (TokenStream, TokenStream) {
        let module = &family.module;
        let (mut modules, mut variants) = (Scope::default(), Scope::default());
        let names: Vec<(Ident, Ident)> = classes
            .iter()
            .map(|class| {
                let name = &self.plan.roles[class.members[0].index()];
                (modules.take(&field_name(name)), variants.take(&type_name(name)))
            })
            .collect();
        let arms = classes.iter().zip(&names).map(|(class, (inner, variant))| {
            let members = self.member_pattern(family, class);
            quote!(#members => #module::Typed::#variant(#module::#inner::Start(self.role)))
        });
        let never = "generated handles have a member of their family";
        let call = quote! {
            #[doc = " The role with a type for each of its states. It must not have done anything yet."]
            pub fn typed(self) -> #module::Typed {
                match self.index { #(#arms,)* _ => unreachable!(#never) }
            }
        };
        let variants = names.iter().zip(classes).map(|((inner, variant), class)| {
            let members: Vec<String> = class
                .members
                .iter()
                .map(|member| format!("`{}`", self.plan.roles[member.index()]))
                .collect();
            let doc = format!(" {}.", members.join(", "));
            quote!(#[doc = #doc] #variant(#inner::Start))
        });
        let modules = names.iter().zip(classes).map(|((inner, _), class)| {
            let doc = format!(" What `{}` does.", self.plan.roles[class.members[0].index()]);
            let items = self.class(family, class, 2);
            quote!(#[doc = #doc] pub mod #inner { #items })
        });
        let doc = format!(
            " `{}`, with a type for each of its states; not all members are alike.",
            family.name
        );
        let module = quote! {
            #[doc = #doc]
            pub mod #module {
                #[doc = " A member, at its start."]
                #[must_use = "the protocol goes on"]
                pub enum Typed { #(#variants),* }
                #(#modules)*
            }
        };
        (call, module)
    }

    /// Matches the indices of the members of a class.
    fn member_pattern(&self, family: &Family, class: &Class) -> TokenStream {
        let indices = |member: &RoleId| &self.interface.seats[member.index()].indices;
        let numbers: Vec<i64> = class.members.iter().map(|member| indices(member)[0]).collect();
        let number = |index: &i64| Literal::i64_unsuffixed(*index);
        if family.n_indices > 1 {
            let tuples = class.members.iter().map(|member| {
                let numbers = indices(member).iter().map(number);
                quote!((#(#numbers),*))
            });
            return quote!(#(#tuples)|*);
        }
        let is_range = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        match numbers.as_slice() {
            [first, _, .., last] if is_range => {
                let (first, last) = (number(first), number(last));
                quote!(#first..=#last)
            }
            all => {
                let all = all.iter().map(number);
                quote!(#(#all)|*)
            }
        }
    }

    fn class(&self, family: &Family, class: &Class, depth: usize) -> TokenStream {
        let supers = std::iter::repeat_n(quote!(super), depth);
        let supers = quote!(#(#supers)::*);
        let states = (0..class.states.len())
            .map(|number| StateText::new(self, family, class, number, depth).tokens());
        let states: Vec<TokenStream> = states.collect();
        let text = quote!(#(#states)*).to_string();
        let names_sender = class
            .states
            .iter()
            .flat_map(|state| &state.receives)
            .any(|reception| reception.several);
        let items = [
            ("Duration", text.contains("Duration >")),
            ("Error", text.contains("Error >")),
            ("Payload", true),
            ("Role", names_sender),
            ("labels", text.contains("labels ::")),
            ("roles", text.contains("roles ::")),
            ("runtime", true),
        ];
        let items = items.into_iter().filter(|(_, is_used)| *is_used).map(|(item, _)| ident(item));
        let messages = class
            .states
            .iter()
            .flat_map(|state| {
                state
                    .sends
                    .iter()
                    .map(|sending| sending.message)
                    .chain(state.receives.iter().map(|each| each.message))
            })
            .map(|message| self.interface.message(message))
            .filter(|message| !message.is_written())
            .map(|message| message.ident.clone());
        let used: BTreeSet<Ident> = items.chain(messages).collect();
        let used = used.iter();
        quote! {
            use #supers::{#(#used),*};
            #(#states)*
        }
    }
}
