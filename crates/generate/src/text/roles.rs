//! `Role`, and a handle for each role: its calls, blocking and as futures, with the types that the role
//! sends and receives.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Context;
use super::diagram::diagram;
use crate::interface::{Family, MessageIndex, Seat};

/// Most diagrams in the documentation of a family.
const MAX_DIAGRAMS: usize = 3;

/// What every call may answer.
const ERRORS: [&str; 4] = [
    "",
    " # Errors",
    "",
    " The protocol does not allow it, or whoever is needed for it is gone or late.",
];

impl Context<'_> {
    pub(super) fn role_enum(&self) -> TokenStream {
        let families = &self.interface.families;
        let variants = families.iter().map(|family| {
            let handle = &family.handle;
            let doc = format!(" `{}`.", family.name);
            let number = family.number_type();
            let indices = family.index_names().into_iter().map(|_| &number);
            let indices = family.is_family().then(|| quote!((#(#indices),*)));
            quote!(#[doc = #doc] #handle #indices)
        });
        let ids = self.interface.seats.iter().map(|seat| {
            let (role, constant) = (self.role_value(seat), &seat.constant);
            quote!(#role => roles::#constant)
        });
        let many: Vec<&Ident> = families
            .iter()
            .filter(|family| family.is_family())
            .map(|family| &family.handle)
            .collect();
        let rest = (!many.is_empty()).then(|| quote!(#(Role::#many(..))|* => RoleId(u16::MAX)));
        let names = families.iter().map(|family| {
            let (handle, name) = (&family.handle, &family.name);
            if family.is_family() {
                let indices = family.index_names();
                let shown =
                    indices.iter().map(|index| format!("[{{{index}}}]")).collect::<String>();
                let shown = format!("{name}{shown}");
                quote!(Role::#handle(#(#indices),*) => write!(f, #shown))
            } else {
                quote!(Role::#handle => f.write_str(#name))
            }
        });
        let number = if self.interface.families.iter().any(Family::is_family) {
            " Its number; for a member that the family does not have, one that nobody has."
        } else {
            " Its number."
        };
        quote! {
            #[doc = " A role of the protocol."]
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub enum Role { #(#variants),* }

            impl Role {
                #[doc = #number]
                #[must_use]
                pub const fn id(self) -> RoleId {
                    match self { #(#ids,)* #rest }
                }
            }

            impl fmt::Display for Role {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    match self { #(#names),* }
                }
            }
        }
    }

    /// A role as a value of the enumeration.
    pub(super) fn role_value(&self, seat: &Seat) -> TokenStream {
        let handle = &self.interface.families[seat.family].handle;
        let indices = seat.indices.iter().map(|&index| Literal::i64_unsuffixed(index));
        let indices = (!seat.indices.is_empty()).then(|| quote!((#(#indices),*)));
        quote!(Role::#handle #indices)
    }

    pub(super) fn handles(&self) -> TokenStream {
        let handles = self.interface.families.iter().map(|family| self.handle(family));
        quote!(#(#handles)*)
    }

    fn handle(&self, family: &Family) -> TokenStream {
        let handle = &family.handle;
        let docs = self.role_docs(family);
        let index_type = family.index_type();
        let index_field = family.is_family().then(|| quote!(index: #index_type,));
        let index = family.is_family().then(|| {
            quote! {
                #[doc = " Which member of the family it is."]
                #[must_use]
                pub fn index(&self) -> #index_type { self.index }
            }
        });
        let typing = if family.is_family() {
            let indices = family.index_names();
            let index = family.index(&indices);
            quote!(Role::#handle(#(#indices),*) => Some(Self { role, #index }),)
        } else {
            quote!(Role::#handle => Some(Self { role }),)
        };
        let others: Vec<TokenStream> = self
            .interface
            .families
            .iter()
            .filter(|other| other.handle != *handle)
            .map(|other| {
                let (handle, rest) = (&other.handle, other.is_family().then(|| quote!((..))));
                quote!(Role::#handle #rest)
            })
            .collect();
        let none = match others.as_slice() {
            [] => None,
            [only] => Some(quote!(#only => None)),
            _ => Some(quote!(_ => None)),
        };
        let typing = quote!(#typing #none);
        let sends = self.sends(family);
        let receives = self.receives(family);
        let closes = family.closes.then(closes);
        let does = family.does.iter().map(|(label, method)| {
            let constant = &self.interface.labels[label.index()];
            does(&self.plan.labels[label.index()], constant, method)
        });
        let types = self.message_enums(family);
        let connect = self.look.tcp.then(|| self.connect(family));
        let (typed, typed_module) = self.typed(family).unzip();
        quote! {
            #(#[doc = #docs])*
            pub struct #handle { role: runtime::Role<Payload>, #index_field }

            impl #handle {
                #index

                #[doc = " Which role it is."]
                #[must_use]
                pub fn role(&self) -> Role { plan::SEATS[self.role.id().index()] }

                #[doc = " Whether the protocol may be over, as far as this role is concerned."]
                #[must_use]
                pub fn may_end(&self) -> bool { self.role.may_end() }

                #[doc = " Lets each call from now on give up after some time; futures are dropped instead."]
                pub fn set_timeout(&mut self, timeout: Option<Duration>) { self.role.set_timeout(timeout); }

                #sends
                #receives
                #closes
                #(#does)*

                #typed
                #connect

                #[doc = " Ends the role."]
                #[doc = ""]
                #[doc = " # Errors"]
                #[doc = ""]
                #[doc = " It may not stop here. Everybody else is told that it did."]
                pub fn finish(self) -> Result<(), Error> { self.role.finish() }

                #[doc = " The role with its types, such as one that is connected to other processes; nothing if it is another role."]
                #[must_use]
                pub fn from_untyped(role: runtime::Role<Payload>) -> Option<Self> {
                    match plan::SEATS[role.id().index()] { #typing }
                }

                #[doc = " The role without its types."]
                #[must_use]
                pub fn into_untyped(self) -> runtime::Role<Payload> { self.role }
            }

            #types
            #typed_module
        }
    }

    fn role_docs(&self, family: &Family) -> Vec<String> {
        let mut docs =
            vec![format!(" The handle of `{}`: whoever has it plays that role.", family.name)];
        let mut diagrams: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        // A family of one would not show how its members differ.
        let example = 1.min(self.plans.len() - 1);
        let plan = self.plans[example];
        for &member in family.members.iter().filter(|member| member.index() < plan.roles.len()) {
            let (name, lines) =
                (format!("`{}`", plan.roles[member.index()]), diagram(plan, member));
            match diagrams.iter_mut().find(|(_, known)| *known == lines) {
                Some((names, _)) => names.push(name),
                None => diagrams.push((vec![name], lines)),
            }
        }
        diagrams.retain(|(_, lines)| !lines.is_empty());
        for (names, lines) in diagrams.iter().take(MAX_DIAGRAMS) {
            let with =
                self.count.map(|count| format!(" with {} = {}", count.name, count.values[example]));
            let heading =
                format!(" {}{}, state by state:", names.join(", "), with.unwrap_or_default());
            docs.extend([String::new(), heading]);
            docs.extend([String::new(), " ```text".to_owned()]);
            docs.extend(lines.iter().map(|line| format!(" {line}")));
            docs.push(" ```".to_owned());
        }
        if let Some((names, _)) = diagrams.get(MAX_DIAGRAMS) {
            docs.extend([
                String::new(),
                format!(" {} and the rest do likewise with others.", names[0]),
            ]);
        }
        docs
    }

    fn sends(&self, family: &Family) -> Option<TokenStream> {
        if family.sends.is_empty() {
            return None;
        }
        let message = self.sent_type(family);
        let payload = self.packed(family);
        let errors = ERRORS;
        Some(quote! {
            #[doc = " Sends a message. Where several may receive it, the policy of the module decides."]
            #(#[doc = #errors])*
            #[inline]
            pub fn send(&mut self, message: #message) -> Result<(), Error> {
                self.role.send(#payload, None)
            }

            #[doc = " Sends a message to this role."]
            #(#[doc = #errors])*
            #[inline]
            pub fn send_to(&mut self, to: Role, message: #message) -> Result<(), Error> {
                self.role.send(#payload, Some(to.id()))
            }

            #[doc = " Sends a message, as a future."]
            #(#[doc = #errors])*
            pub async fn send_async(&mut self, message: #message) -> Result<(), Error> {
                self.role.send_async(#payload, None).await
            }

            #[doc = " Sends a message to this role, as a future."]
            #(#[doc = #errors])*
            pub async fn send_to_async(&mut self, to: Role, message: #message) -> Result<(), Error> {
                self.role.send_async(#payload, Some(to.id())).await
            }
        })
    }

    fn receives(&self, family: &Family) -> Option<TokenStream> {
        if family.receives.is_empty() {
            return None;
        }
        let message = self.received_type(family);
        let unpacked = self.unpacked(family);
        let errors = ERRORS;
        Some(quote! {
            #[doc = " Receives the next message."]
            #(#[doc = #errors])*
            #[inline]
            pub fn recv(&mut self) -> Result<#message, Error> {
                self.role.recv(None).map(|received| #unpacked)
            }

            #[doc = " Receives a message from this role."]
            #(#[doc = #errors])*
            #[inline]
            pub fn recv_from(&mut self, from: Role) -> Result<#message, Error> {
                self.role.recv(Some(from.id())).map(|received| #unpacked)
            }

            #[doc = " Receives the next message, and tells who sent it."]
            #(#[doc = #errors])*
            pub fn recv_with_sender(&mut self) -> Result<(Role, #message), Error> {
                self.role.recv(None).map(|received| {
                    (plan::SEATS[received.from.index()], #unpacked)
                })
            }

            #[doc = " Receives the next message, as a future."]
            #(#[doc = #errors])*
            pub async fn recv_async(&mut self) -> Result<#message, Error> {
                self.role.recv_async(None).await.map(|received| #unpacked)
            }

            #[doc = " Receives a message from this role, as a future."]
            #(#[doc = #errors])*
            pub async fn recv_from_async(&mut self, from: Role) -> Result<#message, Error> {
                self.role.recv_async(Some(from.id())).await.map(|received| #unpacked)
            }
        })
    }

    /// The type of what a role is given to send.
    fn sent_type(&self, family: &Family) -> TokenStream {
        match family.sends.as_slice() {
            [only] => self.interface.message(*only).path(),
            _ => {
                let sends = &family.sends_type;
                quote!(impl Into<#sends>)
            }
        }
    }

    fn packed(&self, family: &Family) -> TokenStream {
        match family.sends.as_slice() {
            [only] => {
                let variant = &self.interface.message(*only).ident;
                quote!(Payload::#variant(message))
            }
            _ => quote!(message.into().into()),
        }
    }

    fn received_type(&self, family: &Family) -> TokenStream {
        match family.receives.as_slice() {
            [only] => self.interface.message(*only).path(),
            _ => {
                let receives = &family.receives_type;
                quote!(#receives)
            }
        }
    }

    fn unpacked(&self, family: &Family) -> TokenStream {
        let unpack = &family.unpack;
        quote!(received.payload.#unpack())
    }

    /// The enumerations of what a role sends and receives, where there are several.
    fn message_enums(&self, family: &Family) -> TokenStream {
        let sends = (family.sends.len() > 1).then(|| {
            let doc = format!(" What `{}` sends.", family.name);
            let name = &family.sends_type;
            let declared = self.message_enum(&doc, name, &family.sends);
            let froms = family.sends.iter().map(|&index| self.interface.message(index));
            let froms = froms.filter(|message| message.has_own_type).map(|message| {
                let (variant, path) = (&message.ident, message.path());
                quote! {
                    impl From<#path> for #name {
                        fn from(message: #path) -> Self { Self::#variant(message) }
                    }
                }
            });
            let variants = family.sends.iter().map(|&index| &self.interface.message(index).ident);
            quote! {
                #declared
                #(#froms)*
                impl From<#name> for Payload {
                    fn from(message: #name) -> Self {
                        match message { #(#name::#variants(message) => Payload::#variants(message)),* }
                    }
                }
            }
        });
        let receives = (family.receives.len() > 1).then(|| {
            let doc = format!(" What `{}` receives.", family.name);
            self.message_enum(&doc, &family.receives_type, &family.receives)
        });
        quote!(#sends #receives)
    }

    /// How roles get at what they receive.
    pub(super) fn unpacking(&self) -> Option<TokenStream> {
        let receivers = self.interface.families.iter().filter(|family| !family.receives.is_empty());
        let functions: Vec<TokenStream> = receivers.map(|family| self.unpack(family)).collect();
        (!functions.is_empty()).then(|| quote!(impl Payload { #(#functions)* }))
    }

    /// From the payload to what a role receives.
    fn unpack(&self, family: &Family) -> TokenStream {
        let (function, message) = (&family.unpack, self.received_type(family));
        let messages = (0..self.interface.messages.len()).map(MessageIndex);
        let others: Vec<&Ident> = messages
            .filter(|index| !family.receives.contains(index))
            .map(|index| &self.interface.message(index).ident)
            .collect();
        let rest = never(&others, &format!("`{}` never receives this", family.name));
        let doc = format!(" A message that `{}` has received.", family.name);
        let function =
            |body: TokenStream| quote!(#[doc = #doc] fn #function(self) -> #message { #body });
        if let [only] = family.receives.as_slice() {
            let variant = &self.interface.message(*only).ident;
            return function(if others.is_empty() {
                quote!(let Payload::#variant(message) = self; message)
            } else {
                quote!(match self { Payload::#variant(message) => message, #rest })
            });
        }
        let name = &family.receives_type;
        let variants = family.receives.iter().map(|&index| &self.interface.message(index).ident);
        function(quote! {
            match self { #(Payload::#variants(message) => #name::#variants(message),)* #rest }
        })
    }

    fn message_enum(&self, doc: &str, name: &Ident, messages: &[MessageIndex]) -> TokenStream {
        let variants = messages.iter().map(|&index| {
            let message = self.interface.message(index);
            let (variant, path) = (&message.ident, message.path());
            let doc = format!(" `{}`.", message.name);
            quote!(#[doc = #doc] #variant(#path))
        });
        let derives = self.look.samples.then(|| quote!(#[derive(Clone, Debug)]));
        quote! {
            #[doc = #doc]
            #derives
            pub enum #name { #(#variants),* }
        }
    }
}

impl Family {
    /// Names for its indices.
    pub(super) fn index_names(&self) -> Vec<Ident> {
        match self.n_indices {
            1 => vec![format_ident!("index")],
            n => (1..=n).map(|position| format_ident!("index_{}", position)).collect(),
        }
    }

    /// The field that these indices make.
    pub(super) fn index(&self, indices: &[Ident]) -> TokenStream {
        match indices {
            [only] => quote!(#only),
            several => quote!(index: (#(#several),*)),
        }
    }

    pub(super) fn number_type(&self) -> TokenStream {
        if self.is_signed { quote!(i64) } else { quote!(usize) }
    }
}

/// The arm for messages that are not received. A single one has a name, as clippy asks for.
pub(super) fn never(messages: &[&Ident], why: &str) -> Option<TokenStream> {
    match messages {
        [] => None,
        [only] => Some(quote!(Payload::#only(_) => unreachable!(#why))),
        _ => Some(quote!(_ => unreachable!(#why))),
    }
}

fn closes() -> TokenStream {
    let errors = ERRORS;
    quote! {
        #[doc = " Closes the channel to a role."]
        #(#[doc = #errors])*
        pub fn close(&mut self, to: Role) -> Result<(), Error> { self.role.close(to.id()) }

        #[doc = " Closes the channel to a role, as a future."]
        #(#[doc = #errors])*
        pub async fn close_async(&mut self, to: Role) -> Result<(), Error> {
            self.role.close_async(to.id()).await
        }
    }
}

fn does(name: &str, label: &Ident, method: &Ident) -> TokenStream {
    let doc = format!(" Does `{name}`.");
    let method_async = format_ident!("{}_async", method);
    let errors = ERRORS;
    quote! {
        #[doc = #doc]
        #(#[doc = #errors])*
        pub fn #method(&mut self) -> Result<(), Error> { self.role.act(labels::#label) }

        #[doc = #doc]
        #(#[doc = #errors])*
        pub async fn #method_async(&mut self) -> Result<(), Error> {
            self.role.act_async(labels::#label).await
        }
    }
}
