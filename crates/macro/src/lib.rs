//! `protocol!`, which stands for the module of a protocol. Users know it as `quadrille::protocol!`.
//!
//! Reads the protocol; everything else is in `quadrille-generate`.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a macro reads the file that it names")]

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quadrille_diagnostic::{Sources, Style, render};
use quadrille_engine::unobserved;
use quadrille_generate::{Forms, Request, generate, read};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token};

/// The module of a protocol, where the macro stands: `mod chess { quadrille::protocol!("chess.quad"); }`. The path is
/// relative to the crate. Options follow it:
///
/// | option | |
/// |---|---|
/// | `strict`, `liberal` | only this form; otherwise both |
/// | `accept_differences` | the liberal form even if it does not do exactly what the protocol says |
/// | `protocol = "name"` | which protocol of the file |
/// | `k = 4`, `k = 1..=8` | another value for a parameter of the file, or several to choose from at run time |
///
/// What is wrong with the protocol is an error of the compiler. When the file changes, the crate is compiled again.
#[proc_macro]
pub fn protocol(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let expanded = syn::parse(input).and_then(|asked| expand(&asked, Path::new(&folder)));
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// What the macro is asked for.
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
                    name => request.session.parameters.push((name.to_owned(), value)),
                }
                continue;
            }
            let has_both = request.wanted.forms == Forms::Both;
            match option.to_string().as_str() {
                "strict" if has_both => request.wanted.forms = Forms::Strict,
                "liberal" if has_both => request.wanted.forms = Forms::Liberal,
                "strict" | "liberal" => {
                    let message = "only one form can be named; without a name there are both";
                    return Err(syn::Error::new(option.span(), message));
                }
                "accept_differences" => request.wanted.accept_differences = true,
                other => {
                    let message = format!(
                        "there is no option `{other}`: write `strict`, `liberal`, `accept_differences`, or `name = value`"
                    );
                    return Err(syn::Error::new(option.span(), message));
                }
            }
        }
        Ok(Self { file, request })
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
    // Named so that the compiler looks whether it has changed.
    Ok(quote!(const _: &[u8] = include_bytes!(#path); #module))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// What a macro with these words becomes: the functions of the module, or why there is none.
    fn check(text: &str, words: &str, expected: &Expect) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("test.quad"), text).expect("a file");
        let made = syn::parse_str(words).and_then(|asked| expand(&asked, folder.path()));
        let shown = made.map(|made| {
            let file: syn::File = syn::parse2(made).expect("items");
            let functions = file.items.iter().filter_map(|item| match item {
                syn::Item::Fn(function) => Some(format!("{}\n", function.sig.ident)),
                _ => None,
            });
            functions.collect::<String>()
        });
        expected.assert_eq(&shown.unwrap_or_else(|error| error.to_string()));
    }

    const FARM: &str = "parameter k = 2; message M; role a, w[0..k];
protocol other { M from a to w[0]; } protocol farm { for i in 0..k { M from a to w[i]; M from w[i] to a; } }";

    #[test]
    fn a_macro_becomes_a_module_or_errors() {
        let strict = expect![[r#"
            strict
            module
            origin
            verify
        "#]];
        check(FARM, r#""test.quad", strict, protocol = "farm", k = 3"#, &strict);
        let chosen = expect![[r#"
            liberal
            chosen
            module
            origin
            verify
        "#]];
        check(FARM, r#""test.quad", liberal, protocol = "farm", k = 1..=3,"#, &chosen);
        let unknown = expect![
            "there is no option `lax`: write `strict`, `liberal`, `accept_differences`, or `name = value`"
        ];
        check(FARM, r#""test.quad", lax"#, &unknown);
        let mistake = expect![[r#"
            error[Q103]: there is no role `b`
             --> test.quad:1:45
              |
            1 | message M; role a; protocol p { M from a to b; }
              |                                             ^ not declared
              |
              = help: declare it, or correct the name"#]];
        check("message M; role a; protocol p { M from a to b; }", r#""test.quad""#, &mistake);
        check(
            "",
            r#""no.quad""#,
            &expect![
                "cannot read `no.quad`, relative to the crate: No such file or directory (os error 2)"
            ],
        );
        let path = expect![[r#"write the path of a protocol: `protocol!("chess.quad")`"#]];
        check("", "test.quad", &path);
        let two = expect!["only one protocol can be named"];
        check(FARM, r#""test.quad", protocol = "farm", protocol = "other""#, &two);
        let both = expect!["only one form can be named; without a name there are both"];
        check(FARM, r#""test.quad", strict, liberal"#, &both);
    }
}
