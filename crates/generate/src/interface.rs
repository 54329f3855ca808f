//! What a generated module offers, with all names settled: types of messages, roles and what each of them
//! sends and receives. Makes no text.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quadrille_diagnostic::Diagnostic;
use quadrille_protocol::core::{Message, Role};
use quadrille_protocol::quad::{EnumerationInfo, FieldKind, MessageInfo};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LabelId, RoleId};
use quote::{ToTokens, quote};

use crate::codes::{BAD_TYPE, SAME_NAME};
use crate::names::{constant_name, field_name, ident, last_segment, type_name};

/// A position in [`Interface::messages`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MessageIndex(pub(crate) usize);

/// All names of a module.
pub(crate) struct Interface {
    pub(crate) enumerations: Vec<Enumeration>,
    pub(crate) messages: Vec<MessageType>,
    pub(crate) families: Vec<Family>,
    /// Names of labels, by [`LabelId`].
    pub(crate) labels: Vec<Ident>,
    /// Roles by [`RoleId`].
    pub(crate) seats: Vec<Seat>,
}

/// An enumeration whose values fields of messages have.
pub(crate) struct Enumeration {
    pub(crate) ident: Ident,
    pub(crate) values: Vec<Ident>,
}

/// A type of messages.
pub(crate) struct MessageType {
    /// As the protocol calls it.
    pub(crate) name: String,
    /// The variant of the payload, and the type where it is generated.
    pub(crate) ident: Ident,
    /// The Rust type.
    pub(crate) rust_type: RustType,
    pub(crate) fields: Vec<Field>,
    /// The contents that the protocol knows: a value for each field.
    pub(crate) classes: Vec<(LabelId, Vec<TokenStream>)>,
    /// Whether it is sent to several at once somewhere.
    pub(crate) is_multicast: bool,
    /// Whether no other type of messages has the same Rust type.
    pub(crate) has_own_type: bool,
}

/// Where the Rust type of a message comes from.
pub(crate) enum RustType {
    /// Generated.
    Generated,
    /// Named by a path; there is a `use` for it.
    Used(syn::Path),
    /// Any other type.
    Written(Box<syn::Type>),
}

/// A field that the protocol looks at.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) rust_type: TokenStream,
    /// How many values there are; `None` for numbers.
    pub(crate) n_values: Option<usize>,
}

/// One role, or a family of them.
pub(crate) struct Family {
    /// As the protocol calls it.
    pub(crate) name: String,
    /// How many indices it has.
    pub(crate) n_indices: usize,
    /// Whether some index is negative.
    pub(crate) is_signed: bool,
    /// The handle, and the variant of `Role`.
    pub(crate) handle: Ident,
    /// The field of `Roles`.
    pub(crate) field: Ident,
    /// Its members, by index.
    pub(crate) members: Vec<RoleId>,
    pub(crate) sends: Vec<MessageIndex>,
    pub(crate) receives: Vec<MessageIndex>,
    pub(crate) closes: bool,
    /// What it does alone.
    pub(crate) does: Vec<(LabelId, Ident)>,
}

/// One role.
pub(crate) struct Seat {
    /// Its constant.
    pub(crate) constant: Ident,
    pub(crate) family: usize,
    pub(crate) indices: Vec<i64>,
}

/// What the text of a protocol declares, and what the user asked for.
pub(crate) struct Declared<'a> {
    pub(crate) roles: &'a [Role],
    /// Names of roles and families in order of declaration.
    pub(crate) families: &'a [String],
    pub(crate) messages: &'a [Message],
    pub(crate) message_infos: &'a [MessageInfo],
    pub(crate) enumeration_infos: &'a [EnumerationInfo],
    pub(crate) types: &'a [(String, String)],
}

impl Interface {
    pub(crate) fn new(plan: &Plan, declared: &Declared<'_>) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut made = Interface {
            enumerations: Vec::new(),
            messages: Vec::new(),
            families: Vec::new(),
            labels: constants(plan.labels.iter().map(|label| &**label)),
            seats: Vec::new(),
        };
        let mut types = Types::default();
        made.add_enumerations(declared, &mut types, &mut problems);
        made.add_messages(plan, declared, &mut types, &mut problems);
        made.add_roles(plan, declared, &mut types, &mut problems);
        for act in plan.acts.iter() {
            made.add_act(act, plan);
        }
        if problems.is_empty() { Ok(made) } else { Err(problems) }
    }

    fn add_enumerations(
        &mut self,
        declared: &Declared<'_>,
        types: &mut Types,
        problems: &mut Vec<Diagnostic>,
    ) {
        let fields = declared.message_infos.iter().flat_map(|message| &message.fields);
        let used: BTreeSet<&str> = fields
            .filter_map(|field| match &field.kind {
                FieldKind::Enumeration(name) => Some(name.as_str()),
                FieldKind::Bool | FieldKind::Number => None,
            })
            .collect();
        for info in declared.enumeration_infos.iter().filter(|each| used.contains(&*each.name)) {
            let ident = types.take(&info.name, "enumeration", "", problems);
            let values = info.values.iter().map(|value| crate::names::ident(&type_name(value)));
            let values: Vec<Ident> = values.collect();
            let n_values = values.iter().collect::<BTreeSet<_>>().len();
            if n_values < values.len() {
                let message = format!("two values of `{}` have the same name in Rust", info.name);
                problems.push(Diagnostic::error(&SAME_NAME, message).help("rename one of them"));
            }
            self.enumerations.push(Enumeration { ident, values });
        }
    }

    fn add_messages(
        &mut self,
        plan: &Plan,
        declared: &Declared<'_>,
        types: &mut Types,
        problems: &mut Vec<Diagnostic>,
    ) {
        let sent: BTreeSet<LabelId> = plan
            .acts
            .iter()
            .filter(|act| matches!(act.kind, Kind::Send | Kind::Exchange))
            .filter_map(|act| act.label)
            .collect();
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        for &label in &sent {
            let message = &declared.messages[label.index()];
            let info = declared.message_infos.iter().find(|info| info.name == message.name);
            let position = *positions.entry(&message.name).or_insert_with(|| {
                let made = self.message_type(message, info, declared, types, problems);
                self.messages.push(made);
                self.messages.len() - 1
            });
            let values = self.values(message, info);
            self.messages[position].classes.push((label, values));
        }
        let shown: Vec<String> =
            self.messages.iter().map(|message| message.path().to_string()).collect();
        for (position, message) in self.messages.iter_mut().enumerate() {
            message.has_own_type =
                shown.iter().filter(|&other| *other == shown[position]).count() == 1;
        }
        let known = |name: &str| {
            let is_message = |message: &MessageType| message.name == name || message.ident == name;
            self.messages.iter().any(is_message)
        };
        for (name, _) in declared.types.iter().filter(|(name, _)| !known(name)) {
            let message = format!("there is no message `{name}` to give a type to");
            let known: Vec<&str> = self.messages.iter().map(|each| each.name.as_str()).collect();
            let help = format!("messages here are: {}", known.join(", "));
            problems.push(Diagnostic::error(&BAD_TYPE, message).help(help));
        }
    }

    fn message_type(
        &self,
        message: &Message,
        info: Option<&MessageInfo>,
        declared: &Declared<'_>,
        types: &mut Types,
        problems: &mut Vec<Diagnostic>,
    ) -> MessageType {
        let short = last_segment(&message.name);
        let asked = declared.types.iter().find(|(name, _)| *name == message.name || name == short);
        let written = match (asked, info) {
            (Some((_, path)), _) => Some(path.as_str()),
            (None, Some(info)) => info.rust_type.as_deref(),
            (None, None) => known_type(short),
        };
        let rust_type = match written.map(|text| (text, syn::parse_str::<syn::Type>(text))) {
            None => RustType::Generated,
            Some((_, Ok(syn::Type::Path(path)))) if path.qself.is_none() && is_used(&path.path) => {
                RustType::Used(path.path)
            }
            Some((_, Ok(other))) => RustType::Written(Box::new(other)),
            Some((text, Err(error))) => {
                let message = format!("`{text}`, given for `{}`, is no Rust type", message.name);
                problems.push(Diagnostic::error(&BAD_TYPE, message).note(error.to_string()));
                RustType::Generated
            }
        };
        let fields = info.map_or(&[][..], |info| &info.fields).iter().map(|field| Field {
            ident: ident(&field_name(&field.name)),
            rust_type: match &field.kind {
                FieldKind::Bool => quote!(bool),
                FieldKind::Number => quote!(i64),
                FieldKind::Enumeration(name) => ident(&type_name(name)).into_token_stream(),
            },
            n_values: match &field.kind {
                FieldKind::Bool => Some(2),
                FieldKind::Number => None,
                FieldKind::Enumeration(name) => {
                    let found = declared.enumeration_infos.iter().find(|each| each.name == *name);
                    found.map(|each| each.values.len())
                }
            },
        });
        // A name from the prelude is no obstacle for a variant; only types that are made here take names.
        let ident = match &rust_type {
            RustType::Written(_) => types.variant(short, &message.name, problems),
            _ => types.take(short, "message", "", problems),
        };
        MessageType {
            name: message.name.clone(),
            ident,
            rust_type,
            fields: fields.collect(),
            classes: Vec::new(),
            is_multicast: false,
            has_own_type: true,
        }
    }

    /// The values of the fields of a message as Rust writes them.
    fn values(&self, message: &Message, info: Option<&MessageInfo>) -> Vec<TokenStream> {
        let (Some(info), Some(content)) = (info, &message.content) else { return Vec::new() };
        let fields = info.fields.iter().zip(content.split(", "));
        fields
            .map(|(field, value)| match &field.kind {
                FieldKind::Bool | FieldKind::Number => value.parse().unwrap_or_default(),
                FieldKind::Enumeration(name) => {
                    let (name, value) = (ident(&type_name(name)), ident(&type_name(value)));
                    quote!(#name::#value)
                }
            })
            .collect()
    }

    fn add_roles(
        &mut self,
        plan: &Plan,
        declared: &Declared<'_>,
        types: &mut Types,
        problems: &mut Vec<Diagnostic>,
    ) {
        let constants = constants(plan.roles.iter().map(|role| &**role));
        let mut found: BTreeMap<(&str, usize), usize> = BTreeMap::new();
        let declared_at =
            |role: &&Role| declared.families.iter().position(|name| *name == role.name);
        let mut in_order: Vec<&Role> = declared.roles.iter().collect();
        in_order.sort_by_key(|role| declared_at(role).unwrap_or(usize::MAX));
        for role in in_order {
            let key = (role.name.as_str(), role.indices.len());
            found.entry(key).or_insert_with(|| {
                self.families.push(family(role, types, problems));
                self.families.len() - 1
            });
        }
        for (position, (role, constant)) in declared.roles.iter().zip(constants).enumerate() {
            let family = found[&(role.name.as_str(), role.indices.len())];
            self.families[family].members.push(RoleId(position as u16));
            self.families[family].is_signed |= role.indices.iter().any(|&index| index < 0);
            self.seats.push(Seat { constant, family, indices: role.indices.clone() });
        }
        for family in &mut self.families {
            family
                .members
                .sort_by(|a, b| self.seats[a.index()].indices.cmp(&self.seats[b.index()].indices));
        }
    }

    /// Notes who takes part in an act.
    fn add_act(&mut self, act: &Act, plan: &Plan) {
        let sender = self.seats[act.from.index()].family;
        let Some(label) = act.label else {
            self.families[sender].closes = true;
            return;
        };
        if act.kind == Kind::Alone {
            let method = ident(&format!("does_{}", field_name(&plan.labels[label.index()])));
            let does = &mut self.families[sender].does;
            if !does.iter().any(|(known, _)| *known == label) {
                does.push((label, method));
            }
            return;
        }
        let Some(index) = self.message_of(label) else { return };
        self.messages[index.0].is_multicast |= act.kind != Kind::Receive && act.to.len() > 1;
        if act.kind != Kind::Receive {
            insert(&mut self.families[sender].sends, index);
        }
        if act.kind != Kind::Send {
            for &to in act.to.iter() {
                insert(&mut self.families[self.seats[to.index()].family].receives, index);
            }
        }
    }

    /// The type of what a label stands for.
    pub(crate) fn message_of(&self, label: LabelId) -> Option<MessageIndex> {
        let has_label =
            |message: &MessageType| message.classes.iter().any(|class| class.0 == label);
        self.messages.iter().position(has_label).map(MessageIndex)
    }

    pub(crate) fn message(&self, message: MessageIndex) -> &MessageType {
        &self.messages[message.0]
    }
}

impl MessageType {
    /// The Rust type, as the module refers to it.
    pub(crate) fn path(&self) -> TokenStream {
        match &self.rust_type {
            RustType::Written(written) => written.into_token_stream(),
            RustType::Generated | RustType::Used(_) => self.ident.to_token_stream(),
        }
    }
}

impl MessageType {
    /// Whether its type has no name in the module.
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.rust_type, RustType::Written(_))
    }
}

impl Family {
    /// Whether there may be several.
    pub(crate) fn is_family(&self) -> bool {
        self.n_indices > 0
    }

    /// The type of an index: a number, or several.
    pub(crate) fn index_type(&self) -> TokenStream {
        let number = if self.is_signed { quote!(i64) } else { quote!(usize) };
        match self.n_indices {
            1 => number,
            n => {
                let numbers = std::iter::repeat_n(number, n);
                quote!((#(#numbers),*))
            }
        }
    }

    /// Its name for types that are made from it: without the underscore of a name that is taken.
    pub(crate) fn stem(&self) -> String {
        let name = self.handle.to_string();
        name.trim_start_matches("r#").trim_end_matches('_').to_owned()
    }

    /// Its lower-case name.
    pub(crate) fn small(&self) -> String {
        field_name(&self.name)
    }
}

fn family(role: &Role, types: &mut Types, problems: &mut Vec<Diagnostic>) -> Family {
    let handle = types.take(&role.name, "role", "Role", problems);
    let mut field = field_name(&role.name);
    if !role.indices.is_empty() && !field.ends_with('s') {
        field.push('s');
    }
    Family {
        name: role.name.clone(),
        n_indices: role.indices.len(),
        is_signed: false,
        handle,
        field: ident(&field),
        members: Vec::new(),
        sends: Vec::new(),
        receives: Vec::new(),
        closes: false,
        does: Vec::new(),
    }
}

/// Types of other languages that Rust has under another name.
fn known_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "Boolean" => "bool",
        "Long" | "Integer" => "i64",
        "Double" => "f64",
        "String" => "String",
        _ => return None,
    })
}

/// Whether a path can be used by name: longer than one word, so that it is nothing built in.
fn is_used(path: &syn::Path) -> bool {
    path.segments.len() > 1 && path.segments.iter().all(|segment| segment.arguments.is_none())
}

fn insert<T: Ord>(sorted: &mut Vec<T>, value: T) {
    if let Err(position) = sorted.binary_search(&value) {
        sorted.insert(position, value);
    }
}

/// Names for constants, told apart by numbers where they would be equal.
pub(crate) fn constants<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    names
        .map(|name| {
            let plain = constant_name(name);
            let mut made = plain.clone();
            let mut number = 2;
            while !taken.insert(made.clone()) {
                made = format!("{plain}_{number}");
                number += 1;
            }
            ident(&made)
        })
        .collect()
}

/// The types that a module declares, by name; which kind of thing each is, and how the protocol calls it.
#[derive(Default)]
struct Types {
    taken: BTreeMap<String, (&'static str, String)>,
    variants: BTreeMap<String, String>,
}

impl Types {
    /// A name for a type. What was there before keeps its name; a thing of another kind gets a suffix.
    fn take(
        &mut self,
        name: &str,
        kind: &'static str,
        suffix: &str,
        problems: &mut Vec<Diagnostic>,
    ) -> Ident {
        let mut made = type_name(name);
        if self.taken.get(&made).is_some_and(|(other, _)| *other != kind) {
            made += suffix;
        }
        let entry = (kind, name.to_owned());
        if let Some((other_kind, other)) = self.taken.insert(made.clone(), entry) {
            let message = format!(
                "{kind} `{name}` and {other_kind} `{other}` would both be `{made}` in Rust"
            );
            problems.push(Diagnostic::error(&SAME_NAME, message).help("rename one of them"));
        }
        ident(&made)
    }

    /// A name for a variant of the payload whose type is not made here.
    fn variant(&mut self, short: &str, name: &str, problems: &mut Vec<Diagnostic>) -> Ident {
        let made = type_name(short).trim_end_matches('_').to_owned();
        if let Some(other) = self.variants.insert(made.clone(), name.to_owned()) {
            let message = format!("messages `{name}` and `{other}` would both be `{made}` in Rust");
            problems.push(Diagnostic::error(&SAME_NAME, message).help("rename one of them"));
        }
        let keeps = syn::parse_str::<Ident>(&made).is_ok();
        ident(&if keeps { made } else { format!("{made}_") })
    }
}
