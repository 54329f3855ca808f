//! The protocol as a scheme: a line for each node of its tree.

use proc_macro2::{Literal, TokenStream};
use quadrille_runtime::scheme::{
    Comparison, FamilyScheme, How, Index, Node, NodeId, Place, Scheme, Sum, Test,
};
use quote::quote;

/// The module with the scheme.
pub(super) fn scheme_module(scheme: &Scheme) -> TokenStream {
    let protocol = &*scheme.protocol;
    let parameter = match &scheme.parameter {
        Some(parameter) => {
            let parameter = &**parameter;
            quote!(Some(Cow::Borrowed(#parameter)))
        }
        None => quote!(None),
    };
    let families = scheme.families.iter().map(family);
    let nodes = scheme.nodes.iter().map(node);
    quote! {
        #[doc = " The protocol as a tree. Nodes are positions in it; the last is the whole."]
        mod plan {
            use std::borrow::Cow;
            #[allow(unused_imports)]
            use super::runtime::scheme::{
                Comparison, FamilyScheme, How, Index, Node, NodeId as N, Place, Scheme, Sum, Test,
            };
            use super::labels;

            pub(super) static SCHEME: Scheme = Scheme {
                protocol: Cow::Borrowed(#protocol),
                parameter: #parameter,
                families: Cow::Borrowed(FAMILIES),
                labels: Cow::Borrowed(labels::NAMES),
                nodes: Cow::Borrowed(NODES),
            };

            const FAMILIES: &[FamilyScheme] = &[#(#families),*];
            const NODES: &[Node] = &[#(#nodes),*];
        }
    }
}

fn family(family: &FamilyScheme) -> TokenStream {
    let name = &*family.name;
    match &family.members {
        None => quote!(FamilyScheme::role(#name)),
        Some((from, until)) => {
            let (from, until) = (index(from), index(until));
            quote!(FamilyScheme::of(#name, #from, #until))
        }
    }
}

fn node(node: &Node) -> TokenStream {
    match node {
        Node::Message { label, from, to } => {
            let (label, from) = (Literal::u16_unsuffixed(*label), place(from));
            let to = to.iter().map(place);
            quote!(Node::message(#label, #from, &[#(#to),*]))
        }
        Node::Close { from, to } => {
            let (from, to) = (place(from), place(to));
            quote!(Node::Close { from: #from, to: #to })
        }
        Node::Local { label, by } => {
            let (label, by) = (Literal::u16_unsuffixed(*label), place(by));
            quote!(Node::Local { label: #label, by: #by })
        }
        Node::Sequence(parts) => {
            let parts = parts.iter().map(id);
            quote!(Node::sequence(&[#(#parts),*]))
        }
        Node::Choice(parts) => {
            let parts = parts.iter().map(id);
            quote!(Node::choice(&[#(#parts),*]))
        }
        Node::Parallel(parts) => {
            let parts = parts.iter().map(id);
            quote!(Node::parallel(&[#(#parts),*]))
        }
        Node::Loop { body, may_end } => {
            let body = id(body);
            quote!(Node::Loop { body: #body, may_end: #may_end })
        }
        Node::Each { how, variable, from, until, body } => {
            let how = match how {
                How::InOrder => quote!(InOrder),
                How::OneOf => quote!(OneOf),
                How::AtOnce => quote!(AtOnce),
            };
            let (variable, body) = (Literal::u8_unsuffixed(*variable), id(body));
            let (from, until) = (index(from), index(until));
            quote!(Node::each(How::#how, #variable, #from, #until, #body))
        }
        Node::If { test, then, other } => {
            let Test { left, is, right } = test;
            let is = match is {
                Comparison::Equal => quote!(Equal),
                Comparison::NotEqual => quote!(NotEqual),
                Comparison::Less => quote!(Less),
                Comparison::AtMost => quote!(AtMost),
            };
            let (left, right) = (index(left), index(right));
            let (then, other) = (id(then), id(other));
            quote! {
                Node::If {
                    test: Test { left: #left, is: Comparison::#is, right: #right },
                    then: #then,
                    other: #other,
                }
            }
        }
    }
}

fn id(id: &NodeId) -> TokenStream {
    let id = Literal::u16_unsuffixed(id.0);
    quote!(N(#id))
}

fn place(place: &Place) -> TokenStream {
    let family = Literal::u16_unsuffixed(place.family);
    match &place.index {
        None => quote!(Place::role(#family)),
        Some(at) => {
            let at = index(at);
            quote!(Place::member(#family, #at))
        }
    }
}

fn index(index: &Index) -> TokenStream {
    let terms = terms(&index.sum);
    match &index.modulo {
        None => quote!(Index::of(#terms)),
        Some(modulo) => {
            let modulo = self::terms(modulo);
            quote!(Index { sum: Sum::of(#terms), modulo: Some(Sum::of(#modulo)) })
        }
    }
}

fn terms(sum: &Sum) -> TokenStream {
    let constant = Literal::i64_unsuffixed(sum.constant);
    let parameter = Literal::i64_unsuffixed(sum.parameter);
    let variables =
        sum.variables.iter().filter(|(_, times)| *times != 0).map(|&(variable, times)| {
            let (variable, times) =
                (Literal::u8_unsuffixed(variable), Literal::i64_unsuffixed(times));
            quote!((#variable, #times))
        });
    quote!(#constant, #parameter, &[#(#variables),*])
}
