//! Which crates are compiled against the shim.

use super::is_converted;

fn check(line: &str, denied: &str) -> bool {
    let words: Vec<_> = line.split(' ').map(Into::into).collect();
    is_converted(&words, denied)
}

#[test]
fn only_what_is_explored_is_converted() {
    assert!(check("--crate-name a src/lib.rs --crate-type lib --target x", ""));
    assert!(check("--crate-name a src/lib.rs --crate-type lib --target=x", "b"));
    assert!(!check("--crate-name a_b src/lib.rs --crate-type lib --target x", "c,a-b"));
    assert!(!check("--crate-name a src/lib.rs --crate-type lib", ""));
    assert!(!check("--crate-name a src/lib.rs --crate-type proc-macro --target x", ""));
    assert!(!check("--crate-name build_script_build build.rs --target x", ""));
    assert!(!check("- --crate-name ___ --print=file-names --target x", ""));
    assert!(!check("-vV", ""));
}
