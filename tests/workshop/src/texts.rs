//! Spoilt texts, for readers that must survive anything.

use crate::Choices;

/// A text with up to six changes: a stretch removed, replaced, copied elsewhere, or a piece inserted.
pub fn spoilt(choices: &mut Choices, sample: &str, pieces: &[&str]) -> String {
    let mut text = sample.to_owned();
    for _ in 0..=choices.below(6) {
        let at = text.floor_char_boundary(choices.below(text.len() + 1));
        let to = text.floor_char_boundary((at + choices.below(30)).min(text.len()));
        match choices.below(4) {
            0 => text.replace_range(at..to, ""),
            1 => text.insert_str(at, choices.pick(pieces)),
            2 => {
                let stretch = text[at..to].to_owned();
                let place = text.floor_char_boundary(choices.below(text.len() + 1));
                text.insert_str(place, &stretch);
            }
            _ => text.replace_range(at..to, choices.pick(pieces)),
        }
    }
    text
}

/// Up to `most` pieces in a row, now and then with a space between.
pub fn pieces(choices: &mut Choices, pieces: &[&str], most: usize) -> String {
    let mut text = String::new();
    for _ in 0..choices.below(most + 1) {
        text.push_str(choices.pick(pieces));
        if choices.once_in(3) {
            text.push(' ');
        }
    }
    text
}
