//! The rules of lint: the group of each, and its level, which says whether a finding fails, warns, is told
//! in passing or is left out. Levels come from here, from the manifest and from the command line; which
//! places of a text are excepted is in `allow.rs`.

use std::fmt;
use std::str::FromStr;

use quadrille_component::architecture::codes as system;
use quadrille_component::codes as component;
use quadrille_diagnostic::{Code, Diagnostic, Severity, similar};
use serde::Deserialize;

use crate::protocol::codes as protocol;

/// What becomes of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It is left out.
    Allow,
    /// It is told in one line.
    Note,
    /// It is told.
    Warn,
    /// It is told, and lint fails.
    Deny,
}

impl Level {
    /// All levels, the mildest first.
    pub const ALL: [Level; 4] = [Level::Allow, Level::Note, Level::Warn, Level::Deny];

    /// The level as users write it.
    pub fn word(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Note => "note",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }

    /// How a finding of this level is told, if it is.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Allow => None,
            Level::Note => Some(Severity::Note),
            Level::Warn => Some(Severity::Warning),
            Level::Deny => Some(Severity::Error),
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Level::ALL.into_iter().find(|level| level.word() == word);
        found.ok_or_else(|| format!("`{word}` is no level: write allow, note, warn or deny"))
    }
}

/// Rules that are switched together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Channels are closed, once and after use.
    Closing,
    /// The protocol and each role can go on.
    Progress,
    /// One role decides, and the others can tell.
    Choices,
    /// Roles are declared, take part, and know when to send.
    Roles,
    /// Formulas say something about the protocol.
    Formulas,
    /// The forms of a protocol do the same.
    Forms,
    /// Components fit by what their texts say.
    Components,
    /// The text itself: declarations without use, exceptions from these rules.
    Text,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 8] = [
        Group::Closing,
        Group::Progress,
        Group::Choices,
        Group::Roles,
        Group::Formulas,
        Group::Forms,
        Group::Components,
        Group::Text,
    ];

    /// The group as users write it.
    pub fn word(self) -> &'static str {
        match self {
            Group::Closing => "closing",
            Group::Progress => "progress",
            Group::Choices => "choices",
            Group::Roles => "roles",
            Group::Formulas => "formulas",
            Group::Forms => "forms",
            Group::Components => "components",
            Group::Text => "text",
        }
    }
}

/// A rule of lint.
pub struct Rule {
    /// The code of its findings.
    pub code: &'static Code,
    /// Its group.
    pub group: Group,
    /// Its level where nothing else is said. Only what is a mistake for certain is denied.
    pub level: Level,
}

const fn rule(code: &'static Code, group: Group, level: Level) -> Rule {
    Rule { code, group, level }
}

/// Every rule of lint.
pub static RULES: [Rule; 41] = {
    use Group::{Choices, Closing, Components, Forms, Formulas, Progress, Roles, Text};
    use Level::{Allow, Deny, Note, Warn};
    [
        rule(&protocol::CAUSALITY, Roles, Warn),
        // Often intended: the role was asked earlier.
        rule(&protocol::UNPROMPTED, Roles, Allow),
        rule(&protocol::NOT_CLOSED, Closing, Warn),
        rule(&protocol::CLOSED_UNUSED_ON_PATH, Closing, Warn),
        rule(&protocol::CLOSED_NEVER_USED, Closing, Deny),
        rule(&protocol::CLOSED_TWICE, Closing, Deny),
        rule(&protocol::SENT_AFTER_CLOSE, Closing, Deny),
        rule(&protocol::SENT_TO_SELF, Roles, Deny),
        rule(&protocol::CANNOT_END, Progress, Warn),
        rule(&protocol::STUCK, Progress, Deny),
        rule(&protocol::NEVER_HAPPENS, Progress, Warn),
        rule(&protocol::DIAMOND, Choices, Warn),
        rule(&protocol::DECIDED_BY_SEVERAL, Choices, Warn),
        rule(&protocol::CANNOT_TELL, Choices, Warn),
        rule(&protocol::SAME_BEGINNING, Choices, Warn),
        // Often intended: the choice is left to fairness.
        rule(&protocol::STARVES, Progress, Note),
        rule(&protocol::UNUSED_ROLE, Roles, Warn),
        rule(&protocol::UNDECLARED_ROLE, Roles, Deny),
        // Often intended: the property says that this never happens.
        rule(&protocol::IDLE_ATOM, Formulas, Note),
        rule(&protocol::VACUOUS, Formulas, Note),
        // As most protocols are.
        rule(&protocol::REORDERED, Forms, Note),
        rule(&protocol::IGNORED_WORDS, Formulas, Warn),
        // Most protocols close nothing, and loops may go on for ever.
        rule(&protocol::STAYS_OPEN, Closing, Allow),
        rule(&quadrille_logic::codes::NARROW_OPERATOR, Formulas, Warn),
        rule(&component::TRAILING, Components, Warn),
        rule(&component::PRECEDENCE, Components, Warn),
        rule(&component::UNHANDLED, Components, Deny),
        rule(&component::UNLISTED, Components, Deny),
        rule(&component::UNDECLARED, Components, Deny),
        rule(&component::NEVER_ACCEPTED, Components, Deny),
        rule(&component::UNBOUND_ACCEPTANCE, Components, Warn),
        rule(&component::NEVER_THROWN, Components, Warn),
        rule(&component::NEAR_MISS, Components, Warn),
        rule(&component::OPEN_CHOICE, Components, Warn),
        rule(&component::MISPLACED, Components, Warn),
        rule(&system::UNBOUND, Components, Deny),
        rule(&quadrille_quad::UNUSED, Text, Warn),
        rule(&quadrille_discourje::BAD_DEFINITION, Text, Warn),
        rule(&quadrille_discourje::PASSED_OVER, Text, Note),
        rule(&protocol::BAD_ALLOW, Text, Deny),
        rule(&protocol::UNUSED_ALLOW, Text, Warn),
    ]
};

/// The numbers of the rules that a name stands for: a code, a group, or `all`; what to write instead where
/// there are none.
pub fn rules_named(name: &str) -> Result<Vec<usize>, UnknownRule> {
    let group = Group::ALL.into_iter().find(|group| group.word() == name);
    let matches = move |rule: &Rule, name: &str| match group {
        Some(group) => rule.group == group,
        None => name == "all" || rule.code.id.eq_ignore_ascii_case(name),
    };
    let found: Vec<usize> =
        (0..RULES.len()).filter(|&number| matches(&RULES[number], name)).collect();
    if found.is_empty() { Err(UnknownRule::new(name)) } else { Ok(found) }
}

/// A name that is no rule and no group of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownRule {
    name: String,
    near: Vec<String>,
}

impl UnknownRule {
    fn new(name: &str) -> Self {
        let groups = Group::ALL.iter().map(|group| group.word());
        let names = groups.chain(RULES.iter().map(|rule| rule.code.id));
        let near = similar(name, names).into_iter().map(str::to_owned).collect();
        Self { name: name.to_owned(), near }
    }

    /// What to write instead.
    pub fn help(&self) -> String {
        match self.near.as_slice() {
            [] => "write a code such as L011, a group such as closing, or all".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        }
    }
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lint has no rule and no group of rules `{}`", self.name)
    }
}

/// The level of every rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels(Vec<Level>);

impl Default for Levels {
    fn default() -> Self {
        Self(RULES.iter().map(|rule| rule.level).collect())
    }
}

impl Levels {
    /// Sets the level of a rule, of a group, or of `all`.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), UnknownRule> {
        for number in rules_named(name)? {
            self.0[number] = level;
        }
        Ok(())
    }

    /// The level of a finding.
    pub fn of(&self, diagnostic: &Diagnostic) -> Level {
        match RULES.iter().position(|rule| rule.code == diagnostic.code) {
            Some(number) => self.0[number],
            None if diagnostic.is_error() => Level::Deny,
            None => Level::Warn,
        }
    }
}
