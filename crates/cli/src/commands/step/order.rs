//! The commands of a walk, from lines of text. Knows no model.

use std::path::PathBuf;

use crate::arguments::StepView;

/// What a line asks for.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// A comment.
    Nothing,
    Help,
    Quit,
    /// What can happen next, or what of it contains a text.
    List(Option<String>),
    /// A step by its number.
    Number(usize),
    /// A step by its name.
    Take(String),
    Undo(usize),
    Restart,
    /// The initial states.
    Starts,
    /// Another initial state.
    Start(usize),
    Random(usize),
    State,
    Changes,
    Trace,
    Show(StepView),
    Goto(String),
    Save(PathBuf),
}

/// The words that commands begin with.
pub(super) const WORDS: [&str; 14] = [
    "list", "take", "undo", "restart", "start", "random", "state", "changes", "trace", "show",
    "goto", "save", "help", "quit",
];

/// The command of a line, or what is wrong with it. Whatever is no command is the name of a step.
pub(super) fn parse(line: &str) -> Result<Order, String> {
    let line = line.trim();
    let (word, rest) = match line.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (line, ""),
    };
    let alone = |order: Order| match rest {
        "" => Ok(order),
        _ => Err(format!("`{word}` stands alone, `{rest}` is too much")),
    };
    let number = || match rest {
        "" => Ok(1),
        _ => rest.parse().map_err(|_| format!("`{word}` takes a number, `{rest}` is none")),
    };
    match word {
        "" => Ok(Order::List(None)),
        _ if word.starts_with('#') => Ok(Order::Nothing),
        "help" | "?" => alone(Order::Help),
        "quit" | "exit" | "q" => alone(Order::Quit),
        "list" | "l" => Ok(Order::List((!rest.is_empty()).then(|| rest.to_owned()))),
        "take" if rest.is_empty() => Err("take what? `list` shows the steps".to_owned()),
        "take" => Ok(Order::Take(rest.to_owned())),
        "undo" | "u" => number().map(Order::Undo),
        "restart" => alone(Order::Restart),
        "start" if rest.is_empty() => Ok(Order::Starts),
        "start" => number().map(Order::Start),
        "random" | "r" => number().map(Order::Random),
        "state" | "s" => alone(Order::State),
        "changes" | "c" => alone(Order::Changes),
        "trace" | "t" => alone(Order::Trace),
        "show" => match rest {
            "state" => Ok(Order::Show(StepView::State)),
            "changes" => Ok(Order::Show(StepView::Changes)),
            _ => Err("write `show state` or `show changes`".to_owned()),
        },
        "goto" | "g" => Ok(Order::Goto(rest.to_owned())),
        "save" if rest.is_empty() => {
            Err("save where? The name says how: trace.json, trace.txt, trace.svg".to_owned())
        }
        "save" => Ok(Order::Save(PathBuf::from(rest))),
        _ if rest.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) => {
            word.parse().map(Order::Number).map_err(|_| format!("there is no step {word}"))
        }
        _ => Ok(Order::Take(line.to_owned())),
    }
}
