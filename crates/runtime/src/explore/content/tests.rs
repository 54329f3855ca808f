//! Encodings of queue contents are injective.

use super::*;

fn round_trip(contents: &Contents, content: &[u32]) -> Value {
    let value = contents.encode(content).expect("it belongs there");
    let mut back = Vec::new();
    contents.decode(value, &mut back);
    assert_eq!(back, content);
    assert_eq!(contents.len(value), content.len());
    value
}

#[test]
fn digits_and_numbers_name_each_content_once() {
    for capacity in [Some(4), None] {
        let contents = Contents::new(vec![9, 3, 7, 3], capacity);
        let mut seen = std::collections::BTreeSet::new();
        let mut all: Vec<Vec<u32>> = vec![vec![]];
        for _ in 0..4 {
            for content in std::mem::take(&mut all) {
                assert!(seen.insert(round_trip(&contents, &content)));
                all.extend([3, 7, 9].map(|letter| [&content[..], &[letter]].concat()));
            }
        }
        assert_eq!(contents.encode(&[]), Some(0));
        assert_eq!(contents.encode(&[4]), None);
    }
}

#[test]
fn what_fits_is_packed() {
    let domain =
        |letters: u32, capacity| Contents::new((0..letters).collect(), Some(capacity)).domain();
    assert_eq!(domain(1, 1), Domain::Size(2));
    assert_eq!(domain(9, 9), Domain::Size(1_000_000_000));
    assert_eq!(domain(9, 10), Domain::Interned);
}
