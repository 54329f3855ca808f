//! Quantities read and shown.

use super::*;

#[test]
fn sizes() {
    assert_eq!(size("17"), Ok(17));
    assert_eq!(size("1.5 KiB"), Ok(1536));
    assert_eq!(size("2gb"), Ok(2 << 30));
    for wrong in ["", "0", "-1", "x", "1X", "1e3", "99..9"] {
        assert!(size(wrong).is_err(), "{wrong}");
    }
    let sizes = [17, 2048, 3 << 30].map(quadrille_report::show_size);
    assert_eq!(sizes, ["17 B", "2.0 KiB", "3.0 GiB"]);
}

#[test]
fn durations() {
    assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
    assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
    assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
    for wrong in ["", "0s", "1d", "99999999999999999999999h"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}
