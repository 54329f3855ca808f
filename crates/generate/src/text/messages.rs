//! Types of messages, and the one type of all of them that travels.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::Context;
use crate::interface::{Field, Interface, MessageType, RustType};

impl Context<'_> {
    pub(super) fn messages(&self) -> TokenStream {
        let Interface { messages, enumerations, .. } = self.interface;
        let derives = self.look.derives;
        let enumerations = enumerations.iter().map(|each| {
            let (ident, values) = (&each.ident, &each.values);
            let docs = values.iter().map(|value| format!(" `{value}`."));
            quote! {
                #[doc = " Values of messages."]
                #[allow(dead_code)]
                #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, #(#derives),*)]
                pub enum #ident { #(#[doc = #docs] #values),* }
            }
        });
        let (bare, others): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| is_bare(message));
        let bare = (!bare.is_empty()).then(|| bare_messages(&bare, derives));
        let types = others.into_iter().map(|message| self.message(message));
        let payload = self.payload();
        quote! {
            #(#enumerations)*
            #bare
            #(#types)*
            #payload
        }
    }

    fn message(&self, message: &MessageType) -> TokenStream {
        let MessageType { ident, fields, name, .. } = message;
        let derives = self.look.derives;
        match &message.rust_type {
            RustType::Generated => {
                let doc = format!(" The message `{name}`.");
                let fields = fields.iter().map(|Field { ident, rust_type, .. }| {
                    let doc = format!(" The field `{ident}`.");
                    quote!(#[doc = #doc] pub #ident: #rust_type)
                });
                quote! {
                    #[doc = #doc]
                    #[allow(dead_code)]
                    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, #(#derives),*)]
                    pub struct #ident { #(#fields),* }
                }
            }
            RustType::Used(path) => {
                let renamed = path.segments.last().is_none_or(|last| last.ident != *ident);
                let rename = renamed.then(|| quote!(as #ident));
                let content = content_trait(message);
                quote!(pub use #path #rename; #content)
            }
            RustType::Written(_) => content_trait(message),
        }
    }

    fn payload(&self) -> TokenStream {
        let messages = &self.interface.messages;
        let derives = self.look.derives;
        let variants = messages.iter().map(|message| {
            let (ident, path, into) = (&message.ident, message.path(), message.unpack());
            quote!({ #ident(#path) #into })
        });
        let labels = messages.iter().map(|message| self.label(message));
        let duplicate = duplicate(messages);
        let needed =
            if self.look.samples { vec![quote!(Clone), quote!(Debug)] } else { Vec::new() };
        let derived = derives.iter().map(ToTokens::to_token_stream);
        let derives = needed.into_iter().chain(derived);
        let samples = self.look.samples.then(|| self.samples());
        let body = if messages.is_empty() {
            quote!(match *self {})
        } else {
            quote!(match self { #(#labels),* })
        };
        quote! {
            runtime::payload! { #[derive(#(#derives),*)] #(#variants)* }

            impl runtime::Payload for Payload {
                fn label(&self) -> Option<runtime::plan::LabelId> { #body }
                #duplicate
            }
            #samples
        }
    }

    /// From a message to what the protocol calls it.
    fn label(&self, message: &MessageType) -> TokenStream {
        let ident = &message.ident;
        let classes = message.classes.iter().map(|(label, values)| {
            let label = &self.interface.labels[label.index()];
            (quote!(Some(labels::#label)), values)
        });
        if message.fields.is_empty() {
            let label = classes.map(|(label, _)| label);
            return quote!(Payload::#ident(_) => #(#label)*);
        }
        let values: Option<usize> = message.fields.iter().map(|field| field.n_values).product();
        let rest = (values != Some(message.classes.len())).then_some(());
        let fields: Vec<_> = message.fields.iter().map(|field| &field.ident).collect();
        if matches!(message.rust_type, RustType::Generated) {
            let arms =
                classes.map(|(label, values)| quote!(#ident { #(#fields: #values),* } => #label));
            let rest = rest.map(|()| quote!(#ident { .. } => None));
            return quote!(Payload::#ident(message) => match *message { #(#arms,)* #rest });
        }
        let content = &message.content;
        let arms = classes.map(|(label, values)| quote!((#(#values,)*) => #label));
        let rest = rest.map(|()| quote!(_ => None));
        quote! {
            Payload::#ident(message) => match (#(#content::#fields(message),)*) { #(#arms,)* #rest }
        }
    }

    /// Examples of messages.
    fn samples(&self) -> TokenStream {
        let arms = self.interface.messages.iter().flat_map(|message| {
            message.classes.iter().map(move |(label, values)| {
                let (label, ident) = (&self.interface.labels[label.index()], &message.ident);
                let fields = message.fields.iter().map(|field| &field.ident);
                let value = match &message.rust_type {
                    RustType::Generated if values.is_empty() => quote!(#ident),
                    RustType::Generated => quote!(#ident { #(#fields: #values),* }),
                    _ if values.is_empty() => {
                        let path = message.path();
                        quote!(<#path as Default>::default())
                    }
                    _ => {
                        let content = &message.content;
                        quote!(#content::with(#(#values),*))
                    }
                };
                quote!(labels::#label => Some(Payload::#ident(#value)))
            })
        });
        quote! {
            impl runtime::Sample for Payload {
                fn sample(label: runtime::plan::LabelId) -> Option<Self> {
                    match label { #(#arms,)* _ => None }
                }
            }
        }
    }
}

/// Whether nothing is known of a message but its name.
fn is_bare(message: &MessageType) -> bool {
    matches!(message.rust_type, RustType::Generated) && message.fields.is_empty()
}

/// Messages without fields, a line each.
fn bare_messages(messages: &[&MessageType], derives: &[syn::Path]) -> TokenStream {
    let derived = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
    let rows = messages.iter().map(|message| {
        let MessageType { ident, name, .. } = message;
        quote!({ #derived #ident #name })
    });
    quote!(runtime::messages! { #(#rows)* })
}

/// The trait through which the fields of a foreign type are seen.
fn content_trait(message: &MessageType) -> TokenStream {
    if message.fields.is_empty() {
        return TokenStream::new();
    }
    let content = &message.content;
    let doc = format!(
        " The fields of the message `{0}`; implement it for the Rust type of `{0}`.",
        message.name
    );
    let fields = message.fields.iter().map(|Field { ident, rust_type, .. }| {
        let doc = format!(" The field `{ident}`.");
        quote!(#[doc = #doc] fn #ident(&self) -> #rust_type;)
    });
    let parameters =
        message.fields.iter().map(|Field { ident, rust_type, .. }| quote!(#ident: #rust_type));
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        pub trait #content: Sized {
            #(#fields)*
            #[doc = " Any message with these fields, for tests."]
            fn with(#(#parameters),*) -> Self;
        }
    }
}

/// Messages that go to several receivers are cloned.
fn duplicate(messages: &[MessageType]) -> Option<TokenStream> {
    let (several, one): (Vec<_>, Vec<_>) =
        messages.iter().partition(|message| message.is_multicast);
    if several.is_empty() {
        return None;
    }
    let several = several.iter().map(|message| {
        let ident = &message.ident;
        let copy = match message.rust_type {
            RustType::Generated => quote!(*message),
            RustType::Used(_) | RustType::Written(_) => quote!(Clone::clone(message)),
        };
        quote!(Payload::#ident(message) => Some(Payload::#ident(#copy)))
    });
    let one: Vec<_> = one.iter().map(|message| &message.ident).collect();
    let one = (!one.is_empty()).then(|| quote!(#(Payload::#one(_))|* => None));
    Some(quote! {
        fn duplicate(&self) -> Option<Self> {
            match self { #(#several,)* #one }
        }
    })
}
