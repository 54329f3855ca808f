//! The modules that come with the language, by their documented behaviour.

const MODULES: [(&str, &str); 11] = [
    ("util/boolean", include_str!("library/boolean.als")),
    ("util/graph", include_str!("library/graph.als")),
    ("util/integer", include_str!("library/integer.als")),
    ("util/natural", include_str!("library/natural.als")),
    ("util/ordering", include_str!("library/ordering.als")),
    ("util/relation", include_str!("library/relation.als")),
    ("util/seqrel", include_str!("library/seqrel.als")),
    ("util/sequence", include_str!("library/sequence.als")),
    ("util/sequniv", include_str!("library/sequniv.als")),
    ("util/ternary", include_str!("library/ternary.als")),
    ("util/time", include_str!("library/time.als")),
];

/// The text of one of them.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    MODULES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// What there is.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name)
}

/// Whether a file is one of them.
pub(crate) fn has(file: &str) -> bool {
    file.strip_suffix(".als").is_some_and(|name| text(name).is_some())
}
