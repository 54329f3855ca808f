//! What signatures belong to, and their fields.

use quadrille_diagnostic::Diagnostic;

use super::super::context::{Context, Place};
use super::super::modules::Modules;
use super::super::typed::Mark;
use super::super::types::Type;
use super::super::world::{Belongs, Field, FieldDecl, FieldId, SigId, World};
use super::{Done, known_sig, tree_of};
use crate::codes::{CIRCLE, CLASH, IRRELEVANT, SIG, TYPE};
use crate::syntax::tree::{Mult, Name, Parent, Unary};

pub(super) fn belongings(world: &mut World, modules: &Modules, reached: &[usize]) -> Done {
    for &module in reached {
        for (_, id) in &modules.all[module].sigs {
            let Some(tree) = tree_of(modules, module, *id) else { continue };
            let belongs = match &tree.parent {
                Parent::None => Belongs::Prim(SigId::UNIV),
                Parent::Extends(name) => {
                    let parent = known_sig(world, modules, module, name)?;
                    if parent.is_built_in() && parent != SigId::UNIV {
                        let message = format!("`{}` cannot be extended", name.text);
                        let error = Diagnostic::error(&SIG, message).at(name.span, "");
                        return Err(error.help("use `in` for a part of it"));
                    }
                    Belongs::Prim(parent)
                }
                Parent::In(names) | Parent::Equals(names) => {
                    if tree.is_abstract {
                        let message = "a subset signature is not `abstract`";
                        let error = Diagnostic::error(&SIG, message).at(tree.name.span, "");
                        return Err(error.help("remove the word, or use `extends`"));
                    }
                    let mut parents = Vec::new();
                    for name in names {
                        let parent = known_sig(world, modules, module, name)?;
                        if !parents.contains(&parent) && parent != SigId::NONE {
                            parents.push(parent);
                        }
                    }
                    if parents.contains(&SigId::UNIV) {
                        parents = vec![SigId::UNIV];
                    }
                    if parents.is_empty() {
                        let message = "a subset signature needs a parent with atoms";
                        let error = Diagnostic::error(&SIG, message).at(tree.name.span, "");
                        return Err(error.help("name another signature than `none`"));
                    }
                    Belongs::Subset(parents, matches!(tree.parent, Parent::Equals(_)))
                }
            };
            world.sigs[id.index()].belongs = belongs;
        }
    }
    let order = world.order.clone();
    for &id in &order {
        circle(world, id, &mut Vec::new())?;
    }
    for &id in &order {
        let span = world.sig(id).span;
        let Belongs::Prim(parent) = world.sig(id).belongs else { continue };
        if parent == SigId::UNIV {
            continue;
        }
        let refuse = |message: String, help: &str| {
            let error = Diagnostic::error(&SIG, message);
            Err(span.map_or(error.clone(), |span| error.at(span, "")).help(help))
        };
        let above = world.sig(parent);
        if matches!(above.belongs, Belongs::Subset(..)) {
            let message = format!("`{}` is a subset signature and cannot be extended", above.name);
            return refuse(message, "use `in`");
        }
        let in_enum = matches!(above.belongs, Belongs::Prim(top) if world.sig(top).is_enum);
        if in_enum {
            let message = format!("`{}` is a literal and cannot be extended", above.name);
            return refuse(message, "declare a signature instead of an enumeration");
        }
        if above.is_enum && world.sig(id).mult != Some(Mult::One) {
            let message = format!("`{}` extends an enumeration, so it is `one`", {
                world.sig(id).name.clone()
            });
            return refuse(message, "write `one sig`");
        }
        world.sigs[parent.index()].children.push(id);
    }
    for &id in &order {
        let ty = type_of(world, id);
        world.sigs[id.index()].ty = ty.clone();
        let this = world.sig(id).this;
        world.vars[this.0 as usize].ty = ty;
        warn_static(world, id);
    }
    Ok(())
}

fn circle(world: &World, id: SigId, path: &mut Vec<SigId>) -> Done {
    if id.is_built_in() {
        return Ok(());
    }
    if path.contains(&id) {
        let message = format!("`{}` belongs to itself in the end", world.sig(id).name);
        let error = Diagnostic::error(&CIRCLE, message);
        let span = world.sig(id).span;
        let error = span.map_or(error.clone(), |span| error.at(span, ""));
        return Err(error.help("remove one `extends` or `in` of the circle"));
    }
    path.push(id);
    match &world.sig(id).belongs {
        Belongs::Prim(parent) => circle(world, *parent, path)?,
        Belongs::Subset(parents, _) => {
            for parent in parents {
                circle(world, *parent, path)?;
            }
        }
    }
    path.pop();
    Ok(())
}

fn type_of(world: &World, id: SigId) -> Type {
    match &world.sig(id).belongs {
        Belongs::Prim(parent) if world.sig(*parent).is_enum => Type::of(*parent),
        Belongs::Prim(_) => Type::of(id),
        Belongs::Subset(parents, _) => {
            let mut ty = Type::EMPTY;
            for parent in parents {
                let above = type_of(world, *parent);
                ty = world.merge(&ty, &above);
            }
            ty
        }
    }
}

fn warn_static(world: &mut World, id: SigId) {
    let sig = world.sig(id);
    let parents = match &sig.belongs {
        Belongs::Prim(parent) => vec![*parent],
        Belongs::Subset(parents, _) => parents.clone(),
    };
    for parent in parents {
        if parent == SigId::UNIV || !world.sig(parent).is_var || world.sig(id).is_var {
            continue;
        }
        let (name, above) = (world.sig(id).name.clone(), world.sig(parent).name.clone());
        let message = format!("`{name}` does not change, and is part of `{above}`, which does");
        let warning = Diagnostic::warning(&IRRELEVANT, message);
        let span = world.sig(id).span;
        let warning = span.map_or(warning.clone(), |span| warning.at(span, ""));
        world.warnings.push(warning.help("write `var sig`"));
    }
}

/// Signatures behind those they belong to.
pub(super) fn topological(world: &World) -> Vec<SigId> {
    fn visit(world: &World, id: SigId, sorted: &mut Vec<SigId>) {
        if id.is_built_in() || sorted.contains(&id) {
            return;
        }
        match &world.sig(id).belongs {
            Belongs::Prim(parent) => visit(world, *parent, sorted),
            Belongs::Subset(parents, _) => {
                for parent in parents {
                    visit(world, *parent, sorted);
                }
            }
        }
        sorted.push(id);
    }
    let mut sorted = Vec::new();
    for id in world.declared() {
        visit(world, id, &mut sorted);
    }
    sorted
}

pub(super) fn fields(
    world: &mut World,
    modules: &Modules,
    module: usize,
    sig: SigId,
    defined: bool,
) -> Done {
    let Some(tree) = tree_of(modules, module, sig) else { return Ok(()) };
    let names: Vec<&Name> = tree.fields.iter().flat_map(|decl| &decl.names).collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].iter().any(|known| known.text == name.text) {
            let message = format!("`{}` has two fields `{}`", tree.name.text, name.text);
            let error = Diagnostic::error(&CLASH, message).at(name.span, "");
            return Err(error.help("rename one of them"));
        }
    }
    for decl in tree.fields.iter().filter(|decl| decl.is_defined == defined) {
        let this = world.sig(sig).this;
        let mut context = Context::new(world, modules, module, Place::Field(sig, defined));
        context.bind("this", this, decl.bound.span);
        let mut bound = context.set(&decl.bound);
        let mut warnings = std::mem::take(&mut context.warnings);
        world.warnings.append(&mut warnings);
        if let Some(error) = &bound.error {
            return Err(Diagnostic::clone(error));
        }
        if bound.mark == Mark::None && bound.ty.arity() == Some(1) {
            bound = world.unary(Unary::OneOf, &bound, bound.span);
        }
        if bound.ty.arity().is_some() && !bound.ty.has_tuple() {
            let message = "a field cannot be in an empty set or relation";
            let error = Diagnostic::error(&TYPE, message).at(bound.span, "");
            return Err(error.help("name a signature with atoms"));
        }
        let ty: Type = world.sig(sig).ty.product(&bound.ty, world).into();
        let mut ids = Vec::new();
        for name in &decl.names {
            let id = FieldId(world.fields.len() as u32);
            world.fields.push(Field {
                name: name.text.clone(),
                sig,
                is_var: decl.is_var,
                ty: ty.clone(),
                is_private: decl.is_private || world.sig(sig).is_private,
                span: name.span,
            });
            ids.push(id);
        }
        let (disj, disj_range) = (decl.disj, decl.disj_range);
        let decl = FieldDecl { fields: ids, bound, disj, disj_range };
        world.sigs[sig.index()].decls.push(decl);
    }
    Ok(())
}

pub(super) fn clashes(world: &World) -> Done {
    let used = |field: &Field| world.sig(field.sig).is_used;
    let fields: Vec<&Field> = world.fields.iter().filter(|field| used(field)).collect();
    for (at, field) in fields.iter().enumerate() {
        for other in fields[..at].iter().filter(|other| other.name == field.name) {
            if field.ty.first_columns_meet(&other.ty, world) {
                let message = format!("two fields `{}` of signatures that overlap", field.name);
                let error = Diagnostic::error(&CLASH, message).at(field.span, "this one");
                return Err(error.at(other.span, "and this one").help("rename one of them"));
            }
        }
    }
    Ok(())
}
