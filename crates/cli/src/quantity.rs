//! Quantities as people write them: sizes (`512M`), durations (`1.5s`); and as they read them.

use std::time::Duration;

/// Reads a size in bytes: a number, and `K`, `M`, `G` or `T` for powers of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix("ib").or(unit.strip_suffix('b')).unwrap_or(&unit);
    let factor = match unit {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024.0 * 1024.0,
        "g" => 1024.0 * 1024.0 * 1024.0,
        "t" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("write a number of bytes, such as 800M or 4G".to_owned()),
    };
    let bytes = positive(number)? * factor;
    Ok(bytes as u64)
}

/// Reads a duration: a number, and `ms`, `s`, `m` or `h`; seconds where there is no unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time, such as 500ms, 10s, 5m or 1h".to_owned()),
    };
    Duration::try_from_secs_f64(positive(number)? * factor)
        .map_err(|_| "the time is too long".to_owned())
}

/// A count with its noun, in the singular where there is one.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

fn positive(number: &str) -> Result<f64, String> {
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("write a number above zero".to_owned()),
    }
}

#[cfg(test)]
mod tests;
