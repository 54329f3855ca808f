//! Manual pages: one per command, from the same arguments as the help.

use crate::folder::Folder;

#[test]
fn every_command_has_a_manual_page_with_groups_and_examples() {
    let folder = Folder::new([]);
    let output = folder.run(&["man", "share/man1"]);
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8_lossy(&folder.run(&["help"]).stdout).into_owned();
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("an end of the list");
    let commands = commands.lines().filter(|line| !line.starts_with("    "));
    let commands: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|it| *it != "help")
        .collect();
    assert!(commands.len() > 18, "{commands:?}");
    for command in &commands {
        let page = folder.read(&format!("share/man1/quadrille-{command}.1"));
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES"] {
            assert!(page.contains(section), "quadrille-{command}: no {section}");
        }
    }
    let check = folder.read("share/man1/quadrille-check.1");
    for group in [".SH FORMULAS", ".SH BOUNDS", ".SH OUTPUT"] {
        assert!(check.contains(group), "no {group}");
    }
    let whole = folder.read("share/man1/quadrille.1");
    assert!(
        whole.contains("quadrille\\-check(1)") && whole.contains(".SH \"EXIT STATUS\""),
        "{whole}"
    );
    assert_eq!(String::from_utf8_lossy(&folder.run(&["man"]).stdout), whole);
}
