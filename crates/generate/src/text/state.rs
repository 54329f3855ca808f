//! One state of a role as a type: each call consumes it and gives the next.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quadrille_runtime::plan::{LabelId, RoleId};
use quote::quote;

use super::Context;
use super::roles::future_of;
use crate::interface::Family;
use crate::names::{field_name, type_name};
use crate::scope::Scope;
use crate::typestate::{Class, Reception, Sending, TypedState};

/// What the states of a class have in common.
pub(super) struct ClassText<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) family: &'a Family,
    pub(super) class: &'a Class,
    /// The types of the states.
    pub(super) names: Vec<Ident>,
    /// Names of types that are taken in the module of the class.
    pub(super) types: Scope,
}

impl ClassText<'_> {
    /// A state with its calls, and the enumerations of what they give.
    pub(super) fn state(&mut self, number: usize) -> TokenStream {
        let (context, state) = (self.context, &self.class.states[number]);
        let name = self.names[number].clone();
        let does = self.family.does.iter().map(|(_, call)| call.to_string());
        let does: Vec<String> = does.flat_map(|call| [format!("{call}_async"), call]).collect();
        let mut calls = Scope::new(does.iter().map(String::as_str).chain(["recv", "recv_async"]));
        let mut all = Vec::new();
        for sending in &state.sends {
            let call = calls.take_call(&send_name(context, state, sending));
            all.push(self.send(&name, sending, &call));
        }
        all.extend(self.receive(&name, state));
        for &(to, next) in &state.closes {
            let call = calls.take_call(&close_name(context, state, to));
            let (to, call_async) =
                (&context.interface.roles[to.index()].constant, future_of(&call));
            let next = &self.names[next];
            all.push(quote!({ close roles::#to, #next, #call #call_async }));
        }
        for &(label, next) in &state.does {
            let (call, next) = (self.does_name(label), &self.names[next]);
            let (label, call_async) = (&context.interface.labels[label.index()], future_of(call));
            all.push(quote!({ does labels::#label, #next, #call #call_async }));
        }
        if state.may_end {
            all.push(quote!({ finish }));
        }
        quote!([#name #(#all)*])
    }

    fn send(&mut self, name: &Ident, sending: &Sending, call: &Ident) -> TokenStream {
        let interface = self.context.interface;
        let message = interface.message(sending.message);
        let (variant, path, call_async) = (&message.ident, message.path(), future_of(call));
        let to = sending.to.map_or(quote!(None), |to| {
            let to = &interface.roles[to.index()].constant;
            quote!(Some(roles::#to))
        });
        let nexts: BTreeSet<usize> = sending.nexts.iter().map(|&(_, next)| next).collect();
        let names: Vec<&Ident> = nexts.iter().map(|&next| &self.names[next]).collect();
        if let [only] = names.as_slice() {
            return quote!({ send #path => Payload::#variant, #to, #only, #call #call_async });
        }
        // A label that the protocol does not know is refused before, so the last state needs none.
        let arms = nexts.iter().zip(&names).enumerate().map(|(position, (next, name))| {
            let labels = sending.nexts.iter().filter(|(_, other)| other == next);
            let labels = labels.map(|(label, _)| &interface.labels[label.index()]);
            let is_last = position + 1 == names.len();
            let label = if is_last { quote!(_) } else { quote!(Some(#(labels::#labels)|*)) };
            quote!(#label => #name,)
        });
        let arms: Vec<TokenStream> = arms.collect();
        let what = type_name(call.to_string().trim_start_matches("send"));
        let what = if call == "send" { String::new() } else { what };
        let sent = match name.to_string().strip_prefix("Send") {
            Some(rest) if what.is_empty() => format!("Sent{rest}"),
            _ => format!("{name}Sent{what}"),
        };
        let sent = self.types.take(&sent);
        let names: Vec<Ident> = names.into_iter().cloned().collect();
        quote!({
            branch #sent { #(#names),* } #path => Payload::#variant, #to, [#(#arms)*], #call #call_async
        })
    }

    fn receive(&mut self, name: &Ident, state: &TypedState) -> Option<TokenStream> {
        let interface = self.context.interface;
        let sender = |reception: &Reception| reception.several.then(|| quote!(, Role));
        if let [only] = state.receives.as_slice() {
            let message = interface.message(only.message);
            let (path, unpack, next) = (message.path(), message.unpack(), &self.names[only.next]);
            let sender = sender(only);
            return Some(quote!({ recv #path => Payload::#unpack, #next #sender }));
        }
        let received = match name.to_string().strip_prefix("Await") {
            Some(rest) => format!("Received{rest}"),
            None => format!("{name}Received"),
        };
        let mut variants = Scope::default();
        let ways: Vec<TokenStream> = state
            .receives
            .iter()
            .map(|reception| {
                let message = interface.message(reception.message);
                let (payload, path) = (&message.ident, message.path());
                let variant = variants.take(&self.variant_name(reception));
                let from = reception.from.map(|from| &interface.roles[from.index()].constant);
                let from = from.map_or(quote!(_), |from| quote!(roles::#from));
                let label = reception.label.map(|label| &interface.labels[label.index()]);
                let label = label.map_or(quote!(_), |label| quote!(labels::#label));
                let (next, sender) = (&self.names[reception.next], sender(reception));
                quote!({ #variant #from, #label, #payload(#path), #next #sender })
            })
            .collect();
        (!ways.is_empty()).then(|| {
            let received = self.types.take(&received);
            quote!({ recv #received #(#ways)* })
        })
    }

    /// What a way to receive something is called, if no other is called so.
    fn variant_name(&self, reception: &Reception) -> String {
        let context = self.context;
        let what = match reception.label {
            Some(label) => type_name(&context.plan.labels[label.index()]),
            None => context.interface.message(reception.message).ident.to_string(),
        };
        match reception.from {
            Some(from) => {
                let from = type_name(&context.plan.roles[from.index()]);
                format!("{}From{from}", what.trim_end_matches('_'))
            }
            None => what,
        }
    }

    /// The call for a local step: the same as that of the handle.
    fn does_name(&self, label: LabelId) -> &Ident {
        let found = self.family.does.iter().find(|(known, _)| *known == label);
        found.map(|(_, call)| call).expect("a role does what its family does")
    }
}

/// What a call that sends is called, if no other is called so.
fn send_name(context: &Context<'_>, state: &TypedState, sending: &Sending) -> String {
    let message = field_name(&context.interface.message(sending.message).ident.to_string());
    let is_only = state.sends.iter().all(|other| other.message == sending.message);
    let to = sending.to.map(|to| format!("_to_{}", field_name(&context.plan.roles[to.index()])));
    match to {
        None if is_only => "send".to_owned(),
        to => format!("send_{message}{}", to.unwrap_or_default()),
    }
}

/// What a call that closes is called, if no other is called so.
fn close_name(context: &Context<'_>, state: &TypedState, to: RoleId) -> String {
    if state.closes.len() == 1 {
        return "close".to_owned();
    }
    format!("close_{}", field_name(&context.plan.roles[to.index()]))
}
