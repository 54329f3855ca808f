//! Pieces of a text in which nothing ever happens: what every language tells after a complete exploration.
//! Knows no language; each makes an outline of its own text.

use crate::Span;

/// Whether something happens in a piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Activity {
    /// There is nothing in it that could.
    Empty,
    /// Nothing does.
    Idle,
    /// Something does.
    Active,
}

impl Activity {
    /// Of something that could happen, and perhaps does.
    pub fn of(happens: bool) -> Self {
        if happens { Activity::Active } else { Activity::Idle }
    }
}

/// A piece of a text: a statement, a form, an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// Where it stands.
    pub span: Span,
    /// Whether it happens itself.
    pub own: Activity,
    /// The blocks inside it. Pieces of one block follow each other.
    pub blocks: Vec<Vec<Fragment>>,
}

impl Fragment {
    /// A piece with nothing inside.
    pub fn leaf(span: Span, own: Activity) -> Self {
        Self { span, own, blocks: Vec::new() }
    }

    /// Whether something happens in it.
    pub fn activity(&self) -> Activity {
        self.blocks.iter().map(|block| activity(block)).fold(self.own, Activity::max)
    }
}

/// Whether something happens in a block.
pub fn activity(block: &[Fragment]) -> Activity {
    block.iter().map(Fragment::activity).max().unwrap_or(Activity::Empty)
}

/// The outermost pieces of a block in which nothing happens; those that follow each other as one.
pub fn idle(block: &[Fragment]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Option<Span> = None;
    for piece in block {
        match piece.activity() {
            Activity::Idle => open = Some(open.map_or(piece.span, |span| span.to(piece.span))),
            Activity::Empty => {}
            Activity::Active => {
                found.extend(open.take());
                found.extend(piece.blocks.iter().flat_map(|block| idle(block)));
            }
        }
    }
    found.extend(open);
    found
}
