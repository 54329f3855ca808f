//! The plan as tables: a row for each act, state, packet and queue. States and acts are positions in them.

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LocalState};
use quote::{ToTokens, format_ident, quote};

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
        let names = plan.roles.iter().map(|role| &**role);
        let acts = plan.acts.iter().map(|act| self.act(act));
        let strict = plan.strict.iter().map(|state| {
            let edges = state.edges.iter().map(|&(act, to)| {
                let (act, to) = (number(act.0), number(to.0));
                quote!(#act #to)
            });
            let end = end(state.may_end);
            quote!([#(#edges),* #end])
        });
        let locals = plan.locals.iter().map(|local| {
            let states = local.states.iter().map(local_state);
            quote!({ #(#states)* })
        });
        let packets = plan.packets.iter().map(|packet| {
            let (act, variant) = (number(packet.act.0), number(packet.variant));
            quote!([#act #variant])
        });
        let queues = plan.queues.iter().map(|queue| {
            let from = queue.from.map_or(quote!(_), |from| {
                self.interface.roles[from.index()].constant.to_token_stream()
            });
            let to = &self.interface.roles[queue.to.index()].constant;
            let capacity = number(queue.capacity);
            let waits = (!queue.suffices).then(|| quote!(waits));
            quote!([#from #to #capacity #waits])
        });
        quote! {
            #[allow(unused_imports)]
            use #supers::{labels, roles, runtime};

            runtime::plan! {
                #visible static PLAN = #protocol;
                roles { #(#names)* }
                acts { #(#acts)* }
                strict { #(#strict)* }
                locals { #(#locals)* }
                packets { #(#packets)* }
                queues { #(#queues)* }
            }
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
        let label = act.label.map(|label| &self.interface.labels[label.index()]);
        let text = &*act.text;
        quote!([#kind #from (#(#to)*) #label #text])
    }
}

/// The module of the plan for one value of a count.
pub(super) fn plan_module(value: u32) -> Ident {
    format_ident!("with_{}", value)
}

fn local_state(state: &LocalState) -> TokenStream {
    let edges = state.edges.iter().map(|edge| {
        let (act, to) = (number(edge.act.0), number(edge.to.0));
        let packet = edge.packet.map_or(quote!(_), |packet| number(packet.0).to_token_stream());
        quote!(#act #packet #to)
    });
    let end = end(state.may_end);
    quote!([#(#edges),* #end])
}

/// What stands in a state in which the protocol may end.
fn end(may_end: bool) -> Option<TokenStream> {
    may_end.then(|| quote!(; end))
}

fn number(number: u32) -> Literal {
    Literal::u32_unsuffixed(number)
}
