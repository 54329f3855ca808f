//! What the system tells.

use super::*;

#[test]
#[cfg(target_os = "linux")]
fn the_system_tells_how_much_memory_there_is() {
    let world = World::new(true);
    let (held, left) = (world.memory_held(), world.memory_left());
    assert!(held.is_some_and(|bytes| bytes > 100 << 10), "{held:?}");
    assert!(left.is_some_and(|bytes| bytes > 1 << 20), "{left:?}");
    assert_eq!(kilobytes("/proc/self/status", "NoSuchName:"), None);
}
