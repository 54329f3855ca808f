//! What the macro expands to, and its errors.

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
            origin
            verify
        "#]];
    check(FARM, r#""test.quad", variant = strict, protocol = "farm", k = 3"#, &strict);
    let chosen = expect![[r#"
            liberal
            chosen
            origin
            verify
        "#]];
    check(FARM, r#""test.quad", variant = liberal, protocol = "farm", k = 1..=3,"#, &chosen);
    let unknown = expect![
        "there is no option `lax`: write `variant = strict`, `accept_differences`, or `name = value`"
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
    let which = expect!["write `variant = strict`, `liberal` or `both`"];
    check(FARM, r#""test.quad", variant = lax"#, &which);
}
