//! `#[conformance]` instead of `#[test]`: a test that reads the data beside the repository. Where the
//! data is absent when the test is compiled, the test is reported as ignored, never as passed; where
//! it disappears afterwards, the test fails.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // looks whether a folder is there

use std::path::Path;

use proc_macro::TokenStream;

/// A test that reads `../shared/conformance`, seen from the root of the repository.
#[proc_macro_attribute]
pub fn conformance(_arguments: TokenStream, function: TokenStream) -> TokenStream {
    let is_there = std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|package| {
        // Packages lie two folders below the root.
        Path::new(&package).join("../../../shared/conformance").is_dir()
    });
    let attributes = if is_there {
        "#[test]"
    } else {
        "#[test] #[ignore = \"../shared/conformance is absent\"]"
    };
    let mut marked: TokenStream = attributes.parse().expect("attributes");
    marked.extend(function);
    marked
}
