//! Instances in the XML that Alloy writes, one `instance` element per state.

use std::fmt::Write;

use crate::instance::{Instance, Rows};
use crate::names::world::{Belongs, Command, SigId, World};

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn label(world: &World, sig: SigId) -> String {
    let name = &world.sig(sig).name;
    let is_own = !sig.is_built_in() && !name.contains('/');
    escaped(&if is_own { format!("this/{name}") } else { name.clone() })
}

fn rows(text: &mut String, rows: &Rows, is_set: bool) {
    for row in rows {
        let atoms: String =
            row.iter().map(|atom| format!("<atom label=\"{}\"/>", escaped(atom))).collect();
        let _ = match is_set {
            true => writeln!(text, "   {atoms}"),
            false => writeln!(text, "   <tuple>{atoms}</tuple>"),
        };
    }
}

/// The XML of an instance.
pub fn xml(world: &World, command: &Command, instance: &Instance, file: &str) -> String {
    let mut text = String::from("<alloy builddate=\"quadrille\">\n\n");
    let word = if command.is_check { "Check" } else { "Run" };
    for state in 0..instance.length() {
        let _ = writeln!(
            text,
            "<instance bitwidth=\"{}\" maxseq=\"{}\" mintrace=\"{}\" maxtrace=\"{}\" backloop=\"{}\" \
             command=\"{word} {}\" filename=\"{}\" tracelength=\"{}\">",
            command.scope.bitwidth.unwrap_or(4),
            command.scope.seq.unwrap_or(4),
            if instance.is_static() { -1 } else { 1 },
            if instance.is_static() { -1 } else { instance.length() as i64 },
            instance.back_to(),
            escaped(&command.name),
            escaped(file),
            instance.length(),
        );
        signatures(&mut text, world, instance, state);
        text.push_str("</instance>\n\n");
    }
    text.push_str("</alloy>\n");
    text
}

fn signatures(text: &mut String, world: &World, instance: &Instance, state: usize) {
    for (sig, parent) in [
        (SigId::SEQ, Some(SigId::INT)),
        (SigId::INT, Some(SigId::UNIV)),
        (SigId::STRING, Some(SigId::UNIV)),
        (SigId::UNIV, None),
    ] {
        let parent = parent.map_or(String::new(), |it| format!(" parentID=\"{}\"", it.index()));
        let (name, id) = (label(world, sig), sig.index());
        let _ = writeln!(text, "<sig label=\"{name}\" ID=\"{id}\"{parent} builtin=\"yes\"></sig>");
    }
    let (mut sigs, mut fields) = (instance.sigs.iter(), instance.fields.iter());
    let mut next_id = world.sigs.len();
    for id in world.declared() {
        let Some(content) = sigs.next() else { return };
        let sig = world.sig(id);
        let parents: Vec<SigId> = match &sig.belongs {
            Belongs::Prim(parent) => vec![*parent],
            Belongs::Subset(parents, _) => parents.clone(),
        };
        let is_subset = matches!(sig.belongs, Belongs::Subset(..));
        let mut marks = String::new();
        if !is_subset {
            let _ = write!(marks, " parentID=\"{}\"", parents[0].index());
        }
        for (is_so, word) in [
            (sig.is_abstract, "abstract"),
            (sig.is_var, "var"),
            (sig.is_private, "private"),
            (sig.is_enum, "enum"),
            (sig.mult == Some(crate::syntax::tree::Mult::One), "one"),
            (sig.mult == Some(crate::syntax::tree::Mult::Lone), "lone"),
            (sig.mult == Some(crate::syntax::tree::Mult::Some), "some"),
        ] {
            if is_so {
                let _ = write!(marks, " {word}=\"yes\"");
            }
        }
        let _ =
            writeln!(text, "\n<sig label=\"{}\" ID=\"{}\"{marks}>", label(world, id), id.index());
        rows(text, content.at(state), true);
        if is_subset {
            for parent in parents {
                let _ = writeln!(text, "   <type ID=\"{}\"/>", parent.index());
            }
        }
        text.push_str("</sig>\n");
        for decl in &sig.decls {
            for &field in &decl.fields {
                let Some(content) = fields.next() else { return };
                let data = world.field(field);
                let var = if data.is_var { " var=\"yes\"" } else { "" };
                let _ = writeln!(
                    text,
                    "\n<field label=\"{}\" ID=\"{next_id}\" parentID=\"{}\"{var}>",
                    escaped(&data.name),
                    id.index()
                );
                next_id += 1;
                rows(text, content.at(state), false);
                for entry in &data.ty.entries {
                    let types: String =
                        entry.iter().map(|sig| format!("<type ID=\"{}\"/>", sig.index())).collect();
                    let _ = writeln!(text, "   <types>{types}</types>");
                }
                text.push_str("</field>\n");
            }
        }
    }
    for skolem in &instance.skolems {
        let _ = writeln!(text, "\n<skolem label=\"{}\" ID=\"{next_id}\">", escaped(&skolem.name));
        next_id += 1;
        rows(text, skolem.at(state), false);
        let univ = format!("<type ID=\"{}\"/>", SigId::UNIV.index()).repeat(skolem.arity);
        let _ = writeln!(text, "   <types>{univ}</types>\n</skolem>");
    }
}
