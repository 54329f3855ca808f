//! What the reader makes of a text: Clojure forms with their places, and the table of names.
//! Knows nothing of what names mean.

use std::sync::Arc;

use quadrille_diagnostic::Span;
use rustc_hash::FxHashMap;

/// A name in a table of [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Name(pub(crate) u32);

/// All names of one program, each once.
#[derive(Clone, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, Name>,
}

impl Names {
    /// The name with this text.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = Name(u32::try_from(self.texts.len()).expect("fewer than 2^32 names"));
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: Name) -> &Arc<str> {
        &self.texts[name.0 as usize]
    }

    /// The name with this text, if it occurs.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// A form and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) kind: FormKind,
    pub(crate) span: Span,
}

/// A Clojure form.
#[derive(Clone, Debug)]
pub(crate) enum FormKind {
    Nil,
    Bool(bool),
    Int(i64),
    Ratio(i64, i64),
    Float(f64),
    Text(Arc<str>),
    Char(char),
    Regex(Arc<str>),
    /// A keyword without its colons; `::a` and `:a` are told apart by `own`.
    Keyword {
        name: Name,
        own: bool,
    },
    /// A symbol. `name` is without the namespace, except for Java's static methods; `text` is as
    /// written.
    Symbol {
        name: Name,
        text: Name,
    },
    List(Arc<[Form]>),
    Vector(Arc<[Form]>),
    Set(Arc<[Form]>),
    /// Keys and values in turn.
    Map(Arc<[Form]>),
    /// `#(…)`: how many parameters `%1`, `%2` … it has, whether `%&` occurs, and the body.
    Lambda {
        n_parameters: usize,
        rest: bool,
        body: Arc<Form>,
    },
    /// `'…`
    Quote(Arc<Form>),
}

impl Form {
    /// The parts of a list.
    pub(crate) fn list(&self) -> Option<&[Form]> {
        match &self.kind {
            FormKind::List(parts) => Some(parts),
            _ => None,
        }
    }

    /// The parts of a vector.
    pub(crate) fn vector(&self) -> Option<&[Form]> {
        match &self.kind {
            FormKind::Vector(parts) => Some(parts),
            _ => None,
        }
    }

    /// The name of a symbol.
    pub(crate) fn symbol(&self) -> Option<Name> {
        match &self.kind {
            FormKind::Symbol { name, .. } => Some(*name),
            _ => None,
        }
    }

    /// The name of a keyword.
    pub(crate) fn keyword(&self) -> Option<Name> {
        match &self.kind {
            FormKind::Keyword { name, .. } => Some(*name),
            _ => None,
        }
    }

    /// Takes the place away, from all forms inside too: for forms that stand in no file.
    pub(crate) fn forget_place(&mut self) {
        self.span = Span::new(self.span.source, 0..0);
        match &mut self.kind {
            FormKind::List(parts)
            | FormKind::Vector(parts)
            | FormKind::Set(parts)
            | FormKind::Map(parts) => {
                let parts = Arc::get_mut(parts).into_iter().flatten();
                parts.for_each(Form::forget_place);
            }
            FormKind::Lambda { body, .. } | FormKind::Quote(body) => {
                Arc::get_mut(body).into_iter().for_each(Form::forget_place);
            }
            _ => {}
        }
    }

    /// The forms directly inside.
    pub(crate) fn children(&self) -> &[Form] {
        match &self.kind {
            FormKind::List(parts)
            | FormKind::Vector(parts)
            | FormKind::Set(parts)
            | FormKind::Map(parts) => parts,
            FormKind::Lambda { body, .. } | FormKind::Quote(body) => std::slice::from_ref(body),
            _ => &[],
        }
    }
}
