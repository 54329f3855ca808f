//! The interface of a generated module, with all names resolved: types of messages, roles, and what each role sends and
//! receives. Makes no text.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quadrille_diagnostic::Diagnostic;
use quadrille_protocol::core::{Message, Role};
use quadrille_quad::{EnumerationInfo, FieldKind, MessageInfo};
use quadrille_runtime::Plan;
use quadrille_runtime::plan::{Act, Kind, LabelId, RoleId};
use quote::{ToTokens, quote};

use crate::codes::{BAD_TYPE, SAME_NAME};
use crate::names::{camel, field_name, ident, last_segment, type_name};
use crate::rust_types::{can_be_kept, is_used, known_type};
use crate::scope::{Places, Scope, Sort, Types, constants};

/// Names of modules that would shadow something.
const MODULES: [&str; 17] = [
    "plan",
    "tests",
    "runtime",
    "roles",
    "labels",
    "fmt",
    "std",
    "quadrille",
    "bool",
    "str",
    "char",
    "i64",
    "u16",
    "u32",
    "u64",
    "usize",
    "f64",
];

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
    pub(crate) roles: Vec<RoleName>,
}

/// An enumeration whose values fields of messages have.
pub(crate) struct Enumeration {
    pub(crate) ident: Ident,
    pub(crate) values: Vec<Ident>,
}

/// A type of messages.
pub(crate) struct MessageType {
    /// Its name in the protocol.
    pub(crate) name: String,
    /// The variant of the payload, and the type where it is generated.
    pub(crate) ident: Ident,
    /// The Rust type.
    pub(crate) rust_type: RustType,
    pub(crate) fields: Vec<Field>,
    /// The trait that reads the fields of an existing type.
    pub(crate) content: Ident,
    /// The contents that the protocol distinguishes: a value for each field.
    pub(crate) classes: Vec<(LabelId, Vec<TokenStream>)>,
    /// Whether some act sends it to several receivers.
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

/// A field that the protocol reads.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) rust_type: TokenStream,
    /// How many values there are; `None` for numbers.
    pub(crate) n_values: Option<usize>,
}

/// One role, or a family of them.
pub(crate) struct Family {
    /// Its name in the protocol.
    pub(crate) name: String,
    /// How many indices it has.
    pub(crate) n_indices: usize,
    /// Whether some index is negative.
    pub(crate) is_signed: bool,
    /// The handle, and the variant of `Role`.
    pub(crate) handle: Ident,
    /// The field of `Roles`.
    pub(crate) field: Ident,
    /// The module of its typed states.
    pub(crate) module: Ident,
    /// The enumerations of what it sends and receives.
    pub(crate) sends_type: Ident,
    pub(crate) receives_type: Ident,
    /// Its members, by index.
    pub(crate) members: Vec<RoleId>,
    pub(crate) sends: Vec<MessageIndex>,
    pub(crate) receives: Vec<MessageIndex>,
    pub(crate) closes: bool,
    /// Its local steps, with their calls.
    pub(crate) does: Vec<(LabelId, Ident)>,
    /// The names of these.
    calls: Scope,
}

/// One role.
pub(crate) struct RoleName {
    /// Its constant.
    pub(crate) constant: Ident,
    pub(crate) family: usize,
    pub(crate) indices: Vec<i64>,
}

/// What the protocol declares, and what the user requested.
pub(crate) struct Declared<'a> {
    pub(crate) roles: &'a [Role],
    /// Names of roles and families in order of declaration.
    pub(crate) families: &'a [String],
    pub(crate) messages: &'a [Message],
    pub(crate) message_infos: &'a [MessageInfo],
    pub(crate) enumeration_infos: &'a [EnumerationInfo],
    pub(crate) types: &'a [(String, String)],
    /// Where names are used.
    pub(crate) places: &'a Places,
    /// The paths that occur in the module, whose segments must not be shadowed.
    pub(crate) paths: &'a [String],
}

impl Interface {
    pub(crate) fn new(plan: &Plan, declared: &Declared<'_>) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut made = Interface {
            enumerations: Vec::new(),
            messages: Vec::new(),
            families: Vec::new(),
            labels: constants(plan.labels.iter().map(|label| &**label)),
            roles: Vec::new(),
        };
        let mut types = Types::new(declared.places);
        made.add_enumerations(declared, &mut types, &mut problems);
        made.add_messages(plan, declared, &mut types, &mut problems);
        made.add_roles(plan, declared, &mut types, &mut problems);
        made.name_the_rest(types.into_scope(), declared.paths);
        for act in plan.acts.iter() {
            made.add_act(act, plan);
        }
        if problems.is_empty() { Ok(made) } else { Err(problems) }
    }

    fn add_enumerations(
        &mut self,
        declared: &Declared<'_>,
        types: &mut Types<'_>,
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
            let ident = types.take(&info.name, Sort::Enumeration, problems);
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
        types: &mut Types<'_>,
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
            let message = format!("there is no message `{name}`");
            let known: Vec<&str> = self.messages.iter().map(|each| each.name.as_str()).collect();
            let help = format!("the messages are: {}", known.join(", "));
            problems.push(Diagnostic::error(&BAD_TYPE, message).help(help));
        }
    }

    fn message_type(
        &self,
        message: &Message,
        info: Option<&MessageInfo>,
        declared: &Declared<'_>,
        types: &mut Types<'_>,
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
            Some((_, Ok(other))) if can_be_kept(&other) => RustType::Written(Box::new(other)),
            Some((text, _)) => {
                let message =
                    format!("`{text}`, given for `{}`, is not a type for messages", message.name);
                let help = "write an owned type: `crate::Move`, `Vec<u8>`, `&'static str`";
                problems.push(Diagnostic::error(&BAD_TYPE, message).help(help));
                RustType::Generated
            }
        };
        // `with` is taken in the trait through which fields are seen.
        let taken = (!matches!(rust_type, RustType::Generated)).then_some("with");
        let mut scope = Scope::new(taken);
        let fields = info.map_or(&[][..], |info| &info.fields).iter().map(|field| Field {
            ident: scope.take(&field_name(&field.name)),
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
        let fields = fields.collect();
        let ident = match &rust_type {
            RustType::Written(_) => types.variant(short, &message.name, problems),
            _ => types.take(short, Sort::Message, problems),
        };
        MessageType {
            name: message.name.clone(),
            content: ident.clone(),
            ident,
            rust_type,
            fields,
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
        types: &mut Types<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let constants = constants(plan.roles.iter().map(|role| &**role));
        let mut found: BTreeMap<(&str, usize), usize> = BTreeMap::new();
        let mut fields = Scope::new(["unassigned"]);
        let declared_at =
            |role: &&Role| declared.families.iter().position(|name| *name == role.name);
        let mut in_order: Vec<&Role> = declared.roles.iter().collect();
        in_order.sort_by_key(|role| declared_at(role).unwrap_or(usize::MAX));
        for role in in_order {
            let key = (role.name.as_str(), role.indices.len());
            found.entry(key).or_insert_with(|| {
                self.families.push(family(role, types, &mut fields, problems));
                self.families.len() - 1
            });
        }
        for (position, (role, constant)) in declared.roles.iter().zip(constants).enumerate() {
            let family = found[&(role.name.as_str(), role.indices.len())];
            self.families[family].members.push(RoleId(position as u16));
            self.families[family].is_signed |= role.indices.iter().any(|&index| index < 0);
            self.roles.push(RoleName { constant, family, indices: role.indices.clone() });
        }
        for family in &mut self.families {
            family
                .members
                .sort_by(|a, b| self.roles[a.index()].indices.cmp(&self.roles[b.index()].indices));
        }
    }

    /// Derived names, which give way to those of the protocol.
    fn name_the_rest(&mut self, mut types: Scope, paths: &[String]) {
        let words =
            paths.iter().flat_map(|path| path.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        let mut modules = Scope::new(MODULES.into_iter().chain(words));
        for message in &mut self.messages {
            message.content = types.take(&format!("{}Content", stem(&message.ident)));
        }
        for family in &mut self.families {
            family.module = modules.take(&field_name(&family.name));
            let stem = stem(&family.handle);
            family.sends_type = types.take(&format!("{stem}Sends"));
            family.receives_type = types.take(&format!("{stem}Receives"));
        }
    }

    /// Records the roles of an act.
    fn add_act(&mut self, act: &Act, plan: &Plan) {
        let sender = self.roles[act.from.index()].family;
        let Some(label) = act.label else {
            self.families[sender].closes = true;
            return;
        };
        if act.kind == Kind::Local {
            let Family { does, calls, .. } = &mut self.families[sender];
            if !does.iter().any(|(known, _)| *known == label) {
                let name = field_name(&plan.labels[label.index()]);
                does.push((label, calls.take_call(&format!("does_{name}"))));
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
                insert(&mut self.families[self.roles[to.index()].family].receives, index);
            }
        }
    }

    /// The message of a label.
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
    /// The function that extracts it from the payload.
    pub(crate) fn unpack(&self) -> Ident {
        let name = stem(&self.ident);
        let snake = field_name(&name);
        // `HTTPReply` and `HttpReply` have the same snake case: only the latter gets it.
        let unique = if camel(&snake) == name { snake } else { name };
        quote::format_ident!("into_{unique}")
    }

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
}

/// The stem of derived names: without the underscore of a name that was taken.
fn stem(name: &Ident) -> String {
    name.to_string().trim_end_matches('_').to_owned()
}

fn family(
    role: &Role,
    types: &mut Types<'_>,
    fields: &mut Scope,
    problems: &mut Vec<Diagnostic>,
) -> Family {
    let handle = types.take(&role.name, Sort::Role, problems);
    let mut field = field_name(&role.name);
    if !role.indices.is_empty() && !field.ends_with('s') {
        field.push('s');
    }
    Family {
        name: role.name.clone(),
        n_indices: role.indices.len(),
        is_signed: false,
        module: handle.clone(),
        sends_type: handle.clone(),
        receives_type: handle.clone(),
        handle,
        field: fields.take(&field),
        members: Vec::new(),
        sends: Vec::new(),
        receives: Vec::new(),
        closes: false,
        does: Vec::new(),
        calls: Scope::default(),
    }
}

fn insert<T: Ord>(sorted: &mut Vec<T>, value: T) {
    if let Err(position) = sorted.binary_search(&value) {
        sorted.insert(position, value);
    }
}
