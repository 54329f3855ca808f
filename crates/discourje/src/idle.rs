//! Forms of a session in which nothing ever happens, given the places where something does.

use std::collections::BTreeSet;

use quadrille_diagnostic::{Activity, Fragment, Span, activity, idle};

use super::eval::Parameters;
use super::form::Form;
use super::lower::SpecForm;
use super::program::{Definition, Program};
use super::value::Value;

/// Makes outlines of forms.
struct Outline<'a> {
    program: &'a Program,
    happened: &'a BTreeSet<Span>,
}

/// The outermost forms of a session, and of those it calls, in which nothing happened, in the order of the
/// text; those that follow each other as one.
pub(crate) fn idle_forms(
    program: &Program,
    definition: usize,
    happened: &BTreeSet<Span>,
) -> Vec<Span> {
    let Definition::Session(session) = &program.definitions[definition] else { return Vec::new() };
    let outline = Outline { program, happened };
    let mut found = BTreeSet::new();
    let mut called = vec![&session.parts[session.from..]];
    let mut next = 0;
    while let Some(&body) = called.get(next) {
        next += 1;
        let block = outline.block(body, true);
        // Where a session is called that never starts, the call is idle.
        if next == 1 || activity(&block) == Activity::Active {
            found.extend(idle(&block));
            body.iter().for_each(|form| outline.calls(form, &mut called));
        }
    }
    found.into_iter().collect()
}

impl<'a> Outline<'a> {
    fn spec(&self, form: &Form) -> Option<SpecForm> {
        let head = form.list()?.first()?.symbol()?;
        self.program.meaning(head).spec
    }

    /// The body of the session or function of the file that a form calls.
    fn callee(&self, form: &Form) -> Option<&'a [Form]> {
        let (head, arguments) = form.list()?.split_first()?;
        let (name, n_arguments) = match (self.spec(form), arguments) {
            (Some(SpecForm::Session), [name, arguments]) => {
                (name.keyword()?, arguments.vector()?.len())
            }
            (Some(_), _) => return None,
            (None, _) => (head.keyword().or(head.symbol())?, arguments.len()),
        };
        if let (Some(_), Some(Value::Function(closure))) =
            (head.symbol(), self.program.global(name))
        {
            let clause = closure.clauses.iter().find(|clause| {
                matches!(&clause.parameters, Parameters::Written(names) if names.len() == n_arguments)
            })?;
            return Some(&clause.parts[clause.from..]);
        }
        match &self.program.definitions[self.program.session(name, n_arguments)?] {
            Definition::Session(session) if !session.is_predefined() => {
                Some(&session.parts[session.from..])
            }
            _ => None,
        }
    }

    /// Adds the bodies that a form calls.
    fn calls(&self, form: &Form, called: &mut Vec<&'a [Form]>) {
        if let Some(body) = self.callee(form)
            && !called.iter().any(|known| std::ptr::eq(*known, body))
        {
            called.push(body);
        }
        form.children().iter().for_each(|child| self.calls(child, called));
    }

    fn block(&self, forms: &[Form], follow: bool) -> Vec<Fragment> {
        forms.iter().map(|form| self.fragment(form, follow)).collect()
    }

    fn fragment(&self, form: &Form, follow: bool) -> Fragment {
        let span = form.span;
        if let Some(body) = self.callee(form) {
            // What it calls in turn is looked at by itself: recursion must end.
            let own = if follow { activity(&self.block(body, false)) } else { Activity::Empty };
            return Fragment::leaf(span, own);
        }
        let parts = form.children();
        let blocks = match self.spec(form) {
            Some(SpecForm::Sync | SpecForm::Async | SpecForm::Close) => {
                return Fragment::leaf(span, Activity::of(self.happened.contains(&span)));
            }
            Some(SpecForm::Graph) => {
                let edges = parts.iter().skip(3).map(|edge| edge.span);
                let leaf = |span| Fragment::leaf(span, Activity::of(self.happened.contains(&span)));
                edges.map(|edge| vec![leaf(edge)]).collect()
            }
            Some(
                SpecForm::Alt | SpecForm::Par | SpecForm::If | SpecForm::IfNot | SpecForm::Cond,
            ) => parts.iter().map(|part| vec![self.fragment(part, follow)]).collect(),
            _ if parts.is_empty() => Vec::new(),
            _ => vec![self.block(parts, follow)],
        };
        Fragment { span, own: Activity::Empty, blocks }
    }
}
