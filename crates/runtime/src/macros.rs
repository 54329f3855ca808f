//! Macros that generated modules are made of: each declares one type with its calls. They are part of the contract
//! between the generator and the runtime, and not for programs.
//!
//! Generated text names what differs between modules; `Payload` and `Role` are always the module's own. Every item
//! allows dead code: a program need not use every role, call and state of a protocol.

mod handles;
mod states;
mod tables;

/// Declares `Role` with a variant per role or family, the constants in `roles`, and conversions between the two.
#[doc(hidden)]
#[macro_export]
macro_rules! roles {
    (
        $({ $variant:ident $(($($index:ident: $number:ty),+))? $shown:literal })+
        $([ $id:literal $constant:ident $of:ident $(($($at:literal),+))? ])+
    ) => {
        /// A role of the protocol.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(dead_code)]
        pub enum Role {
            $(#[doc = ::std::concat!(" `", $shown, "`.")] $variant $(($($number),+))?),+
        }

        #[allow(dead_code)]
        impl Role {
            /// Its number; one that no role has, for an index that the family does not have.
            #[must_use]
            pub const fn id(self) -> $crate::plan::RoleId {
                #[allow(unreachable_patterns)]
                match self {
                    $(Self::$of $(($($at),+))? => roles::$constant,)+
                    _ => $crate::plan::RoleId(u16::MAX),
                }
            }

            fn of(id: $crate::plan::RoleId) -> Self {
                const ROLES: &[Role] = &[$(Role::$of $(($($at),+))?),+];
                ROLES[id.index()]
            }
        }

        impl ::std::fmt::Display for Role {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match *self {
                    $(Self::$variant $(($($index),+))? => ::std::write!(f, $shown)),+
                }
            }
        }

        /// The roles by number.
        #[allow(dead_code)]
        mod roles {
            $(pub(super) const $constant: $crate::plan::RoleId = $crate::plan::RoleId($id);)+
        }
    };
}

/// The same where families have any number of members: the number of a member is that of the first, and so many times
/// the step to the next.
#[doc(hidden)]
#[macro_export]
macro_rules! families {
    (
        $({ $single:ident $shown:literal = $id:literal $constant:ident })*
        $([ $family:ident from $lowest:literal $family_shown:literal = $first:literal + $step:literal ])*
        $(( $member_id:literal $member:ident ))*
    ) => {
        /// A role of the protocol.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(dead_code)]
        pub enum Role {
            $(#[doc = ::std::concat!(" `", $shown, "`.")] $single,)*
            $(#[doc = ::std::concat!(" `", $family_shown, "`.")] $family(usize),)*
        }

        #[allow(dead_code)]
        impl Role {
            /// Its number; one that no role has, for an index that no member can have.
            #[must_use]
            pub const fn id(self) -> $crate::plan::RoleId {
                match self {
                    $(Self::$single => $crate::plan::RoleId($id),)*
                    $(Self::$family(index) => $crate::scheme::member_id(index, $lowest, $first, $step),)*
                }
            }

            fn of(id: $crate::plan::RoleId) -> Self {
                $(if id.0 == $id { return Self::$single; })*
                $(if let Some(index) = $crate::scheme::member_index(id, $lowest, $first, $step) {
                    return Self::$family(index);
                })*
                $crate::unexpected_member()
            }
        }

        impl ::std::fmt::Display for Role {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match *self {
                    $(Self::$single => ::std::write!(f, $shown),)*
                    $(Self::$family(index) => ::std::write!(f, "{}[{index}]", $family_shown),)*
                }
            }
        }

        /// Roles by number.
        #[allow(dead_code)]
        mod roles {
            $(pub(super) const $constant: $crate::plan::RoleId = $crate::plan::RoleId($id);)*
            $(pub(super) const $member: $crate::plan::RoleId = $crate::plan::RoleId($member_id);)*
        }
    };
}

/// Declares the constants in `labels`: the messages that the protocol distinguishes, and the local steps.
#[doc(hidden)]
#[macro_export]
macro_rules! labels {
    ($([ $id:literal $constant:ident $name:literal ])*) => {
        /// What the protocol distinguishes: messages with their content, and local steps.
        #[allow(dead_code)]
        mod labels {
            $(pub(super) const $constant: $crate::plan::LabelId = $crate::plan::LabelId($id);)*

            pub(super) const NAMES: &[::std::borrow::Cow<'static, str>] =
                &[$(::std::borrow::Cow::Borrowed($name)),*];
        }
    };
}

/// Declares the messages without fields.
#[doc(hidden)]
#[macro_export]
macro_rules! messages {
    ($({ $(#[$meta:meta])* $name:ident $text:literal })*) => {$(
        #[doc = ::std::concat!(" The message `", $text, "`.")]
        #[allow(dead_code)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        $(#[$meta])*
        pub struct $name;
    )*};
}

/// Declares `Payload`, the sum of all messages, with a function per message that extracts it.
#[doc(hidden)]
#[macro_export]
macro_rules! payload {
    ($(#[$meta:meta])* $({ $variant:ident($message:ty) $into:ident })*) => {
        /// Any message of the protocol.
        $(#[$meta])*
        #[allow(dead_code)]
        pub enum Payload {
            $(#[doc = ::std::concat!(" `", ::std::stringify!($variant), "`.")] $variant($message)),*
        }

        #[allow(dead_code, non_snake_case)]
        impl Payload {
            $(fn $into(self) -> $message {
                #[allow(unreachable_patterns)]
                match self {
                    Self::$variant(message) => message,
                    _ => $crate::unexpected_message(),
                }
            })*
        }
    };
}

/// Declares the enumeration of what a role sends.
#[doc(hidden)]
#[macro_export]
macro_rules! sent {
    ($(#[$meta:meta])* pub enum $name:ident; $({ $variant:ident($message:ty) $($from:ident)? })*) => {
        $(#[$meta])*
        #[allow(dead_code)]
        pub enum $name {
            $(#[doc = ::std::concat!(" `", ::std::stringify!($variant), "`.")] $variant($message)),*
        }

        #[allow(dead_code)]
        impl $name {
            fn pack(message: impl $crate::SentAs<Self>) -> Payload {
                match $crate::SentAs::into_sent(message) { $(Self::$variant(message) => Payload::$variant(message)),* }
            }
        }

        impl $crate::SentAs<$name> for $name {
            fn into_sent(self) -> $name { self }
        }

        $($(impl ::std::convert::$from<$message> for $name {
            fn from(message: $message) -> Self { Self::$variant(message) }
        }

        impl $crate::SentAs<$name> for $message {
            fn into_sent(self) -> $name { ::std::convert::$from::from(self) }
        })?)*
    };
}

/// Declares the enumeration of what a role receives.
#[doc(hidden)]
#[macro_export]
macro_rules! received {
    ($(#[$meta:meta])* pub enum $name:ident; $({ $variant:ident($message:ty) })*) => {
        $(#[$meta])*
        #[allow(dead_code)]
        pub enum $name {
            $(#[doc = ::std::concat!(" `", ::std::stringify!($variant), "`.")] $variant($message)),*
        }

        #[allow(dead_code)]
        impl $name {
            fn unpack(payload: Payload) -> Self {
                #[allow(unreachable_patterns)]
                match payload {
                    $(Payload::$variant(message) => Self::$variant(message),)*
                    _ => $crate::unexpected_message(),
                }
            }
        }
    };
}
