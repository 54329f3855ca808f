//! The macro that generated tables are written with. Part of the contract between the generator and the runtime, and not
//! for programs.

/// Declares the plan of a protocol. States list their steps, by number: in `strict` an act and the next state; in `locals`,
/// for each role, an act, the packet that travels, if any, and the next state.
#[doc(hidden)]
#[macro_export]
macro_rules! plan {
    (
        $visible:vis static $name:ident = $protocol:literal;
        roles { $($role:literal)* }
        acts { $([$kind:ident $from:ident ($($to:ident)*) $($label:ident)? $text:literal])* }
        strict { $([$($act:literal $next:literal),* $(; $strict_end:ident)?])* }
        locals { $({ $([$($own:literal $packet:tt $then:literal),* $(; $local_end:ident)?])* })* }
        packets { $([$sent:literal $variant:literal])* }
        queues { $([$producer:tt $consumer:ident $capacity:literal $($waits:ident)?])* }
    ) => {
        $visible static $name: $crate::plan::Plan = {
            use ::std::borrow::Cow;
            use $crate::plan;

            const ROLES: &[Cow<'static, str>] = &[$(Cow::Borrowed($role)),*];
            const ACTS: &[plan::Act] = &[$(plan::Act::of(
                plan::Kind::$kind, roles::$from, &[$(roles::$to),*], $crate::optional!($(labels::$label)?), $text,
            )),*];
            const STRICT: &[plan::GlobalState] = &[$(plan::GlobalState::of(
                &[$((plan::ActId($act), plan::GlobalId($next))),*], $crate::is_there!($($strict_end)?),
            )),*];
            const LOCALS: &[plan::LocalAutomaton] = &[$(plan::LocalAutomaton::of({
                const STATES: &[plan::LocalState] = &[$(plan::LocalState::of(
                    &[$(plan::Edge {
                        act: plan::ActId($own),
                        packet: $crate::packet!($packet),
                        to: plan::LocalId($then),
                    }),*],
                    $crate::is_there!($($local_end)?),
                )),*];
                STATES
            })),*];
            const PACKETS: &[plan::Packet] =
                &[$(plan::Packet { act: plan::ActId($sent), variant: $variant }),*];
            const QUEUES: &[plan::Queue] = &[$(plan::Queue {
                from: $crate::producer!($producer),
                to: roles::$consumer,
                capacity: $capacity,
                suffices: !$crate::is_there!($($waits)?),
            }),*];

            plan::Plan {
                protocol: Cow::Borrowed($protocol),
                roles: Cow::Borrowed(ROLES),
                labels: Cow::Borrowed(labels::NAMES),
                acts: Cow::Borrowed(ACTS),
                strict: Cow::Borrowed(STRICT),
                locals: Cow::Borrowed(LOCALS),
                packets: Cow::Borrowed(PACKETS),
                queues: Cow::Borrowed(QUEUES),
            }
        };
    };
}

/// Something that may be left out.
#[doc(hidden)]
#[macro_export]
macro_rules! optional {
    () => {
        ::std::option::Option::None
    };
    ($value:path) => {
        ::std::option::Option::Some($value)
    };
}

/// Whether a word is there.
#[doc(hidden)]
#[macro_export]
macro_rules! is_there {
    () => {
        false
    };
    ($word:ident) => {
        true
    };
}

/// A packet, or none.
#[doc(hidden)]
#[macro_export]
macro_rules! packet {
    (_) => {
        ::std::option::Option::None
    };
    ($number:literal) => {
        ::std::option::Option::Some($crate::plan::PacketId($number))
    };
}

/// The producer of a queue; none where all roles are.
#[doc(hidden)]
#[macro_export]
macro_rules! producer {
    (_) => {
        ::std::option::Option::None
    };
    ($role:ident) => {
        ::std::option::Option::Some(roles::$role)
    };
}
