//! Every code of every crate, for `quadrille explain`.

use quadrille_diagnostic::Code;

/// All codes in the order of their ids.
pub(crate) fn all() -> Vec<&'static Code> {
    let tables = [
        crate::codes::ALL,
        quadrille_logic::codes::ALL,
        quadrille_notation::codes::ALL,
        quadrille_report::codes::ALL,
    ];
    let mut codes: Vec<&Code> = tables.into_iter().flatten().copied().collect();
    codes.sort_by_key(|code| code.id);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_crate_is_forgotten() {
        let manual = include_str!("manual.rs");
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        for entry in std::fs::read_dir(crates).expect("the crates") {
            let path = entry.expect("a crate").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let table = format!("quadrille_{name}::codes::ALL");
            let has_codes = path.join("src/codes.rs").exists() && name != "cli";
            assert!(!has_codes || manual.contains(&table), "{table} is missing");
        }
    }

    #[test]
    fn ids_are_unique_and_pages_say_something() {
        let codes = all();
        for pair in codes.windows(2) {
            assert!(pair[0].id < pair[1].id, "two codes are called {}", pair[1].id);
        }
        for code in codes {
            assert!(code.lines.len() >= 3, "{} has no page worth the name", code.id);
        }
    }
}
