//! Lines of one table, printed as soon as each is measured: what was explored how, beside what, and
//! which bars that keeps.

use std::fmt;

/// Which rows of a table are wanted.
pub(crate) struct Wanted<'a> {
    /// Whether rows that take long are left out, and each is measured once.
    pub quick: bool,
    /// Parts of the table (`formulas`), models (`phil-10`), families of them (`phil`); all, if there are none.
    names: &'a [String],
    /// Whether each name was that of a row.
    met: Vec<bool>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(quick: bool, names: &'a [String]) -> Self {
        Self { quick, names, met: vec![false; names.len()] }
    }

    /// Whether a row of a part is wanted.
    pub(crate) fn has(&mut self, part: &str, model: &str) -> bool {
        let model = model.replace(' ', "-");
        let mut is_wanted = self.names.is_empty();
        for (name, met) in self.names.iter().zip(&mut self.met) {
            let rest = model.strip_prefix(name.as_str());
            let is_model = rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            if is_model || name == part {
                (*met, is_wanted) = (true, true);
            }
        }
        is_wanted
    }

    /// The first name that no row has.
    pub(crate) fn unknown(&self) -> Option<&'a str> {
        let mut each = self.names.iter().zip(&self.met);
        each.find(|(_, met)| !**met).map(|(name, _)| name.as_str())
    }
}

/// A measurement beside another.
pub(crate) struct Line<'a> {
    pub model: &'a str,
    /// How it was explored.
    pub way: &'a str,
    pub states: String,
    /// Seconds, of the processors unless the way says otherwise.
    pub seconds: f64,
    pub bytes: Option<f64>,
    /// What it is compared with, and the seconds of that.
    pub beside: Option<(&'a str, f64)>,
    pub bars: Vec<Bar>,
}

/// Something promised, and whether it holds.
pub(crate) struct Bar {
    text: String,
    is_kept: bool,
}

impl Bar {
    pub(crate) fn new(text: impl Into<String>, is_kept: bool) -> Self {
        Self { text: text.into(), is_kept }
    }

    /// A bar that holds for what is counted.
    pub(crate) fn count(is_known: bool) -> Option<Self> {
        (!is_known).then(|| Self::new("the known count", false))
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    pub(crate) fn at_most(what: &str, most: f64, found: f64) -> Self {
        Self::new(format!("at most {most} {what}"), found <= most)
    }

    pub(crate) fn at_least(what: &str, least: f64, found: f64) -> Self {
        Self::new(format!("at least {least} {what}"), found >= least)
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.is_kept { Ok(()) } else { f.write_str(" MISSED") }
    }
}

/// Prints the headings.
pub(crate) fn print_head() {
    println!(
        "| {:<20} | {:<12} | {:>14} | {:>9} | {:>7} | {:<12} | {:>9} | {:>7} | bars",
        "model", "way", "states", "s", "B/state", "beside", "s", "times"
    );
    println!(
        "|:{:-<20}-|:{:-<12}-|-{:->14}:|-{:->9}:|-{:->7}:|:{:-<12}-|-{:->9}:|-{:->7}:|:----|",
        "", "", "", "", "", "", "", ""
    );
}

impl Line<'_> {
    /// Prints it, and says whether all bars are kept.
    pub(crate) fn print(&self) -> bool {
        let number = |it: Option<f64>, digits: usize| match it {
            Some(number) => format!("{number:.digits$}"),
            None => "–".to_owned(),
        };
        let (name, seconds) = self.beside.map_or(("–", None), |(name, it)| (name, Some(it)));
        let times = seconds.map(|seconds| seconds / self.seconds.max(f64::MIN_POSITIVE));
        let bars: Vec<String> = self.bars.iter().map(ToString::to_string).collect();
        println!(
            "| {:<20} | {:<12} | {:>14} | {:>9.3} | {:>7} | {:<12} | {:>9} | {:>7} | {} |",
            self.model,
            self.way,
            self.states,
            self.seconds,
            number(self.bytes, 1),
            name,
            number(seconds, 3),
            number(times, 2),
            if bars.is_empty() { "–".to_owned() } else { bars.join("; ") },
        );
        self.bars.iter().all(|bar| bar.is_kept)
    }
}
