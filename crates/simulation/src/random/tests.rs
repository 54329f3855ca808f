//! Moments of distributions, published numbers of the generator.

use super::*;

fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let n = 200_000;
    let values: Vec<f64> = (0..n).map(|_| draw()).collect();
    let mean = values.iter().sum::<f64>() / f64::from(n);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / f64::from(n);
    (mean, variance)
}

#[track_caller]
fn check_moments(name: &str, found: (f64, f64), expected: (f64, f64)) {
    let near =
        |found: f64, expected: f64| (found - expected).abs() <= 0.02 * expected.abs().max(1.0);
    assert!(
        near(found.0, expected.0) && near(found.1, expected.1),
        "{name}: {found:?}, expected {expected:?}"
    );
}

#[test]
fn distributions_have_their_means_and_variances() {
    let mut draws = Stream::new(7);
    check_moments("uniform", moments(|| draws.uniform(1.0, 4.0)), (2.5, 0.75));
    check_moments("exponential", moments(|| draws.exponential(2.0)), (0.5, 0.25));
    check_moments("normal", moments(|| draws.normal(3.0, 2.0)), (3.0, 4.0));
    check_moments("chance", moments(|| f64::from(u8::from(draws.chance(0.25)))), (0.25, 0.1875));
    check_moments("below", moments(|| draws.below(10) as f64), (4.5, 8.25));
    check_moments("weighted", moments(|| draws.weighted(&[1.0, 2.0, 1.0]) as f64), (1.0, 0.5));
}

#[test]
fn the_generator_gives_its_published_numbers() {
    // The reference implementation's output for the state 1, 2, 3, 4.
    let mut stream = Stream { state: [1, 2, 3, 4], spare: None };
    let first: Vec<u64> = (0..3).map(|_| stream.bits()).collect();
    assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223]);
}

#[test]
fn streams_repeat_and_purposes_differ() {
    let draw = |mut stream: Stream| (0..4).map(|_| stream.bits()).collect::<Vec<_>>();
    assert_eq!(draw(Stream::named(1, "inflow")), draw(Stream::named(1, "inflow")));
    assert_ne!(draw(Stream::named(1, "inflow")), draw(Stream::named(1, "demand")));
    assert_ne!(draw(Stream::named(1, "inflow")), draw(Stream::named(2, "inflow")));
}

#[test]
fn lengths_stay_within_their_limits() {
    let mut draws = Stream::new(3);
    let (least, most) = (Duration::from_nanos(5), Duration::from_nanos(7));
    let mut seen = [false; 3];
    for _ in 0..100 {
        let length = draws.uniform_time(least, most);
        assert!((least..=most).contains(&length));
        seen[usize::try_from(length.as_nanos()).expect("small") - 5] = true;
    }
    assert_eq!(seen, [true; 3]);
    assert_eq!(draws.uniform_time(most, least), most);
}
