//! Everything that reads texts of users, one function each. A text of any kind gives a result or
//! diagnostics: no reader panics, every error has a place, and every place lies in its text. The
//! targets of `fuzz/` and the bounded run in `tests/bounded.rs` call these functions.
#![forbid(unsafe_code)]

mod samples;

use std::path::Path;

use quadrille_component::{architecture, lint};
use quadrille_diagnostic::{Diagnostic, SourceId, Sources, Span};
use quadrille_logic::PlainAtoms;
use quadrille_protocol::monitor::Event;

/// A reader, with what to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// What it reads, which is also the name of its fuzz target.
    pub name: &'static str,
    /// Reads a text, and says whether that went without errors. Panics where the reader breaks its
    /// promise.
    pub read: fn(&str) -> bool,
    /// Texts that it reads without complaints, beside the examples with the ending `name`.
    pub samples: &'static [&'static str],
    /// Words and signs that mean something to it.
    pub words: &'static str,
}

/// All of them.
pub const READERS: &[Reader] = &[
    Reader { name: "formula", read: formula, samples: samples::FORMULA, words: samples::LOGIC },
    Reader { name: "owl", read: owl, samples: samples::OWL, words: samples::LOGIC },
    Reader { name: "hoa", read: hoa, samples: samples::HOA, words: samples::HOA_WORDS },
    Reader { name: "net", read: net, samples: &[], words: samples::NET_WORDS },
    Reader { name: "ia", read: net, samples: samples::IA, words: samples::NET_WORDS },
    Reader { name: "aut", read: aut, samples: &[], words: samples::AUT_WORDS },
    Reader { name: "quad", read: quad, samples: &[], words: samples::QUAD_WORDS },
    Reader { name: "dcj", read: dcj, samples: samples::DCJ, words: samples::DCJ_WORDS },
    Reader { name: "bp", read: bp, samples: &[], words: samples::BP_WORDS },
    Reader { name: "arch", read: arch, samples: samples::ARCH, words: samples::ARCH_WORDS },
    Reader { name: "qev", read: qev, samples: &[], words: samples::QEV_WORDS },
    Reader { name: "pnml", read: pnml, samples: samples::PNML, words: samples::PNML_WORDS },
    Reader {
        name: "contest",
        read: contest,
        samples: samples::CONTEST,
        words: samples::PNML_WORDS,
    },
    Reader { name: "manifest", read: manifest, samples: samples::MANIFEST, words: samples::TOML },
    Reader { name: "als", read: als, samples: &[], words: samples::ALS_WORDS },
    Reader { name: "theme", read: theme, samples: samples::THEME, words: samples::THEME_WORDS },
    Reader {
        name: "schedule",
        read: schedule,
        samples: samples::SCHEDULE,
        words: samples::SCHEDULE_WORDS,
    },
    Reader { name: "trace", read: trace, samples: samples::TRACE, words: samples::JSON },
    Reader { name: "log", read: log, samples: samples::LOG, words: samples::JSON },
];

/// Reads a text with a function that adds it to the sources itself.
fn promised(text: &str, read: impl FnOnce(&mut Sources) -> Vec<Diagnostic>) -> bool {
    let mut sources = Sources::default();
    let found = read(&mut sources);
    for found in &found {
        let Diagnostic { message, labels, .. } = found;
        assert!(!(found.is_error() && labels.is_empty()), "no place: {message}\n{text:?}");
        for label in labels {
            let range = label.span.range();
            let whole = sources.text(label.span.source);
            assert!(whole.get(range.clone()).is_some(), "{range:?}: {message}\n{whole:?}");
        }
    }
    !found.iter().any(Diagnostic::is_error)
}

/// A formula of our own syntax.
pub fn formula(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("formula", text);
        let span = Span::new(source, 0..text.len());
        quadrille_logic::parse(sources, span, &mut PlainAtoms).diagnostics
    })
}

/// A formula of Discourje.
pub fn owl(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("in.owl", text);
        quadrille_logic::parse_owl(sources, Span::new(source, 0..text.len())).diagnostics
    })
}

/// An automaton in the Hanoi format.
pub fn hoa(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("in.hoa", text);
        quadrille_logic::read_hoa(sources, source).err().into_iter().map(|found| *found).collect()
    })
}

/// A network, by names or positional.
pub fn net(text: &str) -> bool {
    promised(text, |sources| quadrille_formats::read_net(sources.add("in.net", text), text).1)
}

/// A table in Aldebaran format.
pub fn aut(text: &str) -> bool {
    promised(text, |sources| quadrille_formats::read_aut(sources.add("in.aut", text), text).1)
}

/// Protocols of our own language.
pub fn quad(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("in.quad", text);
        quadrille_quad::load(sources, source).1
    })
}

/// A design of relations and events.
pub fn qev(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("in.qev", text);
        quadrille_relational::read(source, text).1
    })
}

/// A Petri net.
pub fn pnml(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("in.pnml", text);
        quadrille_petri::read_pnml(source, text).1
    })
}

/// Formulas of the Model Checking Contest, about a small net.
pub fn contest(text: &str) -> bool {
    let net = quadrille_petri::Net {
        places: vec!["p".to_owned(), "q".to_owned()],
        initial: vec![1, 0],
        ..quadrille_petri::Net::default()
    };
    promised(text, |sources| {
        let source = sources.add("in.xml", text);
        quadrille_petri::read_properties(source, text, &net).1
    })
}

/// Protocols of Discourje.
pub fn dcj(text: &str) -> bool {
    promised(text, |sources| quadrille_discourje::load(sources.add("in.dcj", text), text).1)
}

/// Behavior protocols of components.
pub fn bp(text: &str) -> bool {
    promised(text, |sources| {
        let (file, mut found) = quadrille_component::parse(sources.add("in.bp", text), text);
        if !found.iter().any(Diagnostic::is_error) {
            found.extend(lint::check(&file, None));
        }
        found
    })
}

/// An architecture whose protocols are all the same.
pub fn arch(text: &str) -> bool {
    const PROTOCOL: &str = "A ?A.m";
    promised(text, |sources| {
        let source = sources.add("in.arch", text);
        let mut read = |path: &str| Ok((sources.add(path, PROTOCOL), PROTOCOL.to_owned()));
        architecture::load(source, text, &mut read).1
    })
}

/// A manifest of tests, each of whose patterns means one file.
pub fn manifest(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("suite.toml", text);
        let read = quadrille_query::manifest::read;
        read(source, text, Path::new("."), &|_, _| Ok(vec!["Unfair.owl".into()]))
            .err()
            .unwrap_or_default()
    })
}

/// A specification in Alloy, with the modules that come with the language and no others.
pub fn als(text: &str) -> bool {
    struct Alone<'s>(&'s mut Sources);
    impl quadrille_alloy::names::Files for Alone<'_> {
        fn text(&mut self, _path: &str) -> Option<(SourceId, String)> {
            None
        }

        fn library(&mut self, name: &str, text: &'static str) -> SourceId {
            self.0.add(name, text)
        }
    }
    promised(text, |sources| {
        let source = sources.add("in.als", text);
        quadrille_alloy::names::read(&mut Alone(sources), "in.als", source, text)
            .err()
            .unwrap_or_default()
    })
}

/// How pictures of instances look.
pub fn theme(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("theme", text);
        quadrille_report::Theme::read(source, text).err().into_iter().collect()
    })
}

/// A schedule of threads, which tells itself where it cannot be read.
pub fn schedule(text: &str) -> bool {
    match text.parse::<quadrille_sim::Schedule>() {
        Ok(schedule) => {
            assert_eq!(schedule.to_string().parse().as_ref(), Ok(&schedule), "{text:?}");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{text:?}");
            false
        }
    }
}

/// A trace in JSON.
pub fn trace(text: &str) -> bool {
    promised(text, |sources| {
        let source = sources.add("trace.json", text);
        quadrille_report::read_story(source, text).err().into_iter().collect()
    })
}

/// A line of a log.
pub fn log(text: &str) -> bool {
    promised(text, |sources| {
        Event::parse(sources, "log", text).err().into_iter().map(|found| *found).collect()
    })
}
