//! Printing the tokens of a module. Ordinary items are printed by `prettyplease`; calls of macros and tables, which it
//! would spread over many lines, have a line per row.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Rows of macros that are longer than this are broken at their braces.
const MAX_WIDTH: usize = 110;

/// Prints items, with an empty line between them.
pub(super) fn items(items: Vec<syn::Item>, indentation: usize, text: &mut String) {
    let mut after_use = None;
    for item in items {
        let is_use = matches!(item, syn::Item::Use(_));
        if after_use.is_some_and(|after_use| !(is_use && after_use)) {
            text.push('\n');
        }
        after_use = Some(is_use);
        print(item, indentation, text);
    }
}

fn print(item: syn::Item, indentation: usize, text: &mut String) {
    let mut line = |more: usize, row: &str| {
        *text += &" ".repeat(indentation + more);
        *text += row;
        text.push('\n');
    };
    match item {
        syn::Item::Mod(syn::ItemMod { attrs, vis, ident, content: Some((_, inner)), .. }) => {
            let head = quote::quote!(#(#attrs)* #vis mod #ident);
            let mut head = rows(head);
            if let Some(last) = head.last_mut() {
                last.push_str(" {");
            }
            head.iter().for_each(|row| line(0, row));
            items(inner, indentation + 4, text);
            *text += &format!("{}}}\n", " ".repeat(indentation));
        }
        syn::Item::Macro(item) => {
            line(0, &format!("{}! {{", inline(item.mac.path.into_token_stream())));
            rows(item.mac.tokens).iter().flat_map(|row| row.lines()).for_each(|row| line(4, row));
            line(0, "}");
        }
        syn::Item::Const(item) if table(&item.expr).is_some() => {
            let rows = table(&item.expr).unwrap_or_default();
            let syn::ItemConst { attrs, vis, ident, ty, .. } = item;
            for attribute in attrs {
                self::rows(attribute.into_token_stream()).iter().for_each(|row| line(0, row));
            }
            let head = inline(quote::quote!(#vis const #ident: #ty));
            if rows.is_empty() {
                return line(0, &format!("{head} = &[];"));
            }
            line(0, &format!("{head} = &["));
            rows.into_iter().for_each(|row| line(4, &format!("{},", inline(row))));
            line(0, "];");
        }
        other => {
            // What stands in quotes is not moved.
            let is_quoted = matches!(other, syn::Item::Const(_));
            let file = syn::File { shebang: None, attrs: Vec::new(), items: vec![other] };
            let printed = prettyplease::unparse(&file);
            if is_quoted {
                *text += &printed;
            } else {
                printed.lines().for_each(|row| line(0, row));
            }
        }
    }
}

/// The elements of `&[…]`.
fn table(expression: &syn::Expr) -> Option<Vec<TokenStream>> {
    let syn::Expr::Reference(reference) = expression else { return None };
    let syn::Expr::Array(array) = &*reference.expr else { return None };
    Some(array.elems.iter().map(ToTokens::to_token_stream).collect())
}

/// Tokens as rows: attributes, what ends in a semicolon, groups.
fn rows(tokens: TokenStream) -> Vec<String> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    for token in tokens {
        let is_attribute =
            matches!(row.as_slice(), [TokenTree::Punct(mark)] if mark.as_char() == '#');
        let ends = match &token {
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Brace => true,
                Delimiter::Bracket => row.is_empty() || is_attribute,
                Delimiter::Parenthesis | Delimiter::None => false,
            },
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        row.push(token);
        if ends {
            rows.push(printed_row(std::mem::take(&mut row)));
        }
    }
    if !row.is_empty() {
        rows.push(printed_row(row));
    }
    rows
}

#[expect(clippy::needless_pass_by_value, reason = "a row is printed once")]
fn printed_row(row: Vec<TokenTree>) -> String {
    if let [TokenTree::Punct(_), TokenTree::Group(group)] = row.as_slice()
        && let Ok(doc) = syn::parse2::<syn::MetaNameValue>(group.stream())
        && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(doc_text), .. }) = &doc.value
        && doc.path.is_ident("doc")
    {
        return format!("///{}", doc_text.value());
    }
    let line = inline(row.iter().cloned().collect());
    match row.as_slice() {
        [before @ .., TokenTree::Group(group)] if line.len() > MAX_WIDTH => {
            broken(before, group).unwrap_or(line)
        }
        _ => line,
    }
}

/// Tokens and a group, with the inner groups of that below each other; where these are short, several on a line.
fn broken(before: &[TokenTree], group: &Group) -> Option<String> {
    let is_bracket = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
    let is_brace = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let (open, close) = match group.delimiter() {
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Parenthesis | Delimiter::None => return None,
    };
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_table =
        tokens.iter().all(|token| is_bracket(token) || matches!(token, TokenTree::Literal(_)));
    let first = tokens.iter().position(|token| is_table || is_brace(token))?;
    let mut head = inline(before.iter().cloned().collect());
    if !head.is_empty() {
        head.push(' ');
    }
    let inner = inline(tokens[..first].iter().cloned().collect());
    let mut lines = vec![format!("{head}{open}{}{inner}", if inner.is_empty() { "" } else { " " })];
    if let ("[", Some(line)) = (open, lines.first_mut()) {
        *line = line.replacen("[ ", "[", 1);
    }
    let mut short = String::new();
    for run in
        tokens[first..].chunk_by(|one, other| !(is_table || is_brace(one) || is_brace(other)))
    {
        let line = inline(run.iter().cloned().collect());
        if !short.is_empty() && short.len() + 1 + line.len() > MAX_WIDTH - 4 {
            lines.push(format!("    {}", std::mem::take(&mut short)));
        }
        match run {
            [TokenTree::Group(group)] if line.len() > MAX_WIDTH && is_brace(&run[0]) => {
                let inner = broken(&[], group).unwrap_or(line);
                lines.extend(inner.lines().map(|line| format!("    {line}")));
            }
            _ if is_table => {
                if !short.is_empty() {
                    short.push(' ');
                }
                short += &line;
            }
            _ => lines.push(format!("    {line}")),
        }
    }
    if !short.is_empty() {
        lines.push(format!("    {short}"));
    }
    lines.push(close.to_owned());
    Some(lines.join("\n"))
}

/// Tokens on one line, spaced as `rustfmt` would.
fn inline(tokens: TokenStream) -> String {
    let mut text = String::new();
    let mut before: Option<TokenTree> = None;
    let mut is_arrow = false;
    for token in tokens {
        if before.as_ref().is_some_and(|before| is_spaced(before, &token, is_arrow, &text)) {
            text.push(' ');
        }
        is_arrow = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '>')
            && (text.ends_with('=') || text.ends_with('-'));
        match &token {
            TokenTree::Group(group) => {
                let inner = inline(group.stream());
                text += &match group.delimiter() {
                    Delimiter::Parenthesis => format!("({inner})"),
                    Delimiter::Bracket => format!("[{inner}]"),
                    Delimiter::Brace if inner.is_empty() => "{}".to_owned(),
                    Delimiter::Brace => format!("{{ {inner} }}"),
                    Delimiter::None => inner,
                };
            }
            other => text += &other.to_string(),
        }
        before = Some(token);
    }
    text
}

/// Whether a space stands between two tokens.
fn is_spaced(before: &TokenTree, token: &TokenTree, is_after_arrow: bool, text: &str) -> bool {
    if let TokenTree::Punct(before) = before {
        let is_path = text.ends_with("::");
        let tight = before.spacing() == Spacing::Joint && matches!(token, TokenTree::Punct(_));
        match before.as_char() {
            _ if tight || is_path => return false,
            '.' | '&' | '#' | '!' | '<' | '\'' | '-' => return false,
            '>' if is_after_arrow => return true,
            '>' => {
                let is_closed = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
                return !is_closed && !is_tight(token);
            }
            _ => return !is_tight(token) || before.as_char() == '=',
        }
    }
    match token {
        TokenTree::Group(group) => {
            let is_word = matches!(before, TokenTree::Ident(_));
            group.delimiter() == Delimiter::Brace || !is_word
        }
        token => !is_tight(token),
    }
}

/// Whether a token stands close to what is before it.
fn is_tight(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';' | '.' | ':' | '?' | '!' | '<' | '>'))
}
