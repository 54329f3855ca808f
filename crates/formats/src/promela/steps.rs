//! Models as Promela step by step, without exploring them: a variable for each slot, a guarded command
//! for each piece of the next-state relation. Only where a signature says all there is to know: guards
//! that test slots, effects that are single values, a condition that says where the system may end.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use quadrille_model::{
    Change, Condition, Domain, Group, Guard, Model, PropositionId, SlotId, Value,
};

use super::{comment, is_name};

/// Most initial states that are written out.
const MOST_INITIAL: usize = 1_000;

/// What a name in Promela may not be.
const TAKEN: [&str; 24] = [
    "active", "assert", "atomic", "bit", "bool", "break", "byte", "chan", "d_step", "do", "else",
    "end", "false", "fi", "goto", "if", "init", "int", "len", "od", "skip", "state", "system",
    "true",
];

/// A model as Promela; `None` where its signature does not tell everything. Spin stores as many states
/// as the model has, and one more where there are several initial states; its invalid end states are
/// the deadlocks, and propositions are macros.
pub fn promela_of_steps(model: &dyn Model) -> Option<String> {
    let signature = model.signature();
    let names = names(model);
    let ends = Ends::of(&model.ending()?, &names)?;
    let mut text = String::new();
    let _ = writeln!(text, "/* {} variables, {} steps */", names.len(), signature.groups.len());
    let mut first: Vec<Vec<Value>> = Vec::new();
    let flow = model.explorer().initial(&mut |state| {
        first.push(state.to_vec());
        ControlFlow::Continue(())
    });
    let is_short = (1..=MOST_INITIAL).contains(&first.len());
    if matches!(flow, ControlFlow::Break(_)) || !is_short || !model.never_fails() {
        return None;
    }
    for (number, (slot, name)) in signature.slots.iter().zip(&names).enumerate() {
        let ty = match slot.domain.size()? {
            0..=2 => "bit",
            3..=256 => "byte",
            _ => "int",
        };
        let _ = write!(text, "{ty} {name}");
        if let [only] = first.as_slice() {
            let _ = write!(text, " = {}", only[number]);
        }
        let meant = match &slot.domain {
            Domain::Named(values) => {
                let pairs = values.iter().enumerate().map(|(at, value)| format!("{at} {value}"));
                pairs.collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "; /* {} : {} */", comment(&slot.name), comment(&meant));
    }
    for (number, proposition) in signature.propositions.iter().enumerate() {
        let meaning = condition(&model.meaning(PropositionId::from_usize(number))?, &names)?;
        let shown = &proposition.name;
        let shown = if is_name(shown) && !names.contains(shown) {
            shown.clone()
        } else {
            format!("p{number}")
        };
        let _ = writeln!(text, "/* {} */\n#define {shown} {meaning}", comment(&proposition.name));
    }
    text.push_str("\nactive proctype system() {\n");
    let mut explorer = model.explorer();
    let mut place = |state: &[Value]| match (&ends, explorer.may_end(state)) {
        (Ends::Where(_), Ok(true)) => "goto end_here",
        (Ends::Where(_), _) => "goto going_on",
        _ => "skip",
    };
    match first.as_slice() {
        [only] if matches!(ends, Ends::Where(_)) => {
            let _ = writeln!(text, "  {};", place(only));
        }
        [_] => {}
        several => {
            text.push_str("  if\n");
            for state in several {
                let values = names.iter().zip(state);
                let values: Vec<String> =
                    values.map(|(name, value)| format!("{name} = {value}")).collect();
                let (values, place) = (values.join("; "), place(state));
                let _ = writeln!(text, "  :: atomic {{ {values}; {place} }}");
            }
            text.push_str("  fi;\n");
        }
    }
    // Spin leaves out variables that are never read.
    let read: BTreeSet<SlotId> =
        signature.guards.iter().flat_map(|guard| guard.reads().to_vec()).collect();
    let unread = signature.slot_ids().filter(|slot| !read.contains(slot));
    let unread: String = unread.map(|slot| format!(" && {} == 0", names[slot.index()])).collect();
    let mut steps = format!("  :: false{unread}\n");
    for group in &signature.groups {
        steps.push_str(&step(model, group, &names, &ends)?);
    }
    let labels: &[&str] = match ends {
        Ends::Everywhere => &["end_here"],
        Ends::Nowhere => &["going_on"],
        // At which label the process is follows from the state: the same steps stand behind both.
        Ends::Where(_) => &["going_on", "end_here"],
    };
    for label in labels {
        let _ = writeln!(
            text,
            "{label}:\n  do\n{steps}  od{}",
            if labels.len() > 1 { ";" } else { "" }
        );
    }
    text.push_str("}\n");
    Some(text)
}

/// Where a model may end.
enum Ends {
    Everywhere,
    Nowhere,
    /// Where this holds.
    Where(String),
}

impl Ends {
    fn of(ending: &Condition, names: &[String]) -> Option<Self> {
        Some(match ending {
            Condition::All(parts) if parts.is_empty() => Ends::Everywhere,
            Condition::Any(parts) if parts.is_empty() => Ends::Nowhere,
            ending => Ends::Where(condition(ending, names)?),
        })
    }
}

/// Names of variables: those of the slots, as far as Promela allows.
fn names(model: &dyn Model) -> Vec<String> {
    let mut taken: BTreeSet<String> = TAKEN.iter().map(|word| (*word).to_owned()).collect();
    let slots = model.signature().slots.iter();
    let name = |slot: &quadrille_model::Slot| {
        let mut plain = String::new();
        for c in slot.name.chars().filter(|c| *c != '$') {
            plain.push(if c.is_ascii_alphanumeric() { c } else { '_' });
        }
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
            plain.insert_str(0, "v_");
        }
        let is_free = |name: &String| !taken.contains(name);
        let numbered = |number: usize| match number {
            1 => plain.clone(),
            _ => format!("{plain}_{number}"),
        };
        let name = (1..).map(numbered).find(is_free).unwrap_or_default();
        taken.insert(name.clone());
        name
    };
    slots.map(name).collect()
}

/// A guarded command.
fn step(model: &dyn Model, group: &Group, names: &[String], ends: &Ends) -> Option<String> {
    let signature = model.signature();
    let [action] = group.actions.as_deref()? else { return None };
    if !group.guards_complete {
        return None;
    }
    let guards = group.guards.iter().map(|id| guard(signature.guard(*id), names));
    let mut guards: Vec<String> = guards.collect::<Option<_>>()?;
    if guards.is_empty() {
        guards.push("true".to_owned());
    }
    let mut effects = Vec::new();
    for effect in &group.effects {
        let Change::Assign(values) = &effect.change else { return None };
        let mut values = values.iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        effects.push(format!("{} = {value}", names[effect.slot.index()]));
    }
    if effects.is_empty() {
        effects.push("skip".to_owned());
    }
    let (guards, effects) = (guards.join(" && "), effects.join("; "));
    let label = comment(&model.action(*action).label);
    Some(match ends {
        Ends::Where(ending) => format!(
            "  :: atomic {{ {guards} -> {effects}; \
             if :: {ending} -> goto end_here :: else -> goto going_on fi }} /* {label} */\n"
        ),
        _ => format!("  :: d_step {{ {guards} -> {effects} }} /* {label} */\n"),
    })
}

fn guard(guard: &Guard, names: &[String]) -> Option<String> {
    Some(match guard {
        Guard::In(slot, values) => {
            let name = &names[slot.index()];
            let each: Vec<String> = values.iter().map(|it| format!("{name} == {it}")).collect();
            match each.as_slice() {
                [] => "false".to_owned(),
                [only] => only.clone(),
                _ => format!("({})", each.join(" || ")),
            }
        }
        Guard::Masked { slot, mask, equals } => {
            format!("({} & {mask}) == {equals}", names[slot.index()])
        }
        Guard::AtLeast(slot, least) => format!("{} >= {least}", names[slot.index()]),
        Guard::Opaque { .. } => return None,
    })
}

fn condition(of: &Condition, names: &[String]) -> Option<String> {
    let all = |parts: &[Condition], word: &str, empty: &str| -> Option<String> {
        let parts: Vec<String> =
            parts.iter().map(|part| condition(part, names)).collect::<Option<_>>()?;
        let is_empty = parts.is_empty();
        Some(format!("({})", if is_empty { empty.to_owned() } else { parts.join(word) }))
    };
    match of {
        Condition::Guard(one) => guard(one, names).map(|one| format!("({one})")),
        Condition::Not(inner) => Some(format!("!{}", condition(inner, names)?)),
        Condition::All(parts) => all(parts, " && ", "true"),
        Condition::Any(parts) => all(parts, " || ", "false"),
        Condition::AtMost(..) => None,
    }
}
