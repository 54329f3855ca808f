//! Folders of rows: tables that say what is expected of which protocol, session and formula. The build script reads them
//! to generate the modules, the tests to ask these.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A protocol of a file, with the values it is started with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Session {
    /// The file, relative to the folder.
    pub file: String,
    /// Which protocol of it; the usual one where this is empty.
    pub name: String,
    /// Arguments in order; `k=4` is a parameter of a `.quad` file.
    pub values: Vec<String>,
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}({})", self.file, self.name, self.values.join(", "))
    }
}

/// One line of a table: what it has in each column.
#[derive(Clone, Debug)]
pub struct Row(BTreeMap<String, String>);

impl Row {
    /// What it is about.
    pub fn session(&self) -> Session {
        Session {
            file: self.field("protocol").to_owned(),
            name: self.field("session").to_owned(),
            values: self.field("args").split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// What it has in a column; nothing where there is no such column.
    pub fn field(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }
}

/// The folder that `QUADRILLE_ROWS` names, from the root of the repository, or the shared one; and whether it was named.
pub fn folder() -> (PathBuf, bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var("QUADRILLE_ROWS") {
        Ok(named) => (root.join(named), true),
        Err(_) => (root.join("../shared/conformance/protocols"), false),
    }
}

/// The rows of a table: fields between tabs, the first line names the columns. None where there is no such file.
pub fn read(folder: &Path, table: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join(table)).unwrap_or_default();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').map(str::trim).collect();
    let row = |line: &str| {
        let values = line.split('\t').map(|value| value.trim().to_owned());
        Row(columns.iter().map(|&name| name.to_owned()).zip(values).collect())
    };
    lines.map(row).collect()
}
