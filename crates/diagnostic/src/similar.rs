//! Near misses: which known names a mistyped one may have meant.

/// Most names suggested at once.
const MOST: usize = 3;

/// The known names most like `name`, best first; only those that a typing mistake explains.
///
/// ```
/// let known = ["take_left", "take_right", "put"];
/// assert_eq!(quadrille_diagnostic::similar("take_lfet", known), ["take_left"]);
/// assert!(quadrille_diagnostic::similar("sleep", known).is_empty());
/// ```
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let typed: Vec<char> = name.to_lowercase().chars().collect();
    // Every two letters are one mistake apart: that explains nothing.
    let most = if typed.len() < 2 { 0 } else { (typed.len() / 3).max(1) };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        if letters.len().abs_diff(typed.len()) > most {
            continue;
        }
        let distance = distance(&typed, &letters);
        if distance <= most && !found.contains(&(distance, candidate)) {
            found.push((distance, candidate));
        }
    }
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(MOST).map(|(_, candidate)| candidate).collect()
}

/// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut older: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for row in 1..=a.len() {
        let mut here = vec![row];
        for column in 1..=b.len() {
            let differs = usize::from(a[row - 1] != b[column - 1]);
            let mut least =
                (above[column - 1] + differs).min(above[column] + 1).min(here[column - 1] + 1);
            let swapped =
                row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1];
            if swapped {
                least = least.min(older[column - 2] + 1);
            }
            here.push(least);
        }
        older = std::mem::replace(&mut above, here);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests;
