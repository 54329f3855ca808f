//! `Role`, and a handle for each role with the types of the messages that it sends and receives.

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_runtime::plan::{Act, Kind};
use quote::{format_ident, quote};

use super::Context;
use super::diagram::diagram;
use crate::interface::{Family, MessageIndex, RoleName};
use crate::structured::Structured;

impl Context<'_> {
    pub(super) fn role_enum(&self) -> TokenStream {
        let labels = self.labels();
        if let Some(structured) = self.structured {
            let families = self.families(structured);
            return quote!(#families #labels);
        }
        let variants = self.interface.families.iter().map(|family| {
            let (handle, name, number) = (&family.handle, &family.name, family.number_type());
            if !family.is_family() {
                return quote!({ #handle #name });
            }
            let indices = family.index_names();
            let shown: String = indices.iter().map(|index| format!("[{{{index}}}]")).collect();
            let shown = format!("{name}{shown}");
            quote!({ #handle(#(#indices: #number),*) #shown })
        });
        let numbered = self.interface.roles.iter().enumerate().map(|(number, role)| {
            let (number, constant) = (Literal::usize_unsuffixed(number), &role.constant);
            let value = self.variant_of(role);
            quote!([#number #constant #value])
        });
        quote! {
            runtime::roles! { #(#variants)* #(#numbered)* }
            #labels
        }
    }

    fn labels(&self) -> TokenStream {
        let labels = self.interface.labels.iter().zip(self.plan.labels.iter()).enumerate();
        let labels = labels.map(|(number, (constant, name))| {
            let (number, name) = (Literal::usize_unsuffixed(number), &**name);
            quote!([#number #constant #name])
        });
        quote!(runtime::labels! { #(#labels)* })
    }

    /// `Role` where families have any number of members.
    fn families(&self, structured: &Structured) -> TokenStream {
        let numbers = structured.numbers();
        let by_name = |family: &&Family| numbers.iter().find(|numbers| numbers.name == family.name);
        let singles = self.interface.families.iter().filter(|family| !family.is_family());
        let singles = singles.map(|family| {
            let (handle, name) = (&family.handle, &family.name);
            let id = Literal::u16_unsuffixed(by_name(&family).map_or(0, |numbers| numbers.first));
            let constant =
                family.members.first().map(|member| &self.interface.roles[member.index()].constant);
            quote!({ #handle #name = #id #constant })
        });
        let several = self.interface.families.iter().filter(|family| family.is_family());
        let several = several.filter_map(|family| {
            let (handle, name) = (&family.handle, &family.name);
            let numbers = by_name(&family)?;
            let lowest = Literal::usize_unsuffixed(numbers.lowest);
            let first = Literal::u16_unsuffixed(numbers.first);
            let step = Literal::u16_unsuffixed(numbers.step);
            Some(quote!([#handle from #lowest #name = #first + #step]))
        });
        // Typed states name their peers.
        let named = self.look.typed.then_some(&self.interface.roles);
        let members = named.into_iter().flatten().enumerate().filter_map(|(number, role)| {
            let (number, constant) = (Literal::usize_unsuffixed(number), &role.constant);
            self.interface.families[role.family].is_family().then(|| quote!((#number #constant)))
        });
        quote!(runtime::families! { #(#singles)* #(#several)* #(#members)* })
    }

    /// A role as a variant of the enumeration, without the enumeration's name.
    fn variant_of(&self, role: &RoleName) -> TokenStream {
        let handle = &self.interface.families[role.family].handle;
        let indices = role.indices.iter().map(|&index| Literal::i64_unsuffixed(index));
        let indices = (!role.indices.is_empty()).then(|| quote!((#(#indices),*)));
        quote!(#handle #indices)
    }

    pub(super) fn handles(&self) -> TokenStream {
        let handles = self.interface.families.iter().map(|family| self.handle(family));
        quote!(#(#handles)*)
    }

    fn handle(&self, family: &Family) -> TokenStream {
        let (typed, typed_module) = self.typed(family).unzip();
        let (handle, docs) = (&family.handle, self.role_docs(family, typed.is_some()));
        let index = family.is_family().then(|| {
            let (indices, number) = (family.index_names(), family.index_type());
            let value = if let [only] = indices.as_slice() {
                quote!(#only)
            } else {
                quote!((#(#indices),*))
            };
            quote!({ index Role::#handle(#(#indices),*) => #value, #number })
        });
        let rest = family.is_family().then(|| quote!((..)));
        let sends = (!family.sends.is_empty()).then(|| {
            let (message, pack) = self.sent(family);
            quote!({ sends #message => #pack })
        });
        let receives = (!family.receives.is_empty()).then(|| {
            let (message, unpack) = self.received(family);
            quote!({ receives #message => #unpack })
        });
        let closes = family.closes.then(|| quote!({ closes }));
        let does = family.does.iter().map(|(label, call)| {
            let (label, call_async) = (&self.interface.labels[label.index()], future_of(call));
            quote!({ does labels::#label, #call #call_async })
        });
        let types = self.message_enums(family);
        let connect = self.connect(family);
        quote! {
            runtime::handle! {
                #(#[doc = #docs])*
                pub struct #handle;
                { role Role::#handle #rest }
                #index #sends #receives #closes #(#does)* #typed #connect
            }
            #types
            #typed_module
        }
    }

    /// The role over a network, unless it takes part in a rendezvous: that needs one process.
    fn connect(&self, family: &Family) -> Option<TokenStream> {
        let takes_part = |act: &Act| {
            let mut all = std::iter::once(act.from).chain(act.to.iter().copied());
            all.any(|role| family.members.contains(&role))
        };
        let mut acts = self.plan.acts.iter();
        if !self.look.tcp || acts.any(|act| act.kind == Kind::Exchange && takes_part(act)) {
            return None;
        }
        let (handle, number) = (&family.handle, family.number_type());
        let indices = if family.is_family() { family.index_names() } else { Vec::new() };
        let role = family.is_family().then(|| quote!((#(#indices),*)));
        Some(quote!({ connect Role::#handle #role #(, #indices: #number)* }))
    }

    /// What to say of a handle: what its role does, unless that stands beside the types of its states.
    fn role_docs(&self, family: &Family, has_types: bool) -> Vec<String> {
        let mut docs = vec![format!(" The handle of `{}`.", family.name)];
        if has_types {
            docs.push(format!(" [`{}`] has a type for each of its states.", family.module));
            return docs;
        }
        // A family of one would not show how its members differ.
        let example = 1.min(self.plans.len() - 1);
        let plan = self.plans[example];
        let forks = self.structured.map(|structured| &structured.example.locals);
        let members = family.members.iter().filter(|member| member.index() < plan.roles.len());
        let Some(&member) = members.min() else { return docs };
        let forks =
            forks.and_then(|forks| forks.get(member.index())).map_or(&[][..], Vec::as_slice);
        let lines = diagram(plan, forks, member);
        if lines.is_empty() {
            return docs;
        }
        let with = self.count.map(|count| {
            let value = self.structured.map_or(count.values[example], |it| it.example_value);
            format!(" with {} = {value}", count.name)
        });
        let (name, with) = (&plan.roles[member.index()], with.unwrap_or_default());
        docs.extend([String::new(), format!(" The states of `{name}`{with}:")]);
        docs.extend([String::new(), " ```text".to_owned()]);
        docs.extend(lines.iter().map(|line| format!(" {line}")));
        docs.push(" ```".to_owned());
        docs
    }

    /// The type of what a role is given to send, and the function that makes a payload of it.
    fn sent(&self, family: &Family) -> (TokenStream, TokenStream) {
        if let [only] = family.sends.as_slice() {
            let message = self.interface.message(*only);
            let variant = &message.ident;
            return (message.path(), quote!(Payload::#variant));
        }
        let sends = &family.sends_type;
        (quote!(impl runtime::SentAs<#sends>), quote!(#sends::pack))
    }

    /// The type of what a role receives, and the function that gets it from a payload.
    fn received(&self, family: &Family) -> (TokenStream, TokenStream) {
        if let [only] = family.receives.as_slice() {
            let message = self.interface.message(*only);
            let unpack = message.unpack();
            return (message.path(), quote!(Payload::#unpack));
        }
        let receives = &family.receives_type;
        (quote!(#receives), quote!(#receives::unpack))
    }

    /// The enumerations of what a role sends and receives, where there are several.
    fn message_enums(&self, family: &Family) -> TokenStream {
        let derives = self.look.samples.then(|| quote!(#[derive(Clone, Debug)]));
        let sends = (family.sends.len() > 1).then(|| {
            let (doc, name) = (format!(" What `{}` sends.", family.name), &family.sends_type);
            let variants = family.sends.iter().map(|&index| {
                let message = self.interface.message(index);
                let (variant, path) = (&message.ident, message.path());
                let from = message.has_own_type.then(|| quote!(From));
                quote!({ #variant(#path) #from })
            });
            quote!(runtime::sent! { #[doc = #doc] #derives pub enum #name; #(#variants)* })
        });
        let receives = (family.receives.len() > 1).then(|| {
            let (doc, name) = (format!(" What `{}` receives.", family.name), &family.receives_type);
            let variants = family.receives.iter().map(|&index: &MessageIndex| {
                let message = self.interface.message(index);
                let (variant, path) = (&message.ident, message.path());
                quote!({ #variant(#path) })
            });
            quote!(runtime::received! { #[doc = #doc] #derives pub enum #name; #(#variants)* })
        });
        quote!(#sends #receives)
    }
}

/// The name of the future that does what a call does.
pub(super) fn future_of(call: &Ident) -> Ident {
    format_ident!("{}_async", call)
}

impl Family {
    /// Names for its indices.
    pub(super) fn index_names(&self) -> Vec<Ident> {
        match self.n_indices {
            1 => vec![format_ident!("index")],
            n => (1..=n).map(|position| format_ident!("index_{}", position)).collect(),
        }
    }

    pub(super) fn number_type(&self) -> TokenStream {
        if self.is_signed { quote!(i64) } else { quote!(usize) }
    }
}
