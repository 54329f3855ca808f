//! Arithmetic and text of model time.

use super::*;

#[test]
fn time_is_told_in_seconds() {
    assert_eq!(ModelTime::from_nanos(1_028_000_000).to_string(), "1.028 s");
    assert_eq!(ModelTime::from_secs(20_000).to_string(), "20000 s");
    assert_eq!(format!("{:>8}", ModelTime::ZERO), "     0 s");
    assert_eq!(ModelTime::NEVER.to_string(), "never");
}

#[test]
fn sums_stop_at_never_and_differences_at_zero() {
    let late = ModelTime::from_nanos(u64::MAX - 1);
    assert_eq!(late + Duration::MAX, ModelTime::NEVER);
    assert_eq!(ModelTime::ZERO - late, Duration::ZERO);
    assert_eq!(
        (ModelTime::ZERO + Duration::from_millis(3)).since_start(),
        Duration::from_millis(3)
    );
}
