//! What names mean at a place, and expressions from their trees.

use std::rc::Rc;

use quadrille_diagnostic::{Diagnostic, Span, similar};
use quadrille_grammar::types::{Hierarchy, RelationType};

use super::make::{bad, leaf};
use super::modules::Modules;
use super::typed::{MacroUse, Mark, NodeKind, Typed, bare, multiplicity};
use super::types::Type;
use super::world::{FunctionId, SigId, TypedDecl, VarId, World};
use crate::codes::{NAME, SYNTAX};
use crate::syntax::tree::{Binary, Decl, Expr, Kind, Quantifier, Unary};

/// How often macros may be unfolded within each other.
const UNFOLDINGS: usize = 20;

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In a fact, assertion, predicate, function.
    Body,
    /// In the declaration of parameters or of a result.
    Parameters,
    /// In the declaration of a field, which may be a definition.
    Field(SigId, bool),
    /// In the fact of a signature.
    SigFact(SigId),
}

impl Place {
    fn sig(self) -> Option<SigId> {
        match self {
            Place::Field(sig, _) | Place::SigFact(sig) => Some(sig),
            Place::Body | Place::Parameters => None,
        }
    }

    fn has_functions(self) -> bool {
        !matches!(self, Place::Parameters | Place::Field(_, false))
    }
}

/// Reads expressions at one place of one module.
pub(super) struct Context<'a> {
    pub(super) world: &'a mut World,
    pub(super) modules: &'a Modules,
    pub(super) module: usize,
    pub(super) place: Place,
    pub(super) env: Vec<(String, Typed)>,
    pub(super) unfoldings: usize,
    pub(super) warnings: Vec<Diagnostic>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        world: &'a mut World,
        modules: &'a Modules,
        module: usize,
        place: Place,
    ) -> Self {
        let (env, warnings) = (Vec::new(), Vec::new());
        Self { world, modules, module, place, env, unfoldings: UNFOLDINGS, warnings }
    }

    pub(super) fn bind(&mut self, name: &str, var: VarId, span: Span) {
        let ty = self.world.var(var).ty.clone();
        self.env.push((name.to_owned(), leaf(NodeKind::Var(var), ty, span)));
    }

    pub(super) fn set(&mut self, expr: &Expr) -> Typed {
        let node = self.check(expr);
        self.world.resolve_set(&node, Some(&mut self.warnings))
    }

    pub(super) fn formula(&mut self, expr: &Expr) -> Typed {
        let node = self.check(expr);
        self.world.resolve_formula(&node, Some(&mut self.warnings))
    }

    /// An expression of which some names may still have several meanings.
    pub(super) fn check(&mut self, expr: &Expr) -> Typed {
        let span = expr.span;
        match &expr.kind {
            Kind::Number(number) => leaf(NodeKind::Number(*number), Type::integer(), span),
            Kind::Text(text) => leaf(NodeKind::Text(text.clone()), Type::of(SigId::STRING), span),
            Kind::Builtin(builtin) => {
                let ty = match builtin {
                    crate::syntax::tree::Builtin::Next => {
                        RelationType::product_of(vec![SigId::INT, SigId::INT]).into()
                    }
                    _ => Type::integer(),
                };
                leaf(NodeKind::Builtin(*builtin), ty, span)
            }
            Kind::Name(name) => {
                let found = self.name(name, span);
                self.unfold(&found)
            }
            Kind::Unary(operator, of) => {
                let of = self.check(of);
                self.world.unary(*operator, &of, span)
            }
            Kind::Binary(Binary::Join, a, b) => self.join(a, b, span),
            Kind::Binary(operator, a, b) => {
                let (a, b) = (self.check(a), self.check(b));
                self.world.binary(*operator, &a, &b, span)
            }
            Kind::Else(c, a, b) => {
                let (c, a, b) = (self.check(c), self.check(a), self.check(b));
                self.world.otherwise(&c, &a, &b, span)
            }
            Kind::List(operator, arguments) => {
                let arguments: Vec<Typed> = arguments.iter().map(|it| self.check(it)).collect();
                self.world.list(*operator, &arguments, span)
            }
            Kind::Block(formulas) => {
                let formulas: Vec<Typed> = formulas.iter().map(|it| self.check(it)).collect();
                self.world.block(&formulas, span)
            }
            Kind::Quantified(quantifier, decls, body) => {
                self.quantified(*quantifier, decls, body, span)
            }
            Kind::Let(name, value, body) => {
                let value = self.check(value);
                let ty = value.ty.clone();
                let value = self.world.resolve(&value, &ty, &mut Some(&mut self.warnings));
                let var = self.world.new_var(&name.text, value.ty.clone());
                self.bind(&name.text, var, name.span);
                let body = self.check(body);
                self.env.pop();
                self.world.let_(var, &value, &body, span)
            }
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        decls: &[Decl],
        body: &Expr,
        span: Span,
    ) -> Typed {
        let depth = self.env.len();
        let decls: Vec<TypedDecl> = decls.iter().map(|decl| self.decl(decl)).collect();
        let body = self.check(body);
        let warnings = Some(&mut self.warnings);
        let body = match quantifier {
            Quantifier::Sum => self.world.resolve_int(&body, warnings),
            _ => self.world.resolve_formula(&body, warnings),
        };
        self.env.truncate(depth);
        self.world.quantified(quantifier, decls, &body, span)
    }

    /// Variables, which are bound from here on.
    pub(super) fn decl(&mut self, decl: &Decl) -> TypedDecl {
        let mut bound = self.set(&decl.bound);
        if bound.mark == Mark::None && bound.ty.arity() == Some(1) {
            bound = self.world.unary(Unary::OneOf, &bound, bound.span);
        }
        if bound.error.is_none() && (decl.is_private || decl.disj_range || decl.is_var) {
            let message = "variables are neither `private` nor `var`, nor have a `disj` bound";
            let diagnostic = Diagnostic::error(&SYNTAX, message).at(bound.span, "");
            bound = bad(bound.span, diagnostic.help("remove the word"));
        }
        let ty = bound.ty.as_set();
        let mut vars = Vec::new();
        for name in &decl.names {
            let var = self.world.new_var(&name.text, ty.clone());
            self.bind(&name.text, var, name.span);
            vars.push(var);
        }
        TypedDecl { vars, bound, disj: decl.disj }
    }

    fn join(&mut self, a: &Expr, b: &Expr, span: Span) -> Typed {
        let left = self.check(a);
        let right = match &b.kind {
            Kind::Name(name) => self.name(name, b.span),
            _ => self.check(b),
        };
        if let NodeKind::Macro(used) = &bare(&right).kind {
            let mut used = MacroUse::clone(used);
            used.arguments.push(left);
            let ty = Type::EMPTY;
            return self.unfold(&leaf(NodeKind::Macro(Rc::new(used)), ty, span));
        }
        let is_int = matches!(bare(&right).kind, NodeKind::Sig(SigId::INT));
        if left.ty.is_int() && is_int {
            return left;
        }
        let left = self.world.as_set(&left);
        match &right.kind {
            NodeKind::Choice(choices) if left.error.is_none() => {
                let joined = choices
                    .iter()
                    .map(|(choice, reason)| (self.applied(&left, choice, span), reason.clone()));
                let joined = joined.collect();
                self.world.choice(joined, span)
            }
            _ => self.world.binary(Binary::Join, &left, &right, span),
        }
    }

    /// A meaning of a name behind an argument: a call gets it, else it is a join.
    fn applied(&self, argument: &Typed, choice: &Typed, span: Span) -> Typed {
        let mut inner = choice;
        loop {
            inner = match &inner.kind {
                NodeKind::Unary(Unary::Group, of) => of,
                NodeKind::Choice(only) if only.len() == 1 => &only[0].0,
                _ => break,
            };
        }
        if let NodeKind::BadCall(function, arguments, extra) = &inner.kind {
            let n = self.world.function(*function).parameters.len();
            if arguments.len() < n {
                let mut arguments = arguments.clone();
                arguments.push(argument.clone());
                return if self.is_applicable(*function, &arguments) {
                    self.world.call(*function, &arguments, *extra, span)
                } else {
                    self.world.bad_call(*function, arguments, *extra, span)
                };
            }
            return self.world.binary(Binary::Join, argument, inner, span);
        }
        self.world.binary(Binary::Join, argument, choice, span)
    }

    fn is_applicable(&self, function: FunctionId, arguments: &[Typed]) -> bool {
        let parameters = &self.world.function(function).parameters;
        parameters.len() <= arguments.len()
            && parameters.iter().zip(arguments).all(|(parameter, argument)| {
                let (wanted, given) = (&self.world.var(*parameter).ty, &argument.ty);
                given.has_common_arity(wanted)
                    && !(given.has_tuple()
                        && wanted.has_tuple()
                        && !given.meets(wanted, self.world))
            })
    }

    /// What a macro with all its arguments stands for.
    fn unfold(&mut self, node: &Typed) -> Typed {
        let NodeKind::Macro(used) = &node.kind else { return node.clone() };
        if used.parameters.len() != used.arguments.len() {
            return node.clone();
        }
        if self.unfoldings == 0 {
            let message = "macros unfold each other without end";
            let diagnostic = Diagnostic::error(&NAME, message).at(node.span, "");
            return bad(node.span, diagnostic.help("break the circle"));
        }
        let mut env = Vec::new();
        for (name, argument) in used.parameters.iter().zip(&used.arguments) {
            let argument = match &argument.kind {
                NodeKind::Macro(_) => argument.clone(),
                _ => {
                    let ty = argument.ty.clone();
                    self.world.resolve(argument, &ty, &mut Some(&mut self.warnings))
                }
            };
            env.push((name.clone(), argument));
        }
        let mut inner = Context::new(self.world, self.modules, used.module, Place::Body);
        inner.env = env;
        inner.unfoldings = self.unfoldings - 1;
        let unfolded = inner.check(&used.body);
        self.warnings.append(&mut inner.warnings);
        self.world.unary(Unary::Group, &unfolded, node.span)
    }

    fn macro_(&self, name: &str, span: Span) -> Option<Typed> {
        let use_of = |module: usize, name: &str| {
            let found = self.modules.all[module].macros.iter().find(|it| it.name == name)?;
            let hidden = found.is_private && module != self.module;
            let used = MacroUse {
                module,
                parameters: found.parameters.clone(),
                body: found.body.clone(),
                arguments: Vec::new(),
            };
            let kind = NodeKind::Macro(Rc::new(used));
            (!hidden).then(|| leaf(kind, Type::EMPTY, span))
        };
        if name.contains('/') {
            let (module, rest, _) = self.modules.follow(self.module, name)?;
            return use_of(module, rest);
        }
        let nameable = self.modules.nameable(self.module);
        let mut found = nameable.into_iter().filter_map(|module| use_of(module, name));
        let first = found.next()?;
        if found.next().is_some() {
            let message = format!("there are several macros `{name}`");
            let diagnostic = Diagnostic::error(&NAME, message).at(span, "");
            return Some(bad(span, diagnostic.help("write the path of the module before it")));
        }
        Some(first)
    }

    /// All that a name may mean.
    fn name(&mut self, text: &str, span: Span) -> Typed {
        if let Some((_, value)) = self.env.iter().rev().find(|(name, _)| name == text) {
            if matches!(value.kind, NodeKind::Macro(_)) {
                return value.clone();
            }
            return self.world.unary(Unary::Group, value, span);
        }
        if let Some(found) = self.macro_(text, span) {
            return found;
        }
        let name = text.strip_prefix('@').unwrap_or(text);
        let built_in = match name {
            "univ" => Some(SigId::UNIV),
            "Int" => Some(SigId::INT),
            "seq/Int" => Some(SigId::SEQ),
            "String" => Some(SigId::STRING),
            "none" => Some(SigId::NONE),
            _ => None,
        };
        if let Some(sig) = built_in {
            return leaf(NodeKind::Sig(sig), Type::of(sig), span);
        }
        if name == "iden" {
            let ty = RelationType::product_of(vec![SigId::UNIV, SigId::UNIV]).into();
            return leaf(NodeKind::Iden, ty, span);
        }
        let this = self.env.iter().rev().find(|(name, _)| name == "this");
        let this = this.map(|(_, value)| value.clone());
        let mut found = self.sigs_and_functions(name, this.as_ref(), span);
        found.extend(self.fields(name, text.starts_with('@'), this.as_ref(), span));
        if found.is_empty() {
            return bad(span, self.unknown(name, span));
        }
        self.world.choice(found, span)
    }

    fn sigs_and_functions(
        &self,
        name: &str,
        this: Option<&Typed>,
        span: Span,
    ) -> Vec<(Typed, String)> {
        let (mut sigs, functions) = lookup(self.world, self.modules, self.module, name);
        let parameters = &self.modules.all[self.module].parameters;
        if let Some((_, Some(sig))) = parameters.iter().find(|(known, _)| known == name)
            && !sigs.contains(sig)
        {
            sigs.push(*sig);
        }
        let world = &*self.world;
        let mut found = Vec::new();
        for sig in sigs {
            let node = leaf(NodeKind::Sig(sig), world.sig(sig).ty.clone(), span);
            found.push((node, format!("signature `{}`", world.sig(sig).name)));
        }
        let functions = if self.place.has_functions() { functions } else { Vec::new() };
        for id in functions {
            let function = world.function(id);
            let n = function.parameters.len();
            let word = if function.is_pred { "predicate" } else { "function" };
            let reason = format!("{word} `{}`", function.name);
            if let (Some(_), Some(this), Some(first)) =
                (self.place.sig(), this, function.parameters.first())
                && this.ty.has_arity(1)
                && world.var(*first).ty.meets(&this.ty, world)
            {
                let call = match n {
                    1 => world.call(id, std::slice::from_ref(this), 1, span),
                    _ => world.bad_call(id, vec![this.clone()], 1, span),
                };
                found.push((call, format!("{reason} of `this`")));
            }
            let call = match n {
                0 => world.call(id, &[], 0, span),
                _ => world.bad_call(id, Vec::new(), 0, span),
            };
            found.push((call, reason));
        }
        found
    }

    fn fields(
        &self,
        name: &str,
        is_plain: bool,
        this: Option<&Typed>,
        span: Span,
    ) -> Vec<(Typed, String)> {
        let mut found = Vec::new();
        let world = &*self.world;
        for module in self.modules.nameable(self.module) {
            let is_here = module == self.module;
            for (_, sig) in &self.modules.all[module].sigs {
                if !is_here && world.sig(*sig).is_private {
                    continue;
                }
                for decl in &world.sig(*sig).decls {
                    for &id in &decl.fields {
                        let field = world.field(id);
                        if field.name != name || (field.is_private && !is_here) {
                            continue;
                        }
                        let node = leaf(NodeKind::Field(id), field.ty.clone(), span);
                        let meant = match (self.place.sig(), this) {
                            (None, _) => Some(node),
                            (Some(root), Some(this)) if world.is_below(root, *sig) => {
                                Some(match is_plain {
                                    true => node,
                                    false => world.binary(Binary::Join, this, &node, span),
                                })
                            }
                            _ if self.place.has_functions() => {
                                Some(world.unary_weighing(Unary::Group, &node, span, 1))
                            }
                            _ => None,
                        };
                        if let Some(meant) = meant {
                            let reason =
                                format!("field `{}` of `{}`", field.name, world.sig(*sig).name);
                            found.push((meant, reason));
                        }
                    }
                }
            }
        }
        found
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let message = format!("nothing here is called `{name}`");
        let diagnostic = Diagnostic::error(&NAME, message).at(span, "");
        let mut known: Vec<String> = self.env.iter().map(|(name, _)| name.clone()).collect();
        for module in self.modules.nameable(self.module) {
            let module = &self.modules.all[module];
            known.extend(module.sigs.iter().map(|(name, _)| name.clone()));
            known.extend(module.functions.iter().map(|(name, _)| name.clone()));
            let fields = module.sigs.iter().flat_map(|(_, sig)| &self.world.sig(*sig).decls);
            let fields = fields.flat_map(|decl| &decl.fields);
            known.extend(fields.map(|field| self.world.field(*field).name.clone()));
        }
        known.sort();
        known.dedup();
        let near = similar(name, known.iter().map(String::as_str));
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None if name.ends_with('$') || name.contains('$') => {
                "signatures about signatures (`sig$`, `field$`) are not supported".to_owned()
            }
            None => "declare it, or open the module that does".to_owned(),
        };
        diagnostic.help(help)
    }
}

/// Signatures and functions with a name, possibly a path.
pub(super) fn lookup(
    world: &World,
    modules: &Modules,
    from: usize,
    name: &str,
) -> (Vec<SigId>, Vec<FunctionId>) {
    let (mut sigs, mut functions) = (Vec::new(), Vec::new());
    let mut collect = |module: usize, name: &str, all: bool| {
        let found = &modules.all[module];
        let mut is_any = false;
        for (known, sig) in &found.sigs {
            if known == name && (all || !world.sig(*sig).is_private) {
                sigs.push(*sig);
                is_any = true;
            }
        }
        for (known, function) in &found.functions {
            if known == name && (all || !world.function(*function).is_private) {
                functions.push(*function);
                is_any = true;
            }
        }
        is_any
    };
    if !name.contains('/') {
        for module in modules.nameable(from) {
            collect(module, name, module == from);
        }
        return (sigs, functions);
    }
    if let Some((module, rest, level)) = modules.follow(from, name)
        && !collect(module, rest, level == 0)
    {
        for other in modules.nameable(module) {
            collect(other, rest, other == from);
        }
    }
    (sigs, functions)
}

/// How many a bound means, of a plain set one.
pub(crate) fn mult_of(bound: &Typed) -> Unary {
    match multiplicity(bound) {
        Unary::SetOf if bound.ty.arity() == Some(1) && bare(bound).mark == Mark::None => {
            Unary::OneOf
        }
        other => other,
    }
}
