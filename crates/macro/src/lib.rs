//! `protocol!`, which expands to the module of a protocol. Users know it as `quadrille::protocol!`.
//!
//! Reads the protocol; everything else is in `quadrille-generate`.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a macro reads the file that it names")]

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_engine::unobserved;
use quadrille_generate::{Request, Variants, generate, read};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token};

/// Expands to the module of a protocol: `mod chess { quadrille::protocol!("chess.quad"); }`. The path is
/// relative to the crate. Options follow it:
///
/// | option | |
/// |---|---|
/// | `variant = strict` | or `liberal`, `both`; by default strict, and liberal where it is faithful to the protocol |
/// | `accept_differences` | the liberal variant even if it is not faithful to the protocol |
/// | `protocol = "name"` | which protocol of the file |
/// | `k = 4`, `k = 1..=8` | another value for a parameter of the file, or several to choose from at run time |
///
/// Mistakes in the protocol are compile errors. When the file changes, the crate is compiled again.
#[proc_macro]
pub fn protocol(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let expanded = syn::parse(input).and_then(|asked| expand(&asked, Path::new(&folder)));
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The arguments of the macro.
struct Asked {
    file: LitStr,
    request: Request,
}

impl Parse for Asked {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let file = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "write the path of a protocol: `protocol!(\"chess.quad\")`",
            )
        })?;
        let mut request =
            Request { runtime: "quadrille::runtime".to_owned(), ..Request::default() };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let option = input.call(Ident::parse_any)?;
            if input.peek(Token![=]) {
                input.parse::<Token![=]>()?;
                let value = value(input)?;
                match option.to_string().as_str() {
                    "protocol" if request.session.protocol.is_some() => {
                        return Err(syn::Error::new(
                            option.span(),
                            "only one protocol can be named",
                        ));
                    }
                    "protocol" => request.session.protocol = Some(value),
                    "variant" => request.wanted.variants = variants(&option, &value)?,
                    name => request.session.parameters.push((name.to_owned(), value)),
                }
                continue;
            }
            match option.to_string().as_str() {
                "accept_differences" => request.wanted.accept_differences = true,
                other => {
                    let message = format!(
                        "there is no option `{other}`: write `variant = strict`, `accept_differences`, or `name = value`"
                    );
                    return Err(syn::Error::new(option.span(), message));
                }
            }
        }
        Ok(Self { file, request })
    }
}

/// The variants that an option names.
fn variants(option: &Ident, name: &str) -> syn::Result<Variants> {
    match name {
        "strict" => Ok(Variants::Strict),
        "liberal" => Ok(Variants::Liberal),
        "both" => Ok(Variants::Both),
        _ => Err(syn::Error::new(option.span(), "write `variant = strict`, `liberal` or `both`")),
    }
}

/// What is written up to the next comma; the content, if it is a string.
fn value(input: ParseStream<'_>) -> syn::Result<String> {
    if input.peek(LitStr) {
        return Ok(input.parse::<LitStr>()?.value());
    }
    let mut value = String::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        value += &input.parse::<TokenTree>()?.to_string();
    }
    Ok(value)
}

/// The module, of a file in this folder.
fn expand(asked: &Asked, folder: &Path) -> syn::Result<TokenStream> {
    let Asked { file, request } = asked;
    let refuse = |why: &str| syn::Error::new(file.span(), why);
    let path = folder.join(file.value());
    let bytes = std::fs::read(&path).map_err(|error| {
        refuse(&format!("cannot read `{}`, relative to the crate: {error}", file.value()))
    })?;
    let mut sources = Sources::default();
    let made = read(&mut sources, file.value(), bytes)
        .map_err(|refused| vec![refused])
        .and_then(|source| generate(&mut sources, source, request, &mut unobserved));
    let made = made.map_err(|refused| {
        let shown = refused.iter().map(|each| render(each, &sources, Style::Plain));
        refuse(shown.collect::<String>().trim_end())
    })?;
    let module: TokenStream = made.text.parse()?;
    let path = path.display().to_string();
    // Makes the compiler track the file.
    Ok(quote!(const _: &[u8] = include_bytes!(#path); #module))
}

#[cfg(test)]
mod tests;
