//! Spoilt texts, for readers that must survive anything.

use crate::Choices;

/// A text with up to six changes: a stretch removed, replaced, copied elsewhere, or a piece or any
/// character inserted.
pub fn spoilt(choices: &mut Choices, sample: &str, pieces: &[&str]) -> String {
    let mut text = sample.to_owned();
    for _ in 0..=choices.below(6) {
        let at = text.floor_char_boundary(choices.below(text.len() + 1));
        let to = text.floor_char_boundary((at + choices.below(80)).min(text.len()));
        match choices.below(5) {
            0 => text.replace_range(at..to, ""),
            1 => text.insert_str(at, choices.pick(pieces)),
            2 => {
                let stretch = text[at..to].to_owned();
                let place = text.floor_char_boundary(choices.below(text.len() + 1));
                text.insert_str(place, &stretch);
            }
            3 => text.replace_range(at..to, choices.pick(pieces)),
            _ => text.insert(at, char::from(choices.below(256) as u8)),
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

/// Up to `most` bytes of any value, as far as they are text.
pub fn bytes(choices: &mut Choices, most: usize) -> String {
    let bytes = choices.list(0, most, |choices| choices.below(256) as u8);
    String::from_utf8_lossy(&bytes).into_owned()
}
