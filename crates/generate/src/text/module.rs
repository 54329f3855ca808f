//! The module itself: its forms, its roles, where it comes from, and its test.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Context;
use crate::interface::Family;

impl Context<'_> {
    pub(super) fn imports(&self) -> TokenStream {
        let runtime = self.look.runtime;
        let waits = self.interface.families.iter().any(Family::asks);
        let duration = waits.then(|| {
            quote!(
                use std::time::Duration;
            )
        });
        quote! {
            use std::fmt;
            use std::sync::Arc;
            #duration

            use #runtime as runtime;
            use #runtime::plan::{LabelId, RoleId};
            use #runtime::{Error, Form, Observe, Origin, Policy};

            use plan::{labels, roles};
        }
    }

    pub(super) fn module(&self) -> TokenStream {
        let protocol = &*self.plan.protocol;
        let strict = self.look.forms.has_strict().then(|| {
            let doc = format!(
                " `{protocol}` in strict form: one machine for everybody, exactly what the protocol says."
            );
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn strict() -> Module { module(Form::Strict) }
            }
        });
        let liberal = self.look.forms.has_liberal().then(|| {
            let doc = format!(
                " `{protocol}` in liberal form: a machine for each role, and queues between them."
            );
            quote! {
                #[doc = #doc]
                #[must_use]
                pub fn liberal() -> Module { module(Form::Liberal) }
            }
        });
        let roles = self.roles();
        let origin = self.origin();
        quote! {
            #strict
            #liberal

            fn module(form: Form) -> Module {
                Module(runtime::Module::new(&plan::PLAN, form).expect("generated plans are sound"))
            }

            #[doc = " The protocol, about to be run."]
            pub struct Module(runtime::Module<Payload>);

            impl Module {
                #[doc = " Sets who gets a message where the protocol and the sender leave it open."]
                #[must_use]
                pub fn policy(self, policy: Policy) -> Self { Self(self.0.policy(policy)) }

                #[doc = " Sets where random choices begin."]
                #[must_use]
                pub fn seed(self, seed: u64) -> Self { Self(self.0.seed(seed)) }

                #[doc = " Lets somebody look on."]
                #[must_use]
                pub fn observe(self, observer: Arc<dyn Observe>) -> Self { Self(self.0.observe(observer)) }

                #[doc = " The roles, for a thread or task each."]
                #[must_use]
                pub fn into_roles(self) -> Roles { Roles::of(self.0.into_roles()) }

                #[doc = " The module without the types of its roles."]
                #[must_use]
                pub fn into_untyped(self) -> runtime::Module<Payload> { self.0 }
            }

            #roles
            #origin
        }
    }

    fn roles(&self) -> TokenStream {
        let families = &self.interface.families;
        let (many, one): (Vec<_>, Vec<_>) = families.iter().partition(|family| family.is_family());
        let fields = families.iter().map(|family| {
            let (field, handle) = (&family.field, &family.handle);
            if family.is_family() {
                let doc = format!(" All `{}`, by index.", family.name);
                quote!(#[doc = #doc] pub #field: Vec<#handle>)
            } else {
                let doc = format!(" `{}`.", family.name);
                quote!(#[doc = #doc] pub #field: #handle)
            }
        });
        let lets = families.iter().map(|family| {
            let field = &family.field;
            if family.is_family() {
                quote!(let mut #field = Vec::new();)
            } else {
                quote!(let mut #field = None;)
            }
        });
        let arms = families.iter().map(|family| {
            let (field, handle) = (&family.field, &family.handle);
            if family.is_family() {
                let indices = family.index_names();
                let index = family.index(&indices);
                quote!(Role::#handle(#(#indices),*) => { #field.push(#handle { role, #index }); })
            } else {
                quote!(Role::#handle => #field = Some(#handle { role }))
            }
        });
        let sorts = many.iter().map(|family| {
            let (field, handle) = (&family.field, &family.handle);
            quote!(#field.sort_unstable_by_key(#handle::index);)
        });
        let one: Vec<_> = one.iter().map(|family| &family.field).collect();
        let many: Vec<_> = many.iter().map(|family| &family.field).collect();
        let every =
            (!one.is_empty()).then(|| quote!(let every = "generated modules have every role";));
        quote! {
            #[doc = " The roles of the protocol."]
            pub struct Roles { #(#fields),* }

            impl Roles {
                fn of(made: Vec<runtime::Role<Payload>>) -> Self {
                    #(#lets)*
                    for role in made {
                        match plan::SEATS[role.id().index()] { #(#arms),* }
                    }
                    #(#sorts)*
                    #every
                    Self { #(#one: #one.expect(every),)* #(#many),* }
                }
            }
        }
    }

    fn origin(&self) -> TokenStream {
        let from = &self.provenance;
        let (file, session) = (from.file, from.session);
        let text = raw(from.text);
        let arguments = from.arguments;
        let parameters = from.parameters.iter().map(|(name, value)| quote!((#name, #value)));
        let verify = self.look.samples.then(|| {
            let forms = [
                (self.look.forms.has_strict(), quote!((Form::Strict, strict().into_untyped()))),
                (self.look.forms.has_liberal(), quote!((Form::Liberal, liberal().into_untyped()))),
            ];
            let forms = forms.into_iter().filter(|(has, _)| *has).map(|(_, form)| form);
            quote! {
                #[doc = " All forms of the module, to be verified in tests."]
                #[must_use]
                pub fn verify() -> runtime::Subject<Payload> {
                    runtime::Subject { origin: origin(), modules: vec![#(#forms),*] }
                }
            }
        });
        quote! {
            #[doc = " The protocol that this module was generated from."]
            #[must_use]
            pub fn origin() -> Origin {
                Origin {
                    file: #file,
                    text: TEXT,
                    session: #session,
                    arguments: &[#(#arguments),*],
                    parameters: &[#(#parameters),*],
                }
            }

            const TEXT: &str = #text;

            #verify
        }
    }

    pub(super) fn test(&self) -> TokenStream {
        if !self.look.test || !self.look.samples {
            return TokenStream::new();
        }
        quote! {
            #[cfg(test)]
            mod tests {
                use quadrille::Verify as _;

                #[test]
                fn does_what_the_protocol_says() {
                    super::verify().conforms().assert();
                }
            }
        }
    }
}

/// A string as people would write it, over several lines.
fn raw(text: &str) -> TokenStream {
    let hashes = |part: &str| part.len() - part.trim_start_matches('#').len();
    let longest = text.split('"').skip(1).map(hashes).max();
    let fence = "#".repeat(longest.map_or(0, |longest| longest + 1));
    let literal = format!("r{fence}\"{text}\"{fence}").parse::<Literal>();
    match literal {
        Ok(literal) if !text.contains('\r') => quote!(#literal),
        _ => quote!(#text),
    }
}
