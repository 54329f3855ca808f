//! An instance seen from one atom of a signature: fields lose the column that the atom stands in.

use quadrille_alloy::{Content, Instance};

use super::theme::short;

/// The atoms that a signature has at any time.
pub(super) fn atoms(instance: &Instance, sig: &str) -> Vec<String> {
    let own = instance.sigs.iter().filter(|content| content.name == sig);
    let rows = own.flat_map(|content| content.states.iter().flatten());
    let mut atoms: Vec<String> = Vec::new();
    for row in rows {
        if !atoms.contains(&row[0]) {
            atoms.push(row[0].clone());
        }
    }
    atoms
}

/// The instance as one of these atoms has it.
pub(super) fn seen_from(instance: &Instance, atoms: &[String], atom: &str) -> Instance {
    let mut seen = instance.clone();
    let is_of = |row: &Vec<String>| row.iter().any(|it| atoms.contains(it));
    seen.sigs.retain(|sig| !sig.states.iter().flatten().any(is_of));
    seen.fields
        .iter_mut()
        .chain(&mut seen.skolems)
        .for_each(|content| narrow(content, atoms, atom));
    // What has no column left says only whether it holds of the atom.
    seen.fields.retain(|field| field.arity > 0);
    seen.skolems.retain(|skolem| skolem.arity > 0);
    // A field with one column left marks atoms as a signature does.
    let (mut marks, fields): (Vec<Content>, Vec<Content>) =
        seen.fields.into_iter().partition(|field| field.arity == 1);
    marks.iter_mut().for_each(|field| field.name = short(&field.name).to_owned());
    seen.fields = fields;
    seen.sigs.extend(marks);
    seen
}

/// Leaves out the first column in which all atoms are of the signature.
fn narrow(content: &mut Content, atoms: &[String], atom: &str) {
    let mut rows = content.states.iter().flatten().peekable();
    if rows.peek().is_none() {
        return;
    }
    let all: Vec<&Vec<String>> = rows.collect();
    let is_own = |column: &usize| all.iter().all(|row| atoms.contains(&row[*column]));
    let Some(column) = (0..content.arity).find(is_own) else { return };
    content.arity -= 1;
    for state in &mut content.states {
        state.retain(|row| row[column] == atom);
        state.iter_mut().for_each(|row| drop(row.remove(column)));
    }
}
