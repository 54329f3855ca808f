//! Every code of every crate, for `quadrille explain`.

use quadrille_diagnostic::Code;

/// All codes in the order of their ids.
pub(crate) fn all() -> Vec<&'static Code> {
    let tables = [
        crate::codes::ALL,
        quadrille_query::codes::ALL,
        quadrille_query::manifest::ALL,
        quadrille_query::protocol::codes::ALL,
        quadrille_component::architecture::codes::ALL,
        quadrille_component::codes::ALL,
        quadrille_contract::codes::ALL,
        quadrille_generate::codes::ALL,
        quadrille_logic::codes::ALL,
        quadrille_formats::codes::ALL,
        quadrille_relational::codes::ALL,
        quadrille_alloy::codes::ALL,
        quadrille_petri::codes::ALL,
        quadrille_quad::atoms::ALL,
        quadrille_protocol::core::CODES,
        quadrille_discourje::ALL,
        quadrille_protocol::monitor::ALL,
        quadrille_protocol::owl::ALL,
        quadrille_quad::ALL,
        quadrille_report::codes::ALL,
    ];
    let mut codes: Vec<&Code> = tables.into_iter().flatten().copied().collect();
    codes.sort_by_key(|code| code.id);
    codes
}

#[cfg(test)]
mod tests;
