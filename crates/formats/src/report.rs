//! Collects diagnostics, but not without end: a file of a million bad lines gets a short answer.

use quadrille_diagnostic::Diagnostic;

/// Diagnostics kept per file.
const MOST: usize = 50;

#[derive(Default)]
pub(crate) struct Report {
    list: Vec<Diagnostic>,
    n_left_out: usize,
}

impl Report {
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MOST {
            self.list.push(diagnostic);
        } else {
            self.n_left_out += 1;
        }
    }

    /// Whether something was reported.
    pub(crate) fn is_silent(&self) -> bool {
        self.list.is_empty()
    }

    /// Everything reported, in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span));
        if let (Some(last), 1..) = (self.list.last_mut(), self.n_left_out) {
            last.notes.push(format!("{} further problems are not shown", self.n_left_out));
        }
        self.list
    }
}
