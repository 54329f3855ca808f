//! The module itself: its forms, its roles, where it comes from, and its test.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::tables::plan_module;
use super::{Context, Provenance};
use crate::counts::Count;
use crate::interface::Family;
use crate::names::{field_name, ident};
use crate::scope::Scope;
use crate::source::Session;
use crate::structured::FamilyNumbers;

/// Most roles of a module of a fixed number of them whose own test looks at all its states.
const MOST_EXPLORED_ROLES: usize = 6;

impl Context<'_> {
    /// What the page of the module says: what there is, and how it begins.
    pub(crate) fn page(&self) -> Vec<String> {
        let Provenance { file, name, .. } = self.provenance;
        let form = if self.has_liberal() { "liberal" } else { "strict" };
        let (module, chosen) = (field_name(name), self.count.map(|count| count.values[0]));
        let fields: Vec<String> =
            self.interface.families.iter().map(|family| family.field.to_string()).collect();
        let made = match chosen {
            Some(value) => format!("{form}({value}).expect(\"a number that it can have\")"),
            None => format!("{form}()"),
        };
        let mut page = vec![
            format!(
                " The protocol `{name}` of `{file}`: a handle for each role, with the calls that the role needs."
            ),
            String::new(),
            " ```ignore".to_owned(),
            format!(
                " let {module}::Roles {{ {} }} = {module}::{made}.into_roles();",
                fields.join(", ")
            ),
            " ```".to_owned(),
            String::new(),
            " | role | handle | field of `Roles` |".to_owned(),
            " |---|---|---|".to_owned(),
        ];
        page.extend(self.interface.families.iter().map(|family| {
            format!(" | `{}` | `{}` | `{}` |", family.name, family.handle, family.field)
        }));
        page
    }

    pub(super) fn module(&self) -> TokenStream {
        let (runtime, name) = (self.look.runtime, self.provenance.name);
        let strict = self.has_strict().then(|| {
            let doc =
                format!(" `{name}`, strict: one automaton under a lock, exactly the protocol.");
            self.form(&doc, "strict", &quote!(Strict))
        });
        let liberal = self.has_liberal().then(|| {
            let doc =
                format!(" `{name}`, liberal: an automaton per role, with queues between them.");
            self.form(&doc, "liberal", &quote!(Liberal))
        });
        let (chosen, roles, origin) = (self.chosen(), self.roles(), self.origin());
        quote! {
            use #runtime as runtime;

            #strict
            #liberal
            #chosen

            #[doc = " A protocol instance that has not been started."]
            #[allow(dead_code)]
            pub type Module = runtime::TypedModule<Roles>;

            #roles
            #origin
        }
    }

    fn roles(&self) -> TokenStream {
        let families = &self.interface.families;
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
        let values = families.iter().map(|family| {
            let (field, handle) = (&family.field, &family.handle);
            let members = family.members.iter();
            let members = members.map(|member| &self.interface.roles[member.index()].constant);
            if let Some(numbers) = self.numbers(family).filter(|_| family.is_family()) {
                let first = Literal::u16_unsuffixed(numbers.first);
                let step = Literal::u16_unsuffixed(numbers.step);
                quote! {
                    #field: unassigned
                        .take_family(runtime::plan::RoleId(#first), #step)
                        .map(#handle)
                        .collect()
                }
            } else if family.is_family() {
                quote! {
                    #field: [#(roles::#members),*]
                        .into_iter()
                        .filter_map(|role| unassigned.take_member(role))
                        .map(#handle)
                        .collect()
                }
            } else {
                quote!(#field: #handle(unassigned.take(#(roles::#members)*)))
            }
        });
        quote! {
            #[doc = " The roles of the protocol."]
            #[allow(dead_code)]
            pub struct Roles { #(#fields),* }

            impl runtime::RoleSet for Roles {
                type Payload = Payload;

                fn assign(mut unassigned: runtime::Unassigned<Payload>) -> Self {
                    Self { #(#values),* }
                }
            }
        }
    }

    /// The function that makes one of the forms.
    fn form(&self, doc: &str, function: &str, form: &TokenStream) -> TokenStream {
        let function = ident(function);
        if self.structured.is_some() {
            return self.structured_form(doc, &function, form);
        }
        match self.count {
            None => quote! {
                #[doc = #doc]
                #[must_use]
                #[allow(dead_code)]
                pub fn #function() -> Module { Module::new(&plan::PLAN, runtime::Form::#form) }
            },
            Some(count) => {
                let k = count_name(count);
                let more = format!(" `None` if `{k}` is not one of [`COUNTS`].");
                quote! {
                    #[doc = #doc]
                    #[doc = #more]
                    #[must_use]
                    #[allow(dead_code)]
                    pub fn #function(#k: usize) -> Option<Module> {
                        Some(Module::new(chosen(#k)?.plan, runtime::Form::#form))
                    }
                }
            }
        }
    }

    /// The numbers of the members of a family, where there can be any number of them.
    fn numbers(&self, family: &Family) -> Option<FamilyNumbers> {
        let mut numbers = self.structured?.numbers().into_iter();
        numbers.find(|numbers| numbers.name == family.name)
    }

    /// The same where the automata are made with the module.
    fn structured_form(&self, doc: &str, function: &Ident, form: &TokenStream) -> TokenStream {
        let capacity = Literal::u32_unsuffixed(self.capacity);
        let arguments = quote!(#capacity, runtime::Form::#form);
        let Some(count) = self.count else {
            return quote! {
                #[doc = #doc]
                #[must_use]
                #[allow(dead_code)]
                pub fn #function() -> Module { Module::of_fixed(&plan::SCHEME, #arguments) }
            };
        };
        let k = count_name(count);
        let mut values = count.values.iter().map(|&value| Literal::u32_unsuffixed(value));
        let (first, last) = (values.clone().next(), values.next_back());
        let (range, shown) = if count.is_open {
            (quote!((#first..)), format!("{}", count.values[0]))
        } else {
            let shown = format!("{} to {}", count.values[0], count.values[count.values.len() - 1]);
            (quote!((#first..=#last)), shown)
        };
        let more = match count.is_open {
            true => format!(" `{k}` is any number from {shown} on; `None` for others."),
            false => format!(" `{k}` is a number from {shown}; `None` for others."),
        };
        quote! {
            #[doc = #doc]
            #[doc = #more]
            #[must_use]
            #[allow(dead_code)]
            pub fn #function(#k: usize) -> Option<Module> {
                if !#range.contains(&#k) {
                    return None;
                }
                Module::of_scheme(&plan::SCHEME, #k, #arguments)
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
        let known =
            count.values.iter().take(if self.structured.is_some() { 8 } else { usize::MAX });
        let arms = known.map(|&value| {
            let session = count.session(self.provenance.session, value);
            let (arguments, parameters) = arguments(&session);
            let (module, value) = (plan_module(value), Literal::u32_unsuffixed(value));
            let plan = self.structured.is_none().then(|| quote!(plan: &plan::#module::PLAN,));
            quote! {
                #value => Chosen { #plan arguments: #arguments, parameters: #parameters }
            }
        });
        let plan = self.structured.is_none().then(|| quote!(plan: &'static runtime::Plan,));
        let doc = match count.is_open {
            true => format!(" The values of `{k}` that tests try."),
            false => format!(" The values of `{k}` that the module was generated for."),
        };
        let about = format!(" What depends on `{k}`.");
        Some(quote! {
            #[doc = #doc]
            #[allow(dead_code)]
            pub const COUNTS: [usize; #n_values] = [#(#values),*];

            #[doc = #about]
            #[allow(dead_code)]
            struct Chosen {
                #plan
                arguments: &'static [&'static str],
                parameters: &'static [(&'static str, &'static str)],
            }

            #[allow(dead_code)]
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
                    pub fn origin() -> runtime::Origin {
                        runtime::Origin {
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
                    pub fn origin(#k: usize) -> Option<runtime::Origin> {
                        let Chosen { arguments, parameters, .. } = chosen(#k)?;
                        Some(runtime::Origin { file: #file, text: TEXT, session: #name, arguments, parameters })
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
                #[doc = " The module in all its variants, for tests."]
                #[must_use]
                #[allow(dead_code)]
                #verify
            }
        });
        quote! {
            #[doc = " The protocol that this module was generated from."]
            #[must_use]
            #[allow(dead_code)]
            #origin

            #[allow(dead_code)]
            const TEXT: &str = #text;

            #verify
        }
    }

    /// The forms, to be verified.
    fn verified(&self, argument: &TokenStream) -> Vec<TokenStream> {
        let found = self.count.map(|_| quote!(?));
        let forms = [
            (
                self.has_strict(),
                quote!((runtime::Form::Strict, strict(#argument)#found.into_untyped())),
            ),
            (
                self.has_liberal(),
                quote!((runtime::Form::Liberal, liberal(#argument)#found.into_untyped())),
            ),
        ];
        forms.into_iter().filter(|(has, _)| *has).map(|(_, form)| form).collect()
    }

    pub(super) fn test(&self) -> TokenStream {
        let is_large = self.structured.is_some()
            && self.count.is_none()
            && self.plan.roles.len() > MOST_EXPLORED_ROLES;
        if !self.look.test || !self.look.samples || is_large {
            return TokenStream::new();
        }
        let body = match self.count {
            None => quote!(super::verify().conforms().assert();),
            Some(_) if self.structured.is_some() => quote! {
                // All states are looked at, which are many for larger values.
                for count in super::COUNTS.into_iter().take(3) {
                    super::verify(count).expect("generated for it").conforms().assert();
                }
            },
            Some(_) => quote! {
                for count in super::COUNTS {
                    super::verify(count).expect("generated for it").conforms().assert();
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
