//! README and `docs/` as tests: every block of a page that a reader could try is tried, one test per
//! block, in a fresh folder that holds the repository's examples.
//!
//! | block | what is tested |
//! |---|---|
//! | `quad` | `quadrille test` passes: all properties come out as the text says |
//! | `net`, `aut`, `dcj`, `bp` | the command reads it: `quadrille states` does not end with 2 |
//! | `console` | every `$ quadrille …` prints what stands below it |
//! | `sh` | every line that begins with `quadrille` runs, and does not end with 2 |
//!
//! A block after a line that consists of a file name in backquotes and a colon is that file, also for
//! the `console` blocks below it on the page. `console` output ends in `…` where a page leaves the rest
//! out. Set `UPDATE_EXPECT=1` to write what the commands print into the pages.
#![allow(clippy::disallowed_methods)] // runs the command on the manuals

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    /// The line of the opening fence, from 1.
    line: usize,
    /// The file that the page says it is.
    file: Option<String>,
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut trials = Vec::new();
    for page in pages(&root) {
        let text = fs::read_to_string(root.join(&page)).expect("a page");
        let blocks = blocks(&text);
        let files: Vec<(String, String)> = blocks
            .iter()
            .filter_map(|block| Some((block.file.clone()?, block.text.clone())))
            .collect();
        for block in blocks {
            if !is_tried(&block) {
                continue;
            }
            let name = format!("{}:{}", page.display(), block.line);
            let (root, files, page) = (root.clone(), files.clone(), page.clone());
            trials.push(Trial::test(name, move || tried(&root, &page, &files, &block)));
        }
    }
    assert!(trials.len() > 30, "only {} blocks were found", trials.len());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The pages, in order.
fn pages(root: &Path) -> Vec<PathBuf> {
    let docs = fs::read_dir(root.join("docs")).expect("docs/");
    let mut pages: Vec<PathBuf> = docs
        .map(|entry| Path::new("docs").join(entry.expect("a page").file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(PathBuf::from("README.md"));
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut inside, mut file) = (false, None);
    for (number, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                let (language, line) = (language.trim().to_owned(), number + 1);
                blocks.push(Block { language, text: String::new(), line, file: file.take() });
            }
        } else if let (true, Some(block)) = (inside, blocks.last_mut()) {
            block.text.push_str(line);
            block.text.push('\n');
        } else if !line.is_empty() {
            let named = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
            file = named.filter(|name| !name.contains('`')).map(str::to_owned);
        }
    }
    blocks
}

fn is_tried(block: &Block) -> bool {
    match block.language.as_str() {
        "quad" | "net" | "aut" | "dcj" | "bp" => true,
        "console" => block.text.contains("$ quadrille "),
        "sh" => block.text.lines().any(|line| line.starts_with("quadrille ")),
        _ => false,
    }
}

fn tried(
    root: &Path,
    page: &Path,
    files: &[(String, String)],
    block: &Block,
) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let here = folder.path();
    #[cfg(unix)]
    std::os::unix::fs::symlink(fs::canonicalize(root.join("examples"))?, here.join("examples"))?;
    for (name, text) in files {
        let path = here.join(name);
        fs::create_dir_all(path.parent().unwrap_or(here))?;
        fs::write(path, text)?;
    }
    match block.language.as_str() {
        "console" => shows_real_output(root, page, here, block),
        "sh" => block
            .text
            .lines()
            .filter_map(|line| line.split("   #").next()?.strip_prefix("quadrille "))
            .try_for_each(|line| runs(here, &words(line), &[0, 1, 3])),
        language => {
            let name = block.file.clone().unwrap_or_else(|| format!("block.{language}"));
            fs::write(here.join(&name), &block.text)?;
            if language == "quad" && block.text.contains("property") {
                runs(here, &["test".to_owned(), name], &[0])
            } else {
                runs(here, &["states".to_owned(), name], &[0, 1, 3])
            }
        }
    }
}

/// Runs the command and compares how it ends.
fn runs(here: &Path, words: &[String], codes: &[i32]) -> Result<(), Failed> {
    let output = run(here, words)?;
    let code = output.status.code().unwrap_or(-1);
    if codes.contains(&code) {
        return Ok(());
    }
    Err(format!("quadrille {}: exit code {code}\n{}", words.join(" "), printed(&output)).into())
}

/// Whether each command of a console block prints what stands below it.
fn shows_real_output(root: &Path, page: &Path, here: &Path, block: &Block) -> Result<(), Failed> {
    let mut real = String::new();
    for session in block.text.split("$ ").skip(1) {
        let (command, expected) = session.split_once('\n').unwrap_or((session, ""));
        real += &format!("$ {command}\n");
        let Some(line) = command.strip_prefix("quadrille ") else {
            real += expected;
            continue;
        };
        let printed = printed(&run(here, &words(line))?);
        match expected.trim_end().strip_suffix('…') {
            Some(start) if printed.starts_with(start) => real += expected,
            _ => {
                real += printed.trim_end();
                real += "\n";
                real += &expected[expected.trim_end().len()..].replacen('\n', "", 1);
            }
        }
    }
    if real.trim_end() == block.text.trim_end() {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let path = root.join(page);
        let text = fs::read_to_string(&path)?;
        fs::write(path, text.replacen(block.text.trim_end(), real.trim_end(), 1))?;
        return Ok(());
    }
    let advice = "UPDATE_EXPECT=1 writes what is printed into the page";
    Err(format!("the page says\n{}\nthe command prints\n{real}\n{advice}", block.text).into())
}

fn run(here: &Path, words: &[String]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(words).current_dir(here).env_clear();
    command.output().map_err(|error| error.to_string().into())
}

/// What a command wrote, as a terminal shows it.
fn printed(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{err}{out}")
}

/// The words of a line of a shell, with single and double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in line.trim().chars() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
