//! What a component offers and needs, as Rust sees it: interfaces with methods, from its frame and from
//! traits that are written already.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quadrille_component::automata::{EventKind, Role};
use quadrille_component::syntax::EnumType;
use quote::ToTokens as _;
use syn::{FnArg, Item, ItemTrait, Pat, ReturnType, Signature, TraitItem, Type};

use super::GenerateError;
use super::names::{camel, ident, snake};
use crate::frame::{Frame, Signal};

/// Names that a generated module uses itself.
const RESERVED: [&str; 10] = [
    "Box",
    "Failure",
    "Method",
    "Option",
    "Player",
    "Result",
    "String",
    "Surroundings",
    "Values",
    "Vec",
];

/// Everything that is generated for.
pub(super) struct Surface {
    /// By name.
    pub(super) interfaces: Vec<Interface>,
    /// The types of values that events carry.
    pub(super) types: Vec<EnumType>,
}

/// An interface of the component.
pub(super) struct Interface {
    pub(super) name: String,
    /// Whether the component accepts its requests or emits them.
    pub(super) role: Role,
    /// Whether its trait is written already.
    pub(super) is_written: bool,
    pub(super) methods: Vec<Method>,
    /// What the frame says that calls may throw.
    pub(super) exceptions: BTreeSet<String>,
}

/// A method of an interface.
pub(super) struct Method {
    /// Its name in the frame.
    pub(super) name: String,
    pub(super) ident: Ident,
    /// Whether it is called with `&mut self`; otherwise `&self`.
    pub(super) is_mutable: bool,
    pub(super) arguments: Vec<Argument>,
    pub(super) output: Output,
    /// Whether the frame mentions it.
    pub(super) is_mentioned: bool,
}

/// An argument of a method.
pub(super) struct Argument {
    pub(super) ident: Ident,
    pub(super) of: Carried,
}

/// Where the value of an argument is.
pub(super) enum Carried {
    /// In the event: a value of this type.
    Event(Ident),
    /// Nowhere: the frame says nothing about it.
    Supplied {
        /// As the method wants it.
        declared: TokenStream,
        /// What is handed over, or lent.
        owned: TokenStream,
        lent: Lent,
    },
}

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lent {
    /// `value`
    Not,
    /// `&value`
    Shared,
    /// `&mut value`
    Mutable,
}

/// What a method gives.
pub(super) enum Output {
    /// Nothing, or an exception of the interface's own type.
    Own,
    /// A value.
    Value(TokenStream),
    /// A value, or nothing; or an error.
    Fallible { whole: TokenStream, value: Option<TokenStream>, error: TokenStream },
}

impl Surface {
    /// What a frame offers and needs.
    pub(super) fn new(
        frame: &Frame,
        types: &[EnumType],
        written: Option<&str>,
    ) -> Result<Self, GenerateError> {
        let mut traits = BTreeMap::new();
        if let Some(file) = written.and_then(|text| syn::parse_file(text).ok()) {
            collect(file.items, &mut traits);
        }
        let mut interfaces = Vec::new();
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (name, draft) in drafts(frame)? {
            let written = traits.get(&name);
            let methods = match written {
                Some(written) => draft.written(&name, written)?,
                None => draft.methods(&name, types, &mut used)?,
            };
            let Draft { role, exceptions, .. } = draft;
            let is_written = written.is_some();
            interfaces.push(Interface { name, role, is_written, methods, exceptions });
        }
        if interfaces.iter().all(|interface| interface.role != Role::Accept) {
            return Err(GenerateError::NothingToCall);
        }
        let types: Vec<EnumType> =
            types.iter().filter(|of| used.contains(&of.name.text)).cloned().collect();
        let surface = Self { interfaces, types };
        surface.distinct()?;
        Ok(surface)
    }

    /// No two names of Rust are the same.
    fn distinct(&self) -> Result<(), GenerateError> {
        let types = self.types.iter().map(|of| camel(&of.name.text));
        let traits = self.interfaces.iter().flat_map(|interface| {
            ["", "Double", "Exception"].map(|ending| camel(&interface.name) + ending)
        });
        once(RESERVED.map(str::to_owned).into_iter().chain(types).chain(traits))?;
        for interface in &self.interfaces {
            once(interface.methods.iter().map(|method| method.ident.to_string()))?;
            once(interface.exceptions.iter().map(|name| camel(name)))?;
        }
        self.types.iter().try_for_each(|of| once(of.values.iter().map(|one| camel(&one.text))))
    }
}

fn once(names: impl Iterator<Item = String>) -> Result<(), GenerateError> {
    let mut known = BTreeSet::new();
    for name in names {
        if !known.insert(name.clone()) {
            return Err(GenerateError::SameName(name));
        }
    }
    Ok(())
}

/// All traits of a text by name, also those in its modules.
fn collect(items: Vec<Item>, traits: &mut BTreeMap<String, ItemTrait>) {
    for item in items {
        match item {
            Item::Trait(item) => {
                traits.entry(item.ident.to_string()).or_insert(item);
            }
            Item::Mod(module) => {
                collect(module.content.map(|content| content.1).unwrap_or_default(), traits);
            }
            _ => {}
        }
    }
}

/// What a frame says about an interface.
struct Draft {
    role: Role,
    /// Per method, the values that its requests carry.
    methods: BTreeMap<String, BTreeSet<Vec<String>>>,
    exceptions: BTreeSet<String>,
}

fn drafts(frame: &Frame) -> Result<BTreeMap<String, Draft>, GenerateError> {
    let signals: BTreeSet<&Signal> =
        frame.locations().flat_map(|at| frame.signals(at)).map(|edge| &edge.0).collect();
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    for signal in signals.iter().filter(|signal| signal.event.kind == EventKind::Request) {
        let (name, method) = split(&signal.event.path)?;
        let draft = drafts.entry(name.to_owned()).or_insert_with(|| Draft {
            role: signal.role,
            methods: BTreeMap::new(),
            exceptions: BTreeSet::new(),
        });
        if draft.role != signal.role {
            return Err(GenerateError::BothSides(name.to_owned()));
        }
        let values = draft.methods.entry(method.to_owned()).or_default();
        values.insert(signal.event.arguments.clone());
    }
    for signal in signals.iter().filter(|signal| signal.event.kind == EventKind::Response) {
        let (name, method) = split(&signal.event.path)?;
        if let Some(draft) = drafts.get_mut(name)
            && !draft.methods.contains_key(method)
        {
            draft.exceptions.insert(method.to_owned());
        }
    }
    Ok(drafts)
}

fn split(path: &str) -> Result<(&str, &str), GenerateError> {
    path.rsplit_once('.').ok_or_else(|| GenerateError::NoInterface(path.to_owned()))
}

impl Draft {
    /// The methods of a trait that is to be written.
    fn methods(
        &self,
        interface: &str,
        types: &[EnumType],
        used: &mut BTreeSet<String>,
    ) -> Result<Vec<Method>, GenerateError> {
        let mut methods = Vec::new();
        for (name, values) in &self.methods {
            let path = format!("{interface}.{name}");
            let n_arguments = values.first().map_or(0, Vec::len);
            let same = values.iter().all(|values| values.len() == n_arguments);
            let mut arguments = Vec::new();
            for position in 0..n_arguments {
                let of = type_of(types, values, position).filter(|_| same);
                let of = of.ok_or_else(|| GenerateError::Arguments(path.clone()))?;
                used.insert(of.name.text.clone());
                let of = Carried::Event(ident(&camel(&of.name.text)));
                arguments.push(Argument { ident: ident(&format!("value_{position}")), of });
            }
            methods.push(Method {
                name: name.clone(),
                ident: ident(&snake(name)),
                is_mutable: true,
                arguments,
                output: Output::Own,
                is_mentioned: true,
            });
        }
        Ok(methods)
    }

    /// The methods of a trait that is written.
    fn written(&self, interface: &str, item: &ItemTrait) -> Result<Vec<Method>, GenerateError> {
        let refuse = |why| Err(GenerateError::Method(interface.to_owned(), why));
        if !item.generics.params.is_empty() {
            return refuse("has parameters of its own, which doubles do not know");
        }
        let mut methods: Vec<Method> = Vec::new();
        for inner in &item.items {
            match inner {
                TraitItem::Fn(method) => {
                    let rust = method.sig.ident.to_string();
                    let names = || self.methods.keys();
                    let exact = names().find(|name| **name == rust);
                    let mentioned = exact.or_else(|| names().find(|name| snake(name) == rust));
                    if mentioned.is_none() && method.default.is_some() {
                        continue;
                    }
                    let name = mentioned.cloned().unwrap_or(rust);
                    let is_mentioned = mentioned.is_some();
                    let path = format!("{interface}.{name}");
                    methods.push(of_signature(name, is_mentioned, &path, &method.sig)?);
                }
                _ => return refuse("has types or constants, which doubles do not know"),
            }
        }
        for (name, values) in &self.methods {
            let path = || format!("{interface}.{name}");
            if !methods.iter().any(|method| method.name == *name) {
                return Err(GenerateError::NoMethod(path()));
            }
            if values.iter().any(|values| !values.is_empty()) {
                let why = "carries values in the frame and has a trait already";
                return Err(GenerateError::Method(path(), why));
            }
        }
        Ok(methods)
    }
}

/// The only type that has all values at a position.
fn type_of<'t>(
    types: &'t [EnumType],
    values: &BTreeSet<Vec<String>>,
    position: usize,
) -> Option<&'t EnumType> {
    let has = |of: &EnumType, value: &String| of.values.iter().any(|one| one.text == *value);
    let has_all = |of: &&EnumType| {
        values.iter().all(|values| values.get(position).is_some_and(|value| has(of, value)))
    };
    let mut found = types.iter().filter(has_all);
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

fn of_signature(
    name: String,
    is_mentioned: bool,
    path: &str,
    signature: &Signature,
) -> Result<Method, GenerateError> {
    let refuse = |why| GenerateError::Method(path.to_owned(), why);
    if signature.asyncness.is_some() || !signature.generics.params.is_empty() {
        return Err(refuse("is asynchronous or has parameters, which doubles do not know"));
    }
    let mut inputs = signature.inputs.iter();
    let is_mutable = match inputs.next() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() => {
            receiver.mutability.is_some()
        }
        _ => return Err(refuse("is called neither with `&self` nor with `&mut self`")),
    };
    let mut arguments = Vec::new();
    for (position, input) in inputs.enumerate() {
        let FnArg::Typed(input) = input else { continue };
        let ident = match &*input.pat {
            Pat::Ident(pattern) => pattern.ident.clone(),
            _ => ident(&format!("value_{position}")),
        };
        let of = supplied(&input.ty).ok_or_else(|| refuse("takes what cannot be kept"))?;
        arguments.push(Argument { ident, of });
    }
    let output = match &signature.output {
        ReturnType::Default => Output::Own,
        ReturnType::Type(_, whole) if is_kept(whole) => output(whole),
        ReturnType::Type(..) => return Err(refuse("gives what cannot be kept")),
    };
    let ident = signature.ident.clone();
    Ok(Method { name, ident, is_mutable, arguments, output, is_mentioned })
}

fn output(whole: &Type) -> Output {
    if is_unit(whole) {
        return Output::Own;
    }
    let Type::Path(path) = whole else { return Output::Value(whole.to_token_stream()) };
    let Some(last) = path.path.segments.last() else {
        return Output::Value(whole.to_token_stream());
    };
    if let ("Result", syn::PathArguments::AngleBracketed(inside)) =
        (&last.ident.to_string()[..], &last.arguments)
        && let [syn::GenericArgument::Type(value), syn::GenericArgument::Type(error)] =
            &inside.args.iter().cloned().collect::<Vec<_>>()[..]
    {
        let value = (!is_unit(value)).then(|| value.to_token_stream());
        let (whole, error) = (whole.to_token_stream(), error.to_token_stream());
        return Output::Fallible { whole, value, error };
    }
    Output::Value(whole.to_token_stream())
}

fn is_unit(of: &Type) -> bool {
    matches!(of, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// How an argument is supplied: what is lent is kept by the caller.
fn supplied(declared: &Type) -> Option<Carried> {
    let (owned, lent) = match declared {
        Type::Reference(reference) => {
            let lent = if reference.mutability.is_some() { Lent::Mutable } else { Lent::Shared };
            let owned = match &*reference.elem {
                Type::Path(path) if path.path.is_ident("str") => syn::parse_quote!(String),
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    syn::parse_quote!(Vec<#element>)
                }
                elem => elem.clone(),
            };
            (owned, lent)
        }
        owned => (owned.clone(), Lent::Not),
    };
    let tokens = || owned.to_token_stream();
    let declared = declared.to_token_stream();
    is_kept(&owned).then(|| Carried::Supplied { declared, owned: tokens(), lent })
}

/// Whether a value of a type can be kept: it borrows nothing, and the type has a name outside the trait.
fn is_kept(of: &Type) -> bool {
    let text = of.to_token_stream().to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    !words
        .iter()
        .any(|word| ["&", "impl", "dyn", "Self", "_"].contains(word) || word.starts_with('\''))
}
