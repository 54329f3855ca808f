//! The module itself: its forms, its roles, where it comes from, and its test.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Context;
use super::tables::plan_module;
use crate::counts::Count;
use crate::names::{field_name, ident};
use crate::scope::Scope;
use crate::source::Session;

impl Context<'_> {
    pub(super) fn imports(&self) -> TokenStream {
        let runtime = self.look.runtime;
        quote! {
            use std::fmt;
            use std::sync::Arc;
            use std::time::Duration;

            use #runtime as runtime;
            use #runtime::plan::{LabelId, RoleId};
            use #runtime::{Error, Form, Observe, Origin, Plan, Policy};

            use plan::{labels, roles};
        }
    }

    pub(super) fn module(&self) -> TokenStream {
        let name = self.provenance.name;
        let strict = self.look.forms.has_strict().then(|| {
            let doc = format!(
                " `{name}` in strict form: one machine for everybody, exactly what the protocol says."
            );
            self.form(&doc, "strict", &quote!(Strict))
        });
        let liberal = self.look.forms.has_liberal().then(|| {
            let doc = format!(
                " `{name}` in liberal form: a machine for each role, and queues between them."
            );
            self.form(&doc, "liberal", &quote!(Liberal))
        });
        let chosen = self.chosen();
        let roles = self.roles();
        let origin = self.origin();
        quote! {
            #strict
            #liberal
            #chosen

            fn module(plan: &Plan, form: Form) -> Module {
                Module(runtime::Module::new(plan, form).expect("generated plans are sound"))
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

            impl AsRef<runtime::Module<Payload>> for Module {
                fn as_ref(&self) -> &runtime::Module<Payload> { &self.0 }
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

    /// The function that makes one of the forms.
    fn form(&self, doc: &str, function: &str, form: &TokenStream) -> TokenStream {
        let function = ident(function);
        match self.count {
            None => quote! {
                #[doc = #doc]
                #[must_use]
                pub fn #function() -> Module { module(&plan::PLAN, Form::#form) }
            },
            Some(count) => {
                let k = count_name(count);
                let more = format!(" Nothing if `{k}` is not one of [`COUNTS`].");
                quote! {
                    #[doc = #doc]
                    #[doc = #more]
                    #[must_use]
                    pub fn #function(#k: usize) -> Option<Module> {
                        Some(module(chosen(#k)?.plan, Form::#form))
                    }
                }
            }
        }
    }

    /// What depends on the count.
    fn chosen(&self) -> Option<TokenStream> {
        let count = self.count?;
        let k = count_name(count);
        let values: Vec<Literal> =
            count.values.iter().map(|&value| Literal::u32_unsuffixed(value)).collect();
        let n_values = Literal::usize_unsuffixed(values.len());
        let arms = count.values.iter().map(|&value| {
            let session = count.session(self.provenance.session, value);
            let (arguments, parameters) = arguments(&session);
            let (module, value) = (plan_module(value), Literal::u32_unsuffixed(value));
            quote! {
                #value => Chosen { plan: &plan::#module::PLAN, arguments: #arguments, parameters: #parameters }
            }
        });
        let doc = format!(" The values of `{k}` that the module has been made for.");
        let about = format!(" What depends on `{k}`.");
        Some(quote! {
            #[doc = #doc]
            pub const COUNTS: [usize; #n_values] = [#(#values),*];

            #[doc = #about]
            struct Chosen {
                plan: &'static Plan,
                arguments: &'static [&'static str],
                parameters: &'static [(&'static str, &'static str)],
            }

            fn chosen(#k: usize) -> Option<Chosen> {
                Some(match #k { #(#arms,)* _ => return None })
            }
        })
    }

    fn origin(&self) -> TokenStream {
        let from = &self.provenance;
        let (file, name, text) = (from.file, from.name, raw(from.text));
        let (origin, verify) = match self.count {
            None => {
                let (arguments, parameters) = arguments(from.session);
                let origin = quote! {
                    pub fn origin() -> Origin {
                        Origin {
                            file: #file,
                            text: TEXT,
                            session: #name,
                            arguments: #arguments,
                            parameters: #parameters,
                        }
                    }
                };
                let forms = self.verified(&quote!());
                (
                    origin,
                    quote! {
                        pub fn verify() -> runtime::Subject<Payload> {
                            runtime::Subject { origin: origin(), modules: Vec::from([#(#forms),*]) }
                        }
                    },
                )
            }
            Some(count) => {
                let k = count_name(count);
                let origin = quote! {
                    pub fn origin(#k: usize) -> Option<Origin> {
                        let Chosen { arguments, parameters, .. } = chosen(#k)?;
                        Some(Origin { file: #file, text: TEXT, session: #name, arguments, parameters })
                    }
                };
                let forms = self.verified(&quote!(#k));
                (
                    origin,
                    quote! {
                        pub fn verify(#k: usize) -> Option<runtime::Subject<Payload>> {
                            Some(runtime::Subject { origin: origin(#k)?, modules: Vec::from([#(#forms),*]) })
                        }
                    },
                )
            }
        };
        let verify = self.look.samples.then(|| {
            quote! {
                #[doc = " All forms of the module, to be verified in tests."]
                #[must_use]
                #verify
            }
        });
        quote! {
            #[doc = " The protocol that this module was generated from."]
            #[must_use]
            #origin

            const TEXT: &str = #text;

            #verify
        }
    }

    /// The forms, to be verified.
    fn verified(&self, argument: &TokenStream) -> Vec<TokenStream> {
        let found = self.count.map(|_| quote!(?));
        let forms = [
            (
                self.look.forms.has_strict(),
                quote!((Form::Strict, strict(#argument)#found.into_untyped())),
            ),
            (
                self.look.forms.has_liberal(),
                quote!((Form::Liberal, liberal(#argument)#found.into_untyped())),
            ),
        ];
        forms.into_iter().filter(|(has, _)| *has).map(|(_, form)| form).collect()
    }

    pub(super) fn test(&self) -> TokenStream {
        if !self.look.test || !self.look.samples {
            return TokenStream::new();
        }
        let body = match self.count {
            None => quote!(super::verify().conforms().assert();),
            Some(_) => quote! {
                for count in super::COUNTS {
                    super::verify(count).expect("made for it").conforms().assert();
                }
            },
        };
        quote! {
            #[cfg(test)]
            mod tests {
                use quadrille::Verify as _;

                #[test]
                fn does_what_the_protocol_says() { #body }
            }
        }
    }
}

/// What the count is called; not like the functions that it is given to.
fn count_name(count: &Count) -> Ident {
    let taken = ["strict", "liberal", "module", "chosen", "origin", "arguments", "parameters"];
    Scope::new(taken).take(&field_name(&count.name))
}

/// Arguments and parameters of a session, as lists.
fn arguments(session: &Session) -> (TokenStream, TokenStream) {
    let arguments = &session.arguments;
    let parameters = session.parameters.iter().map(|(name, value)| quote!((#name, #value)));
    (quote!(&[#(#arguments),*]), quote!(&[#(#parameters),*]))
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
