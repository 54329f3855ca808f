//! The plan as tables in the program text, with a name for everything that is not a state.

use proc_macro2::{Ident, Literal, TokenStream};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Edge, Kind, Local, LocalState, RoleId};
use quote::{format_ident, quote};

use super::Context;
use crate::names;
use crate::scope::constants;

impl Context<'_> {
    pub(super) fn tables(&self) -> TokenStream {
        let runtime = self.look.runtime;
        let roles: Vec<Ident> =
            self.interface.seats.iter().map(|seat| seat.constant.clone()).collect();
        let constants = [
            numbered(runtime, "Roles.", "roles", "RoleId", &roles),
            numbered(
                runtime,
                "Messages as the protocol tells them apart, and what roles do alone.",
                "labels",
                "LabelId",
                &self.interface.labels,
            ),
        ];
        let seats = self.interface.seats.iter().map(|seat| self.role_value(seat));
        let n_roles = Literal::usize_unsuffixed(roles.len());
        let (imports, plans) = match self.count {
            None => {
                let plan = PlanText::new(self, self.plan);
                (plan.imports(), plan.items())
            }
            Some(count) => {
                let plans = self.plans.iter().zip(&count.values).map(|(plan, value)| {
                    let doc = format!(" With {} = {value}.", count.name);
                    let (module, plan) = (plan_module(*value), PlanText::new(self, plan));
                    let (imports, items) = (plan.imports(), plan.items());
                    quote! {
                        #[doc = #doc]
                        pub(super) mod #module {
                            #imports
                            use super::{labels, roles};
                            #items
                        }
                    }
                });
                (TokenStream::new(), quote!(#(#plans)*))
            }
        };
        quote! {
            #[doc = " The protocol as tables. States are positions in them."]
            mod plan {
                #imports
                use super::Role;

                #(#constants)*

                #[doc = " Roles by number."]
                pub(super) static SEATS: [Role; #n_roles] = [#(#seats),*];

                #plans
            }
        }
    }
}

/// The module of the plan for one value of a count.
pub(super) fn plan_module(value: u32) -> Ident {
    format_ident!("with_{}", value)
}

/// A plan under way to become text.
struct PlanText<'a> {
    context: &'a Context<'a>,
    plan: &'a Plan,
    names: Names,
}

impl<'a> PlanText<'a> {
    fn new(context: &'a Context<'a>, plan: &'a Plan) -> Self {
        Self { context, plan, names: Names::new(context, plan) }
    }

    fn imports(&self) -> TokenStream {
        let runtime = self.context.look.runtime;
        let types = [
            ("Act", true),
            ("Edge", self.has_liberal()),
            ("GlobalId", self.has_strict()),
            ("GlobalState", self.has_strict()),
            ("Kind", true),
            ("Local", self.has_liberal()),
            ("LocalId", self.has_liberal()),
            ("LocalState", self.has_liberal()),
            ("Packet", self.has_liberal()),
            ("Plan", true),
            ("Queue", self.has_liberal()),
        ];
        let types =
            types.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| names::ident(name));
        quote! {
            use std::borrow::Cow;
            use #runtime::plan::{#(#types),*};
        }
    }

    fn has_strict(&self) -> bool {
        !self.plan.strict.is_empty()
    }

    fn has_liberal(&self) -> bool {
        !self.plan.locals.is_empty()
    }

    fn items(&self) -> TokenStream {
        let (runtime, names) = (self.context.look.runtime, &self.names);
        let role_names = self.plan.roles.iter().map(|role| quote!(Cow::Borrowed(#role)));
        let label_names = self.plan.labels.iter().map(|label| quote!(Cow::Borrowed(#label)));
        let acts = self.plan.acts.iter().map(|act| names.act(act));
        let protocol = &*self.plan.protocol;
        let strict = self.strict();
        let liberal = self.liberal();
        let strict_field = if self.has_strict() { quote!(&STRICT) } else { quote!(&[]) };
        let [locals, packets, queues] = if self.has_liberal() {
            [quote!(&LOCALS), quote!(&PACKETS), quote!(&QUEUES)]
        } else {
            [quote!(&[]), quote!(&[]), quote!(&[])]
        };
        let act_numbers = numbered(runtime, "What happens.", "acts", "ActId", &names.acts);
        let packet_numbers = self.has_liberal().then(|| {
            numbered(runtime, "Messages as they travel.", "packets", "PacketId", &names.packets)
        });
        let (n_roles, n_labels, n_acts) = (
            Literal::usize_unsuffixed(self.plan.roles.len()),
            Literal::usize_unsuffixed(self.plan.labels.len()),
            Literal::usize_unsuffixed(self.plan.acts.len()),
        );
        // Seen from the module: one step further where there are several plans.
        let visible = match self.context.count {
            None => quote!(pub(super)),
            Some(_) => quote!(pub(in super::super)),
        };
        quote! {
            #act_numbers
            #packet_numbers

            #[doc = " All there is to know of the protocol."]
            #visible static PLAN: Plan = Plan {
                protocol: Cow::Borrowed(#protocol),
                roles: Cow::Borrowed(&ROLE_NAMES),
                labels: Cow::Borrowed(&LABEL_NAMES),
                acts: Cow::Borrowed(&ACTS),
                strict: Cow::Borrowed(#strict_field),
                locals: Cow::Borrowed(#locals),
                packets: Cow::Borrowed(#packets),
                queues: Cow::Borrowed(#queues),
            };

            static ROLE_NAMES: [Cow<'static, str>; #n_roles] = [#(#role_names),*];

            static LABEL_NAMES: [Cow<'static, str>; #n_labels] = [#(#label_names),*];

            static ACTS: [Act; #n_acts] = [#(#acts),*];

            #strict
            #liberal
        }
    }

    fn strict(&self) -> Option<TokenStream> {
        let (names, states) = (&self.names, &self.plan.strict);
        let rows = states.iter().map(|state| {
            let edges = state.edges.iter().map(|&(act, to)| {
                let (act, to) = (&names.acts[act.index()], number(to.0));
                quote!((acts::#act, GlobalId(#to)))
            });
            let may_end = state.may_end;
            quote!(GlobalState::of(&[#(#edges),*], #may_end))
        });
        let n_states = Literal::usize_unsuffixed(states.len());
        (!states.is_empty()).then(|| {
            quote! {
                #[doc = " The strict form: what may happen in each state and where it leads, and whether it is an end."]
                static STRICT: [GlobalState; #n_states] = [#(#rows),*];
            }
        })
    }

    fn liberal(&self) -> Option<TokenStream> {
        let (names, plan) = (&self.names, self.plan);
        if plan.locals.is_empty() {
            return None;
        }
        let tables =
            plan.locals.iter().zip(&names.roles).map(|(local, role)| names.local(local, role));
        let states = names.roles.iter().take(plan.locals.len()).map(states_name);
        let packets = plan.packets.iter().map(|packet| {
            let (act, variant) = (&names.acts[packet.act.index()], number(packet.variant));
            quote!(Packet { act: acts::#act, variant: #variant })
        });
        let queues = plan.queues.iter().map(|queue| {
            let from = names.optional_role(queue.from);
            let (to, capacity, suffices) =
                (&names.roles[queue.to.index()], number(queue.capacity), queue.suffices);
            quote!(Queue { from: #from, to: roles::#to, capacity: #capacity, suffices: #suffices })
        });
        let (n_roles, n_packets, n_queues) = (
            Literal::usize_unsuffixed(plan.locals.len()),
            Literal::usize_unsuffixed(plan.packets.len()),
            Literal::usize_unsuffixed(plan.queues.len()),
        );
        Some(quote! {
            #[doc = " The liberal form: what each role does."]
            static LOCALS: [Local; #n_roles] = [#(Local::of(&#states)),*];

            #(#tables)*

            static PACKETS: [Packet; #n_packets] = [#(#packets),*];

            static QUEUES: [Queue; #n_queues] = [#(#queues),*];
        })
    }
}

/// Names of constants.
struct Names {
    roles: Vec<Ident>,
    labels: Vec<Ident>,
    acts: Vec<Ident>,
    packets: Vec<Ident>,
}

impl Names {
    fn new(context: &Context<'_>, plan: &Plan) -> Self {
        let packets = plan.packets.iter().map(|packet| &*plan.acts[packet.act.index()].text);
        Self {
            roles: context.interface.seats.iter().map(|seat| seat.constant.clone()).collect(),
            labels: context.interface.labels.clone(),
            acts: constants(plan.acts.iter().map(|act| &*act.text)),
            packets: constants(packets),
        }
    }

    fn act(&self, act: &Act) -> TokenStream {
        let kind = match act.kind {
            Kind::Send => quote!(Send),
            Kind::Receive => quote!(Receive),
            Kind::Exchange => quote!(Exchange),
            Kind::Close => quote!(Close),
            Kind::Alone => quote!(Alone),
        };
        let from = &self.roles[act.from.index()];
        let to = act.to.iter().map(|to| &self.roles[to.index()]);
        let label = match act.label {
            Some(label) => {
                let label = &self.labels[label.index()];
                quote!(Some(labels::#label))
            }
            None => quote!(None),
        };
        let text = &*act.text;
        quote!(Act::of(Kind::#kind, roles::#from, &[#(roles::#to),*], #label, #text))
    }

    fn local(&self, local: &Local, role: &Ident) -> TokenStream {
        let states = local.states.iter().map(|state| self.state(state));
        let n_states = Literal::usize_unsuffixed(local.states.len());
        let name = states_name(role);
        quote!(static #name: [LocalState; #n_states] = [#(#states),*];)
    }

    fn state(&self, state: &LocalState) -> TokenStream {
        let edges = state.edges.iter().map(|edge: &Edge| {
            let (act, to) = (&self.acts[edge.act.index()], number(edge.to.0));
            let packet = match edge.packet {
                Some(packet) => {
                    let packet = &self.packets[packet.index()];
                    quote!(Some(packets::#packet))
                }
                None => quote!(None),
            };
            quote!(Edge { act: acts::#act, packet: #packet, to: LocalId(#to) })
        });
        let may_end = state.may_end;
        quote!(LocalState::of(&[#(#edges),*], #may_end))
    }

    fn optional_role(&self, role: Option<RoleId>) -> TokenStream {
        match role {
            Some(role) => {
                let role = &self.roles[role.index()];
                quote!(Some(roles::#role))
            }
            None => quote!(None),
        }
    }
}

/// The table of a role's states.
fn states_name(role: &Ident) -> Ident {
    format_ident!("{}_STATES", role)
}

fn number(number: u32) -> Literal {
    Literal::u32_unsuffixed(number)
}

/// A module of constants that are numbered.
fn numbered(
    runtime: &syn::Path,
    doc: &str,
    module: &str,
    index: &str,
    names: &[Ident],
) -> TokenStream {
    let doc = format!(" {doc}");
    let (module, index) = (names::ident(module), names::ident(index));
    let numbers = (0..names.len()).map(Literal::usize_unsuffixed);
    let import = (!names.is_empty()).then(|| quote!(use #runtime::plan::#index;));
    quote! {
        #[doc = #doc]
        pub(super) mod #module {
            #import
            #(pub const #names: #index = #index(#numbers);)*
        }
    }
}
