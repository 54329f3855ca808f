//! Roles whose states are types: a module for each role, or for each kind of member of a family.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_diagnostic::Diagnostic;
use quadrille_runtime::plan::RoleId;
use quote::quote;

use super::Context;
use super::diagram::typed_diagram;
use super::state::ClassText;
use crate::interface::Family;
use crate::names::{field_name, ident, type_name};
use crate::scope::Scope;
use crate::state_names::state_names;
use crate::typestate::{Class, classes};

/// Most kinds of members that have modules of their own, where there can be any number of members.
const MOST_CLASSES: usize = 3;

impl Context<'_> {
    /// The call that starts the typed states of a role, for its handle, and their module.
    pub(super) fn typed(&self, family: &Family) -> Option<(TokenStream, TokenStream)> {
        let classes = self.classes(family);
        let module = &family.module;
        match classes.as_slice() {
            [] => None,
            [only] => {
                let doc = format!(" `{}` with a type for each state:", family.name);
                let (start, states, items) = self.class(family, only, 1);
                let module_text =
                    quote!(#[doc = #doc] #(#[doc = #states])* pub mod #module { #items });
                Some((quote!({ typed #module::#start }), module_text))
            }
            several => Some(self.several_classes(family, several)),
        }
    }

    /// What has typed states; none where there would be too many.
    fn classes(&self, family: &Family) -> Vec<Class> {
        let forks = self.structured.map_or(&[][..], |structured| &structured.example.locals);
        let is_forked =
            |member: &RoleId| forks.get(member.index()).is_some_and(|it| !it.is_empty());
        if !self.look.typed || family.members.iter().any(is_forked) {
            return Vec::new();
        }
        let classes = classes(self.plan, self.interface, self.written, &family.members);
        if self.structured.is_some() && classes.len() > MOST_CLASSES {
            return Vec::new();
        }
        classes
    }

    /// Names that the text gives to states and that no typed state has, with the reason.
    pub(crate) fn unused_names(&self) -> Vec<Diagnostic> {
        let families = self.interface.families.iter();
        let classes: Vec<Class> = families.flat_map(|family| self.classes(family)).collect();
        self.written.unused(self.plan, &classes)
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
        let made: Vec<(Ident, Vec<String>, TokenStream)> =
            classes.iter().map(|class| self.class(family, class, 2)).collect();
        let starts = made.iter().map(|(start, ..)| start);
        let arms = classes.iter().zip(&names).zip(starts.clone()).map(
            |((class, (inner, variant)), start)| {
                let members = self.member_pattern(family, class);
                quote!(#members => #module::Typed::#variant, #module::#inner::#start;)
            },
        );
        let call = quote!({ typed #module::Typed { #(#arms)* } });
        let variants =
            names.iter().zip(classes).zip(starts).map(|(((inner, variant), class), start)| {
                let members: Vec<String> = class
                    .members
                    .iter()
                    .map(|member| format!("`{}`", self.plan.roles[member.index()]))
                    .collect();
                let doc = format!(" {}.", members.join(", "));
                quote!(#[doc = #doc] #variant(#inner::#start))
            });
        let modules = names.iter().zip(classes).zip(&made).map(|(((inner, _), class), made)| {
            let doc = format!(" The states of `{}`:", self.plan.roles[class.members[0].index()]);
            let (_, states, items) = made;
            quote!(#[doc = #doc] #(#[doc = #states])* pub mod #inner { #items })
        });
        let doc = format!(" `{}` with a type for each state; its members differ.", family.name);
        let module = quote! {
            #[doc = #doc]
            pub mod #module {
                #[doc = " A member at its start."]
                #[must_use = "the protocol is not over"]
                #[allow(dead_code)]
                pub enum Typed { #(#variants),* }
                #(#modules)*
            }
        };
        (call, module)
    }

    /// Matches the members of a class.
    fn member_pattern(&self, family: &Family, class: &Class) -> TokenStream {
        let handle = &family.handle;
        let indices = |member: &RoleId| &self.interface.roles[member.index()].indices;
        let number = |index: &i64| Literal::i64_unsuffixed(*index);
        if family.n_indices > 1 {
            let members = class.members.iter().map(|member| {
                let numbers = indices(member).iter().map(number);
                quote!(Role::#handle(#(#numbers),*))
            });
            return quote!(#(#members)|*);
        }
        let numbers: Vec<i64> = class.members.iter().map(|member| indices(member)[0]).collect();
        let is_range = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        match numbers.as_slice() {
            [first, _, .., last] if is_range => {
                let (first, last) = (number(first), number(last));
                quote!(Role::#handle(#first..=#last))
            }
            all => {
                let all = all.iter().map(number);
                quote!(Role::#handle(#(#all)|*))
            }
        }
    }

    /// The name of the first state of a class; what it does, state by state, for its documentation; and its items.
    fn class(
        &self,
        family: &Family,
        class: &Class,
        depth: usize,
    ) -> (Ident, Vec<String>, TokenStream) {
        let supers = std::iter::repeat_n(quote!(super), depth);
        let supers = quote!(#(#supers)::*);
        let messages = class.states.iter().flat_map(|state| {
            let sends = state.sends.iter().map(|sending| sending.message);
            sends.chain(state.receives.iter().map(|each| each.message))
        });
        let messages = messages.map(|message| self.interface.message(message));
        let messages = messages.filter(|message| !message.is_written());
        let messages: BTreeSet<Ident> = messages.map(|message| message.ident.clone()).collect();
        let names: Vec<String> = messages.iter().map(ToString::to_string).collect();
        let taken = ["Payload", "Role"].into_iter().chain(names.iter().map(String::as_str));
        let mut types = Scope::new(taken);
        let names = state_names(self.plan, self.interface, &class.states, &mut types);
        let start = names[0].clone();
        let docs = typed_diagram(self, &names, &class.states);
        let visible = if depth == 1 { quote!(pub(super)) } else { quote!(pub(in super::super)) };
        let mut text = ClassText { context: self, family, class, names, types };
        let role = match class.members.as_slice() {
            [only] => self.plan.roles[only.index()].to_string(),
            _ => family.name.clone(),
        };
        let states: Vec<TokenStream> =
            (0..class.states.len()).map(|number| text.state(number)).collect();
        let text = quote!(#(#states)*).to_string();
        let items = [
            ("Payload", true),
            ("Role", text.contains(", Role }")),
            ("labels", text.contains("labels ::")),
            ("roles", text.contains("roles ::")),
            ("runtime", true),
        ];
        let items = items.into_iter().filter(|(_, is_used)| *is_used).map(|(item, _)| ident(item));
        let used: BTreeSet<Ident> = items.chain(messages).collect();
        let used = used.iter();
        let items = quote! {
            use #supers::{#(#used),*};
            runtime::states! { #visible of #role; #(#states)* }
        };
        (start, docs, items)
    }
}
