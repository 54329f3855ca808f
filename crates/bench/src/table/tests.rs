//! Columns of printed tables.

use super::*;

#[test]
fn columns_line_up() {
    let mut table = Table::new(&["model", "n"]);
    table.push(vec!["phil".to_owned(), grouped(1_234_567)]);
    let expected = "\
| model |         n |
|-------|----------:|
| phil  | 1,234,567 |
";
    assert_eq!(table.to_string(), expected);
    assert_eq!([grouped(0), grouped(999), grouped(1000)], ["0", "999", "1,000"]);
}
