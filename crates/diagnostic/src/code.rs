//! Codes: the stable names of diagnostics, each with the manual page that `quadrille explain` prints.

/// A kind of diagnostic. Declare them with [`codes!`](crate::codes).
#[derive(PartialEq, Eq, Debug)]
pub struct Code {
    /// The stable name, such as `N003`: a letter for the language, a number.
    pub id: &'static str,
    /// The lines of its page, each as the doc comment has it.
    pub lines: &'static [&'static str],
}

impl Code {
    /// The manual page in Markdown: what it means, why it matters, an example, what to do.
    pub fn page(&self) -> String {
        let lines = self.lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Declares codes. The doc comment of each *is* its manual page; all of them together are listed
/// in the table named first, which the command line collects.
///
/// ```
/// quadrille_diagnostic::codes! {
///     ALL:
///
///     /// A channel has no room.
///     ///
///     /// Give the channel a capacity of at least one.
///     X001 = NO_ROOM;
/// }
/// assert_eq!(NO_ROOM.id, "X001");
/// assert!(ALL[0].page().starts_with("A channel has no room."));
/// ```
#[macro_export]
macro_rules! codes {
    ($all:ident: $($(#[doc = $doc:literal])* $id:ident = $name:ident;)*) => {
        $(
            $(#[doc = $doc])*
            pub static $name: $crate::Code = $crate::Code {
                id: stringify!($id),
                lines: &[$($doc),*],
            };
        )*
        /// Every code of this crate, in order.
        pub static $all: &[&$crate::Code] = &[$(&$name),*];
    };
}
