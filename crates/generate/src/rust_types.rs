//! Types of Rust that messages can have. Knows no protocol.

/// The Rust type of a type of Discourje.
pub(crate) fn known_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Boolean" => "bool",
        "Long" | "Integer" => "i64",
        "Double" => "f64",
        "String" => "String",
        _ => return None,
    })
}

/// Whether a path can be imported: it has several segments, so it is not a primitive type.
pub(crate) fn is_used(path: &syn::Path) -> bool {
    path.segments.len() > 1 && path.segments.iter().all(|segment| segment.arguments.is_none())
}

/// Whether a type is sized, complete and `'static`, so that its values can be sent.
pub(crate) fn can_be_kept(written: &syn::Type) -> bool {
    match written {
        syn::Type::Reference(reference) => {
            reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static")
        }
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(can_be_kept),
        syn::Type::Array(array) => can_be_kept(&array.elem),
        syn::Type::Paren(inner) => can_be_kept(&inner.elem),
        syn::Type::Path(_) | syn::Type::BareFn(_) => true,
        _ => false,
    }
}
