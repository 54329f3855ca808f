//! The plan as tables: a row for each act, state, packet and queue. States and acts are positions in them.

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LocalAutomaton};
use quote::{format_ident, quote};

use super::Context;
use super::scheme::scheme_module;

impl Context<'_> {
    pub(super) fn tables(&self) -> TokenStream {
        if let Some(structured) = self.structured {
            return scheme_module(&structured.scheme);
        }
        let doc = " The protocol as tables. Acts and states are positions in them.";
        match self.count {
            None => {
                let items = self.plan_items(self.plan, &quote!(pub(super)), 1);
                quote!(#[doc = #doc] mod plan { #items })
            }
            Some(count) => {
                let plans = self.plans.iter().zip(&count.values).map(|(plan, value)| {
                    let doc = format!(" With {} = {value}.", count.name);
                    let module = plan_module(*value);
                    let items = self.plan_items(plan, &quote!(pub(in super::super)), 2);
                    quote!(#[doc = #doc] pub(super) mod #module { #items })
                });
                quote!(#[doc = #doc] mod plan { #(#plans)* })
            }
        }
    }

    fn plan_items(&self, plan: &Plan, visible: &TokenStream, depth: usize) -> TokenStream {
        let supers = std::iter::repeat_n(quote!(super), depth);
        let supers = quote!(#(#supers)::*);
        let protocol = &*plan.protocol;
        let names = plan.roles.iter().map(|role| quote!(Cow::Borrowed(#role)));
        let acts = plan.acts.iter().map(|act| self.act(act));
        let strict = plan.strict.iter().map(|state| {
            let edges = state.edges.iter().map(|&(act, to)| {
                let (act, to) = (number(act.0), number(to.0));
                quote!((A(#act), G(#to)))
            });
            let may_end = state.may_end;
            quote!(GlobalState::of(&[#(#edges),*], #may_end))
        });
        let packets = plan.packets.iter().map(|packet| {
            let (act, variant) = (number(packet.act.0), number(packet.variant));
            quote!(Packet { act: A(#act), variant: #variant })
        });
        let queues = plan.queues.iter().map(|queue| {
            let from = queue.from.map_or(quote!(None), |from| {
                let from = &self.interface.roles[from.index()].constant;
                quote!(Some(roles::#from))
            });
            let to = &self.interface.roles[queue.to.index()].constant;
            let (capacity, suffices) = (number(queue.capacity), queue.suffices);
            quote!(Queue { from: #from, to: roles::#to, capacity: #capacity, suffices: #suffices })
        });
        let locals = plan.locals.iter().enumerate().map(|(role, local)| (states_name(role), local));
        let local_tables = locals.clone().map(|(name, local)| local_table(&name, local));
        let local_names = locals.map(|(name, _)| quote!(LocalAutomaton::of(#name)));
        quote! {
            use std::borrow::Cow;
            #[allow(unused_imports)]
            use #supers::runtime::plan::{
                Act, ActId as A, Edge, GlobalId as G, GlobalState, Kind, LocalAutomaton, LocalId as L, LocalState,
                Packet, PacketId as P, Plan, Queue,
            };
            use #supers::{labels, roles};

            #visible static PLAN: Plan = Plan {
                protocol: Cow::Borrowed(#protocol),
                roles: Cow::Borrowed(ROLE_NAMES),
                labels: Cow::Borrowed(labels::NAMES),
                acts: Cow::Borrowed(ACTS),
                strict: Cow::Borrowed(STRICT),
                locals: Cow::Borrowed(LOCALS),
                packets: Cow::Borrowed(PACKETS),
                queues: Cow::Borrowed(QUEUES),
            };

            const ROLE_NAMES: &[Cow<'static, str>] = &[#(#names),*];
            const ACTS: &[Act] = &[#(#acts),*];
            #[doc = " The states of the strict variant: edges, and whether the protocol may end."]
            const STRICT: &[GlobalState] = &[#(#strict),*];
            #[doc = " The automata of the liberal variant, by role."]
            const LOCALS: &[LocalAutomaton] = &[#(#local_names),*];
            #(#local_tables)*
            const PACKETS: &[Packet] = &[#(#packets),*];
            const QUEUES: &[Queue] = &[#(#queues),*];
        }
    }

    fn act(&self, act: &Act) -> TokenStream {
        let kind = match act.kind {
            Kind::Send => quote!(Send),
            Kind::Receive => quote!(Receive),
            Kind::Exchange => quote!(Exchange),
            Kind::Close => quote!(Close),
            Kind::Local => quote!(Local),
        };
        let name =
            |role: quadrille_runtime::plan::RoleId| &self.interface.roles[role.index()].constant;
        let (from, to) = (name(act.from), act.to.iter().map(|&to| name(to)));
        let label = act.label.map_or(quote!(None), |label| {
            let label = &self.interface.labels[label.index()];
            quote!(Some(labels::#label))
        });
        let text = &*act.text;
        quote!(Act::of(Kind::#kind, roles::#from, &[#(roles::#to),*], #label, #text))
    }
}

/// The module of the plan for one value of a count.
pub(super) fn plan_module(value: u32) -> Ident {
    format_ident!("with_{}", value)
}

fn local_table(name: &Ident, local: &LocalAutomaton) -> TokenStream {
    let states = local.states.iter().map(|state| {
        let edges = state.edges.iter().map(|edge| {
            let (act, to) = (number(edge.act.0), number(edge.to.0));
            let packet = edge.packet.map_or(quote!(None), |packet| {
                let packet = number(packet.0);
                quote!(Some(P(#packet)))
            });
            quote!(Edge { act: A(#act), packet: #packet, to: L(#to) })
        });
        let may_end = state.may_end;
        quote!(LocalState::of(&[#(#edges),*], #may_end))
    });
    quote!(const #name: &[LocalState] = &[#(#states),*];)
}

/// The table of a role's states.
fn states_name(role: usize) -> Ident {
    format_ident!("STATES_{}", role)
}

fn number(number: u32) -> Literal {
    Literal::u32_unsuffixed(number)
}
