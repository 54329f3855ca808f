//! The two implementations of the control interface, the record of the model's traffic, and a broken sensor.
#![allow(clippy::disallowed_methods)] // the device is made of files

use std::sync::{Arc, Mutex};

use expect_test::expect;
use quadrille_example_water::device::Device;
use quadrille_example_water::interface::{ControlInterface, SourceId, SourceLevel};
use quadrille_example_water::{Parameters, Variant, run_with, set_up};
use quadrille_joint::{Faults, Reaction};
use quadrille_simulation::ModelTime;

#[test]
fn the_device_reads_and_writes_its_pins() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = Device::new(folder.path().to_owned(), 2, 1);
    let unknown = device.source_level(SourceId(0));
    assert_eq!(
        unknown,
        SourceLevel { is_low: true, is_high: false },
        "a sensor that is gone is on the safe side"
    );
    assert!(device.tank_is_full() && !device.pump_is_on(SourceId(1)));
    for (pin, value) in
        [("source0_low", "0\n"), ("source0_high", "1\n"), ("tank_full", "0"), ("outlet", "2.5")]
    {
        std::fs::write(folder.path().join(pin), value).expect("a pin");
    }
    assert_eq!(device.source_level(SourceId(0)), SourceLevel { is_low: false, is_high: true });
    assert!(!device.tank_is_full() && (device.outlet_flow() - 2.5).abs() < 1e-9);
    device.switch_pump(SourceId(1), true);
    assert!(device.pump_is_on(SourceId(1)));
}

#[test]
fn the_traffic_of_the_model_is_recorded() {
    let text: Arc<Mutex<String>> = Arc::default();
    let inner = Arc::clone(&text);
    let report = run_with(1, 100, move |world| {
        let model = set_up(world, Variant::Correct, Parameters::default(), Reaction::Log);
        let inner = Arc::clone(&inner);
        world.start("clerk", move |p| {
            p.hold_until(ModelTime::from_secs(70));
            *inner.lock().expect("one at a time") = model.journal.to_string();
        });
    });
    assert!(report.failure.is_none());
    expect![[r#"
        0 s environment: outlet = 2.4052938943355504
        30.846603132 s environment: outlet = 3.940824245096039
        34 s environment: source 1 high = true
        34.227099776 s program: pump 1 = true
        35 s environment: source 1 high = false
        40 s environment: source 0 high = true
        40 s environment: source 2 high = true
        40.279250472 s program: pump 0 = true
        41 s environment: source 0 high = false
        42 s environment: source 3 high = true
        65 s environment: source 1 low = true
        65.430964054 s program: pump 1 = false
        65.446129943 s program: pump 2 = true
        68 s environment: source 1 low = false
        69 s environment: source 0 low = true
        69.492009047 s program: pump 0 = false
        69.506334095 s program: pump 3 = true
    "#]]
    .assert_eq(&text.lock().expect("the run is over"));
}

#[test]
fn a_stuck_sensor_of_the_tank_breaks_the_second_invariant() {
    let report = run_with(1, 2_000, |world| {
        let stuck = Some(ModelTime::from_secs(100)..ModelTime::NEVER);
        let tank_sensor_faults = Faults { stuck, ..Faults::default() };
        set_up(
            world,
            Variant::Correct,
            Parameters { tank_sensor_faults, ..Parameters::default() },
            Reaction::Log,
        );
    });
    let violated: Vec<&str> =
        report.found.violations.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(violated, ["2: a full tank stops all pumps"]);
}
