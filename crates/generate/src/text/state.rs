//! One state of a role as a type: each call consumes it and gives the next.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quadrille_runtime::plan::{LabelId, RoleId};
use quote::{format_ident, quote};

use super::Context;
use crate::interface::Family;
use crate::names::{field_name, type_name};
use crate::scope::Scope;
use crate::typestate::{Class, Reception, Sending, TypedState};

/// What every call may answer.
const ERRORS: [&str; 4] =
    ["", " # Errors", "", " It cannot happen, or not in time. The error gives the state back."];

/// Whether a call blocks or is a future.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
    Blocking,
    Async,
}

impl Flavour {
    fn name(self, method: &Ident) -> Ident {
        match self {
            Flavour::Blocking => method.clone(),
            Flavour::Async => format_ident!("{}_async", method),
        }
    }

    fn keyword(self) -> Option<TokenStream> {
        (self == Flavour::Async).then(|| quote!(async))
    }

    fn wait(self) -> Option<TokenStream> {
        (self == Flavour::Async).then(|| quote!(.await))
    }
}

/// One state under way to become text.
pub(super) struct StateText<'a> {
    context: &'a Context<'a>,
    family: &'a Family,
    class: &'a Class,
    number: usize,
    state: &'a TypedState,
    depth: usize,
    /// Names of calls that send, and of what they give where that depends on the content.
    sends: Vec<(Ident, Ident)>,
    /// Names of ways to receive something.
    receives: Vec<Ident>,
    /// Names of calls that close.
    closes: Vec<Ident>,
}

impl<'a> StateText<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        family: &'a Family,
        class: &'a Class,
        number: usize,
        depth: usize,
    ) -> Self {
        let state = &class.states[number];
        let (sends, receives, closes) = (Vec::new(), Vec::new(), Vec::new());
        let mut text =
            Self { context, family, class, number, state, depth, sends, receives, closes };
        let does = family.does.iter().map(|(_, call)| call.to_string());
        let does: Vec<String> = does.flat_map(|call| [format!("{call}_async"), call]).collect();
        let mut calls = Scope::new(does.iter().map(String::as_str).chain(["recv", "recv_async"]));
        let (mut types, mut variants) = (Scope::default(), Scope::default());
        for sending in &state.sends {
            let call = calls.take_call(&text.send_name(sending));
            let sent = type_name(&call.to_string().replacen("send", "sent", 1));
            let sent = types.take(&format!("{}{sent}", text.name(number)));
            text.sends.push((call, sent));
        }
        text.closes =
            state.closes.iter().map(|&(to, _)| calls.take_call(&text.close_name(to))).collect();
        text.receives =
            state.receives.iter().map(|each| variants.take(&text.variant_name(each))).collect();
        text
    }

    /// The type of the state, its calls, and the enumerations of what they give.
    pub(super) fn tokens(&self) -> TokenStream {
        let name = self.name(self.number);
        let docs = self.docs();
        let field = if self.depth == 1 { quote!(pub(super)) } else { quote!(pub(in super::super)) };
        let timeout = self.state.has_calls().then(|| {
            quote! {
                #[doc = " Lets each call from here on give up after some time; futures are dropped instead."]
                pub fn set_timeout(&mut self, timeout: Option<Duration>) { self.0.set_timeout(timeout); }
            }
        });
        let flavours = [Flavour::Blocking, Flavour::Async];
        let sends = flavours.map(|flavour| {
            let sends = self.state.sends.iter().zip(&self.sends);
            let calls = sends.map(|(sending, names)| self.send(sending, names, flavour));
            quote!(#(#calls)*)
        });
        let receives = flavours.map(|flavour| self.receive(flavour));
        let others = flavours.map(|flavour| self.others(flavour));
        let finish = self.state.may_end.then(|| {
            quote! {
                #[doc = " Ends the role."]
                #[doc = ""]
                #[doc = " # Errors"]
                #[doc = ""]
                #[doc = " The protocol is not over."]
                pub fn finish(self) -> Result<(), Error> { self.0.finish() }
            }
        });
        let is_stuck = !self.state.has_calls() && !self.state.may_end;
        let unused =
            is_stuck.then(|| quote!(#[expect(dead_code, reason = "nothing is possible here")]));
        let enums = self.sent_enums();
        let received = (self.state.receives.len() > 1).then(|| self.received_enum());
        quote! {
            #(#[doc = #docs])*
            #[must_use = "the protocol goes on"]
            pub struct #name(#unused #field runtime::Role<Payload>);
            impl #name { #timeout #(#sends)* #(#receives)* #(#others)* #finish }
            #enums
            #received
        }
    }

    /// `Start`, `State1` and so on, and `End` where there is nothing left but to finish.
    fn name(&self, number: usize) -> Ident {
        let only_end = TypedState { may_end: true, ..TypedState::default() };
        match number {
            0 => format_ident!("Start"),
            _ if self.class.states[number] == only_end => format_ident!("End"),
            _ => format_ident!("State{}", number),
        }
    }

    /// What can be done here, and where it leads.
    fn docs(&self) -> Vec<String> {
        let (context, state) = (self.context, self.state);
        let name = &context.plan.roles[self.class.members[0].index()];
        let here = match self.number {
            0 => "at the start".to_owned(),
            number if self.name(number) == "End" => "at its end".to_owned(),
            number => format!("in state {number}"),
        };
        let to = |next: usize| format!("[`{}`]", self.name(next));
        let mut lines = vec![format!(" `{name}` {here}."), String::new()];
        for (sending, (call, _)) in state.sends.iter().zip(&self.sends) {
            let nexts: Vec<String> = self.nexts(sending).into_iter().map(to).collect();
            let message = &context.interface.message(sending.message).name;
            lines.push(format!(" - `{call}(…)` sends `{message}` → {}", nexts.join(" or ")));
        }
        for reception in &state.receives {
            let message = &context.interface.message(reception.message).name;
            let from =
                reception.from.map(|from| format!(" from `{}`", context.plan.roles[from.index()]));
            lines.push(format!(
                " - `recv()` gives `{message}`{} → {}",
                from.unwrap_or_default(),
                to(reception.next)
            ));
        }
        for (&(_, next), call) in state.closes.iter().zip(&self.closes) {
            lines.push(format!(" - `{call}()` → {}", to(next)));
        }
        for &(label, next) in &state.does {
            lines.push(format!(" - `{}()` → {}", self.does_name(label), to(next)));
        }
        if !state.has_calls() && !state.may_end {
            lines.push(" Nothing is possible here, and it is no end.".to_owned());
        }
        if state.may_end {
            lines.push(" - `finish()`".to_owned());
        }
        lines
    }

    fn send(&self, sending: &Sending, names: &(Ident, Ident), flavour: Flavour) -> TokenStream {
        let message = self.context.interface.message(sending.message);
        let method = flavour.name(&names.0);
        let (keyword, wait) = (flavour.keyword(), flavour.wait());
        let call = if flavour == Flavour::Async { quote!(send_async) } else { quote!(send) };
        let (variant, path) = (&message.ident, message.path());
        let to = match sending.to {
            Some(to) => {
                let to = &self.context.interface.seats[to.index()].constant;
                quote!(Some(roles::#to))
            }
            None => quote!(None),
        };
        let doc = format!(" Sends `{}`.", message.name);
        let (ok, label, next) = match self.nexts(sending).as_slice() {
            [only] => {
                let next = self.name(*only);
                (quote!(#next), None, quote!(#next(self.0)))
            }
            _ => self.branching(sending, &names.1),
        };
        let payload =
            if label.is_some() { quote!(payload) } else { quote!(Payload::#variant(message)) };
        let errors = ERRORS;
        quote! {
            #[doc = #doc]
            #(#[doc = #errors])*
            pub #keyword fn #method(mut self, message: #path) -> Result<#ok, runtime::Failed<Self>> {
                #label
                match self.0.#call(#payload, #to)#wait {
                    Ok(()) => Ok(#next),
                    Err(error) => Err(runtime::Failed::new(self, error)),
                }
            }
        }
    }

    /// A send that leads to different states: the type of the result, what is to be known before, and the result.
    fn branching(
        &self,
        sending: &Sending,
        name: &Ident,
    ) -> (TokenStream, Option<TokenStream>, TokenStream) {
        let variant = &self.context.interface.message(sending.message).ident;
        let Some((last, others)) = sending.nexts.split_last() else { return Default::default() };
        let arms = others.iter().map(|&(label, next)| {
            let (label, next) = (&self.context.interface.labels[label.index()], self.name(next));
            quote!(Some(labels::#label) => #name::#next(#next(self.0)))
        });
        let last = self.name(last.1);
        let before = quote! {
            let payload = Payload::#variant(message);
            let label = runtime::Payload::label(&payload);
        };
        (
            quote!(#name),
            Some(before),
            quote!(match label { #(#arms,)* _ => #name::#last(#last(self.0)) }),
        )
    }

    fn nexts(&self, sending: &Sending) -> Vec<usize> {
        let nexts: BTreeSet<usize> = sending.nexts.iter().map(|&(_, next)| next).collect();
        nexts.into_iter().collect()
    }

    /// What a call that sends would be called if it were the only one.
    fn send_name(&self, sending: &Sending) -> String {
        let message =
            field_name(&self.context.interface.message(sending.message).ident.to_string());
        let of_several = self.state.sends.iter().any(|other| other.message != sending.message)
            || sending.to.is_some();
        let to = sending
            .to
            .map(|to| format!("_to_{}", field_name(&self.context.plan.roles[to.index()])));
        match of_several {
            true => format!("send_{message}{}", to.unwrap_or_default()),
            false => "send".to_owned(),
        }
    }

    fn sent_enums(&self) -> TokenStream {
        let sends = self.state.sends.iter().zip(&self.sends);
        let branching = sends.filter(|(sending, _)| self.nexts(sending).len() > 1);
        let enums = branching.map(|(sending, (_, name))| {
            let message = &self.context.interface.message(sending.message).name;
            let doc = format!(" Where `{message}` leads, by its content.");
            let nexts: Vec<Ident> =
                self.nexts(sending).into_iter().map(|next| self.name(next)).collect();
            let docs = nexts.iter().map(|next| format!(" To [`{next}`]."));
            quote! {
                #[doc = #doc]
                #[must_use = "the protocol goes on"]
                pub enum #name { #(#[doc = #docs] #nexts(#nexts)),* }
            }
        });
        quote!(#(#enums)*)
    }

    fn receive(&self, flavour: Flavour) -> Option<TokenStream> {
        let name = self.received_name();
        let call = if flavour == Flavour::Async { quote!(recv_async) } else { quote!(recv) };
        let (keyword, wait, method) =
            (flavour.keyword(), flavour.wait(), flavour.name(&format_ident!("recv")));
        let result = match self.state.receives.as_slice() {
            [] => return None,
            [only] => {
                let (path, next) =
                    (self.context.interface.message(only.message).path(), self.name(only.next));
                let sender = only.several.then(|| quote!(Role,));
                quote!((#sender #path, #next))
            }
            _ => quote!(#name),
        };
        let body = self.unpack();
        let errors = ERRORS;
        Some(quote! {
            #[doc = " Receives a message."]
            #(#[doc = #errors])*
            pub #keyword fn #method(mut self) -> Result<#result, runtime::Failed<Self>> {
                match self.0.#call(None)#wait {
                    Ok(received) => #body,
                    Err(error) => Err(runtime::Failed::new(self, error)),
                }
            }
        })
    }

    /// From what was received to the message and the next state.
    fn unpack(&self) -> TokenStream {
        let receives = &self.state.receives;
        let messages = &self.context.interface.messages;
        let never = format!("`{}` never receives this here", self.family.name);
        if receives.iter().any(|each| each.from.is_some() || each.label.is_some()) {
            let arms = receives.iter().map(|reception| {
                let ((from, label), message) = (self.origin(reception), self.variant_of(reception));
                let value = self.value(reception);
                quote!((#from, #label, Payload::#message(message)) => #value)
            });
            return quote! {
                Ok(match (received.from, received.label, received.payload) {
                    #(#arms,)* _ => unreachable!(#never),
                })
            };
        }
        if let ([only], [_]) = (receives.as_slice(), messages.as_slice()) {
            let (message, value) = (self.variant_of(only), self.value(only));
            return quote!({ let Payload::#message(message) = received.payload; Ok(#value) });
        }
        let arms = receives.iter().map(|reception| {
            let (message, value) = (self.variant_of(reception), self.value(reception));
            quote!(Payload::#message(message) => #value)
        });
        let others = (0..messages.len())
            .filter(|&index| !receives.iter().any(|reception| reception.message.0 == index));
        let others: Vec<&Ident> = others.map(|index| &messages[index].ident).collect();
        let rest = super::roles::never(&others, &never);
        quote!(Ok(match received.payload { #(#arms,)* #rest }))
    }

    fn variant_of(&self, reception: &Reception) -> &Ident {
        &self.context.interface.message(reception.message).ident
    }

    /// Patterns for where a message comes from and what it is.
    fn origin(&self, reception: &Reception) -> (TokenStream, TokenStream) {
        let interface = self.context.interface;
        let from = reception.from.map(|from| &interface.seats[from.index()].constant);
        let label = reception.label.map(|label| &interface.labels[label.index()]);
        (
            from.map_or(quote!(_), |from| quote!(roles::#from)),
            label.map_or(quote!(_), |label| quote!(labels::#label)),
        )
    }

    /// A message and the next state.
    fn value(&self, reception: &Reception) -> TokenStream {
        let next = self.name(reception.next);
        let supers = std::iter::repeat_n(quote!(super), self.depth);
        let sender =
            reception.several.then(|| quote!(#(#supers::)*plan::SEATS[received.from.index()],));
        if self.state.receives.len() == 1 {
            return quote!((#sender message, #next(self.0)));
        }
        let (name, variant) = (self.received_name(), self.variant(reception));
        quote!(#name::#variant(#sender message, #next(self.0)))
    }

    fn received_name(&self) -> Ident {
        format_ident!("{}Received", self.name(self.number))
    }

    /// What a way to receive something would be called if it were the only one.
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

    /// The name of a way to receive something.
    fn variant(&self, reception: &Reception) -> &Ident {
        let mut all = self.state.receives.iter().zip(&self.receives);
        let found = all.find(|(each, _)| *each == reception);
        found.map(|(_, name)| name).expect("all ways to receive have names")
    }

    fn received_enum(&self) -> TokenStream {
        let name = self.received_name();
        let variants = self.state.receives.iter().map(|reception| {
            let message = self.context.interface.message(reception.message);
            let (variant, path, next) =
                (self.variant(reception), message.path(), self.name(reception.next));
            let sender = reception.several.then(|| quote!(Role,));
            let doc = format!(" `{}`, and what comes next.", message.name);
            quote!(#[doc = #doc] #variant(#sender #path, #next))
        });
        quote! {
            #[doc = " What is received, and what comes next."]
            #[must_use = "the protocol goes on"]
            pub enum #name { #(#variants),* }
        }
    }

    /// What a call that closes would be called if it were the only one.
    fn close_name(&self, to: RoleId) -> String {
        if self.state.closes.len() == 1 {
            return "close".to_owned();
        }
        format!("close_{}", field_name(&self.context.plan.roles[to.index()]))
    }

    /// The call for a step alone: the same as that of the handle.
    fn does_name(&self, label: LabelId) -> &Ident {
        let found = self.family.does.iter().find(|(known, _)| *known == label);
        found.map(|(_, call)| call).expect("a role does what its family does")
    }

    /// Closings, and what the role does alone.
    fn others(&self, flavour: Flavour) -> TokenStream {
        let context = self.context;
        let (keyword, wait, errors) = (flavour.keyword(), flavour.wait(), ERRORS);
        let closes = self.state.closes.iter().zip(&self.closes).map(|(&(to, next), call)| {
            let next = self.name(next);
            let to_constant = &context.interface.seats[to.index()].constant;
            let method = flavour.name(call);
            let call = flavour.name(&format_ident!("close"));
            quote! {
                #[doc = " Closes a channel."]
                #(#[doc = #errors])*
                pub #keyword fn #method(mut self) -> Result<#next, runtime::Failed<Self>> {
                    match self.0.#call(roles::#to_constant)#wait {
                        Ok(()) => Ok(#next(self.0)),
                        Err(error) => Err(runtime::Failed::new(self, error)),
                    }
                }
            }
        });
        let does = self.state.does.iter().map(|&(label, next)| {
            let (text, next) = (&context.plan.labels[label.index()], self.name(next));
            let method = flavour.name(self.does_name(label));
            let call = flavour.name(&format_ident!("act"));
            let constant = &context.interface.labels[label.index()];
            let doc = format!(" Does `{text}`.");
            quote! {
                #[doc = #doc]
                #(#[doc = #errors])*
                pub #keyword fn #method(mut self) -> Result<#next, runtime::Failed<Self>> {
                    match self.0.#call(labels::#constant)#wait {
                        Ok(()) => Ok(#next(self.0)),
                        Err(error) => Err(runtime::Failed::new(self, error)),
                    }
                }
            }
        });
        quote!(#(#closes)* #(#does)*)
    }
}
