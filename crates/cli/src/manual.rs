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
