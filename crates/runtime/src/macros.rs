//! Macros that generated modules are made of: each declares one type with its calls. They are part of the contract
//! between the generator and the runtime, and not for programs.
//!
//! Generated text names what differs between modules; `Payload` and `Role` are always the module's own. Every item
//! allows dead code: a program need not use every role, call and state of a protocol.

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

/// Declares the handle of a role, with the calls that the role needs.
#[doc(hidden)]
#[macro_export]
macro_rules! handle {
    ($(#[$meta:meta])* pub struct $name:ident; $({ $($call:tt)* })*) => {
        $(#[$meta])*
        #[allow(dead_code)]
        pub struct $name($crate::Role<Payload>);

        #[allow(dead_code)]
        impl $name {
            /// Which role it is.
            #[must_use]
            pub fn role(&self) -> Role { Role::of(self.0.id()) }

            /// Whether the protocol may end here, as far as this role can tell.
            #[must_use]
            pub fn may_end(&self) -> bool { self.0.may_end() }

            /// Sets the time-out of blocking calls. Futures have none: drop them instead.
            pub fn set_timeout(&mut self, timeout: ::std::option::Option<::std::time::Duration>) {
                self.0.set_timeout(timeout);
            }

            /// Ends the role.
            ///
            /// # Errors
            /// If the protocol does not allow the role to end in the current state; its peers are told.
            pub fn finish(self) -> ::std::result::Result<(), $crate::Error> { self.0.finish() }

            /// The role without its type.
            #[must_use]
            pub fn into_untyped(self) -> $crate::Role<Payload> { self.0 }
        }

        $($crate::handle_call! { $name; $($call)* })*
    };
}

/// A group of calls of a handle.
#[doc(hidden)]
#[macro_export]
macro_rules! handle_call {
    ($name:ident; role $pattern:pat) => {
        #[allow(dead_code)]
        impl $name {
            /// Types a role, such as one that is connected to other processes; `None` if it is another role.
            #[must_use]
            pub fn from_untyped(role: $crate::Role<Payload>) -> ::std::option::Option<Self> {
                ::std::matches!(Role::of(role.id()), $pattern).then(|| Self(role))
            }
        }
    };
    ($name:ident; index $pattern:pat => $index:expr, $number:ty) => {
        #[allow(dead_code)]
        impl $name {
            /// The index of this member of the family.
            #[must_use]
            pub fn index(&self) -> $number {
                #[allow(unreachable_patterns)]
                match self.role() {
                    $pattern => $index,
                    _ => $crate::unexpected_member(),
                }
            }
        }
    };
    ($name:ident; sends $message:ty => $pack:path) => {
        $crate::handle_pair! {
            $name, "Sends a message. Where several roles may receive it, the policy of the module chooses one.",
            send send_async(message: $message) -> (),
            send send_async($pack(message), ::std::option::Option::None), |()| ()
        }
        $crate::handle_pair! {
            $name, "Sends a message to a role.", send_to send_to_async(to: Role, message: $message) -> (),
            send send_async($pack(message), ::std::option::Option::Some(to.id())), |()| ()
        }
    };
    ($name:ident; receives $message:ty => $unpack:path) => {
        $crate::handle_pair! {
            $name, "Receives the next message.", recv recv_async() -> $message,
            recv recv_async(::std::option::Option::None),
            |received: $crate::Received<Payload>| $unpack(received.payload)
        }
        $crate::handle_pair! {
            $name, "Receives the next message of a role.", recv_from recv_from_async(from: Role) -> $message,
            recv recv_async(::std::option::Option::Some(from.id())),
            |received: $crate::Received<Payload>| $unpack(received.payload)
        }
        $crate::handle_pair! {
            $name, "Receives the next message, with its sender.",
            recv_with_sender recv_with_sender_async() -> (Role, $message),
            recv recv_async(::std::option::Option::None),
            |received: $crate::Received<Payload>| (Role::of(received.from), $unpack(received.payload))
        }
    };
    ($name:ident; closes) => {
        $crate::handle_pair! {
            $name, "Closes the channel to a role.", close close_async(to: Role) -> (),
            close close_async(to.id()), |()| ()
        }
    };
    ($name:ident; does $label:path, $call:ident $call_async:ident) => {
        $crate::handle_pair! {
            $name, "Performs this local step.", $call $call_async() -> (),
            local_step local_step_async($label), |()| ()
        }
    };
    ($name:ident; typed $start:path) => {
        #[allow(dead_code)]
        impl $name {
            /// The role with a type for each state. It must not have performed any action yet.
            pub fn typed(self) -> $start { $start(self.0) }
        }
    };
    ($name:ident; typed $typed:path { $($pattern:pat => $variant:path, $start:path;)* }) => {
        #[allow(dead_code)]
        impl $name {
            /// The role with a type for each state. It must not have performed any action yet.
            pub fn typed(self) -> $typed {
                match self.role() {
                    $($pattern => $variant($start(self.0)),)*
                    _ => $crate::unexpected_member(),
                }
            }
        }
    };
    ($name:ident; connect $role:expr $(, $index:ident: $number:ty)*) => {
        #[allow(dead_code)]
        impl $name {
            /// Plays the role in this process and connects it to the processes that run the others. Each role must run
            /// in exactly one of them.
            ///
            /// # Errors
            /// If the module is strict, or the peers do not run all other roles of the same protocol.
            pub fn connect(
                module: Module,
                $($index: $number,)*
                peers: impl ::std::iter::IntoIterator<Item = impl ::std::convert::Into<$crate::tcp::Peer>>,
            ) -> ::std::result::Result<(Self, $crate::tcp::Connections), $crate::tcp::ConnectError> {
                let (role, connections) = module.into_untyped().connect_as($role.id(), peers)?;
                ::std::result::Result::Ok((Self(role), connections))
            }
        }
        $crate::handle_connects_async! { $name; $role $(, $index: $number)* }
    };
}

/// The call of a handle that connects it, for tasks.
#[cfg(feature = "tokio")]
#[doc(hidden)]
#[macro_export]
macro_rules! handle_connects_async {
    ($name:ident; $role:expr $(, $index:ident: $number:ty)*) => {
        #[allow(dead_code)]
        impl $name {
            /// The same for tasks of tokio, which run the connections.
            ///
            /// # Errors
            /// If the module is strict, or the peers do not run all other roles of the same protocol.
            pub async fn connect_async(
                module: Module,
                $($index: $number,)*
                peers: impl ::std::iter::IntoIterator<Item = $crate::tcp::AsyncPeer>,
            ) -> ::std::result::Result<(Self, $crate::tcp::AsyncConnections), $crate::tcp::ConnectError> {
                let module = module.into_untyped();
                let (role, connections) = module.connect_async_as($role.id(), peers).await?;
                ::std::result::Result::Ok((Self(role), connections))
            }
        }
    };
}

/// The call of a handle that connects it, for tasks: none without the feature `tokio`.
#[cfg(not(feature = "tokio"))]
#[doc(hidden)]
#[macro_export]
macro_rules! handle_connects_async {
    ($($anything:tt)*) => {};
}

/// A call of a handle, blocking and as a future.
#[doc(hidden)]
#[macro_export]
macro_rules! handle_pair {
    (
        $name:ident, $doc:literal, $call:ident $call_async:ident($($argument:ident: $type:ty),*) -> $result:ty,
        $request:ident $request_async:ident($($value:expr),*), $finish:expr
    ) => {
        #[allow(dead_code)]
        impl $name {
            #[doc = ::std::concat!(" ", $doc)]
            ///
            /// # Errors
            /// If the protocol does not allow this action in the current state, a peer has left, or the time-out expires.
            #[inline]
            pub fn $call(&mut self $(, $argument: $type)*) -> ::std::result::Result<$result, $crate::Error> {
                self.0.$request($($value),*).map($finish)
            }

            #[doc = ::std::concat!(" ", $doc, " As a future.")]
            ///
            /// # Errors
            /// If the protocol does not allow this action in the current state, or a peer has left.
            pub async fn $call_async(
                &mut self $(, $argument: $type)*
            ) -> ::std::result::Result<$result, $crate::Error> {
                self.0.$request_async($($value),*).await.map($finish)
            }
        }
    };
}

/// Declares the types of the states of a role, each with what is possible in it.
#[doc(hidden)]
#[macro_export]
macro_rules! states {
    ($visible:vis of $role:literal; $([ $name:ident $({ $($call:tt)* })* ])*) => {
        $($crate::state! {
            #[doc = ::std::concat!(" The state `", ::std::stringify!($name), "` of `", $role, "`.")]
            pub struct $name($visible);
            $({ $($call)* })*
        })*
    };
}

/// Declares the type of one state of a role. Each call consumes the state and returns the next.
#[doc(hidden)]
#[macro_export]
macro_rules! state {
    ($(#[$meta:meta])* pub struct $name:ident($visible:vis); $({ $($call:tt)* })*) => {
        $(#[$meta])*
        #[must_use = "the protocol is not over"]
        #[allow(dead_code)]
        pub struct $name($visible $crate::Role<Payload>);

        #[allow(dead_code)]
        impl $name {
            /// Sets the time-out of blocking calls from here on. Futures have none: drop them instead.
            pub fn set_timeout(&mut self, timeout: ::std::option::Option<::std::time::Duration>) {
                self.0.set_timeout(timeout);
            }
        }

        $($crate::state_call! { $name; $($call)* })*
    };
}

/// A call of a typed state.
#[doc(hidden)]
#[macro_export]
macro_rules! state_call {
    ($name:ident; send $message:ty => $pack:path, $to:expr, $next:ident, $call:ident $call_async:ident) => {
        $crate::state_pair! {
            $name, "Sends a message", $call $call_async(message: $message) -> $next, {}
            send send_async($pack(message), $to), |role, ()| $next(role)
        }
    };
    (
        $name:ident; branch $sent:ident { $($state:ident),+ } $message:ty => $pack:path, $to:expr,
        [$($label:pat => $next:ident,)*], $call:ident $call_async:ident
    ) => {
        /// The next state, by the content of the message that was sent.
        #[must_use = "the protocol is not over"]
        #[allow(dead_code)]
        pub enum $sent {
            $(#[doc = ::std::concat!(" [`", ::std::stringify!($state), "`].")] $state($state)),+
        }

        $crate::state_pair! {
            $name, "Sends a message", $call $call_async(message: $message) -> $sent,
            { let payload = $pack(message); let label = $crate::Payload::label(&payload); }
            send send_async(payload, $to),
            |role, ()| match label { $($label => $sent::$next($next(role)),)* }
        }
    };
    ($name:ident; recv $message:ty => $unpack:path, $next:ident $(, $sender:ident)?) => {
        $crate::state_pair! {
            $name, "Receives a message", recv recv_async() -> ($($sender,)? $message, $next), {}
            recv recv_async(::std::option::Option::None), |role, received| {
                ($($sender::of(received.from),)? $unpack(received.payload), $next(role))
            }
        }
    };
    (
        $name:ident; recv $received:ident
        $({ $variant:ident $from:pat, $label:pat, $payload:ident($message:ty), $next:ident $(, $sender:ident)? })+
    ) => {
        /// A message that was received, with the next state.
        #[must_use = "the protocol is not over"]
        #[allow(dead_code)]
        pub enum $received {
            $(
                #[doc = ::std::concat!(" Next is [`", ::std::stringify!($next), "`].")]
                $variant($($sender,)? $message, $next)
            ),+
        }

        $crate::state_pair! {
            $name, "Receives a message", recv recv_async() -> $received, {}
            recv recv_async(::std::option::Option::None), |role, received| {
                #[allow(unreachable_patterns)]
                match (received.from, received.label, received.payload) {
                    $(($from, $label, Payload::$payload(message)) => {
                        $received::$variant($($sender::of(received.from),)? message, $next(role))
                    })+
                    _ => $crate::unexpected_message(),
                }
            }
        }
    };
    ($name:ident; close $to:path, $next:ident, $call:ident $call_async:ident) => {
        $crate::state_pair! {
            $name, "Closes the channel", $call $call_async() -> $next, {} close close_async($to), |role, ()| $next(role)
        }
    };
    ($name:ident; does $label:path, $next:ident, $call:ident $call_async:ident) => {
        $crate::state_pair! {
            $name, "Performs this local step", $call $call_async() -> $next, {}
            local_step local_step_async($label), |role, ()| $next(role)
        }
    };
    ($name:ident; finish) => {
        #[allow(dead_code)]
        impl $name {
            /// Ends the role.
            ///
            /// # Errors
            /// If the protocol does not allow the role to end here after all: a typed state may stand for several.
            pub fn finish(self) -> ::std::result::Result<(), $crate::Error> { self.0.finish() }
        }
    };
}

/// A call of a typed state, blocking and as a future.
#[doc(hidden)]
#[macro_export]
macro_rules! state_pair {
    (
        $name:ident, $doc:literal, $call:ident $call_async:ident($($message:ident: $type:ty)?) -> $result:ty,
        { $($before:tt)* } $request:ident $request_async:ident($($value:expr),*), |$role:ident, $ok:pat_param| $next:expr
    ) => {
        #[allow(dead_code)]
        impl $name {
            #[doc = ::std::concat!(" ", $doc, "; next is `", ::std::stringify!($result), "`.")]
            ///
            /// # Errors
            /// If a peer has left or the time-out expires. The error gives the state back.
            pub fn $call(mut self $(, $message: $type)?) -> ::std::result::Result<$result, $crate::Failed<Self>> {
                $($before)*
                match self.0.$request($($value),*) {
                    ::std::result::Result::Ok(done) => {
                        let ($role, $ok) = (self.0, done);
                        ::std::result::Result::Ok($next)
                    }
                    ::std::result::Result::Err(error) => $crate::Failed::err(self, error),
                }
            }

            #[doc = ::std::concat!(" As `", ::std::stringify!($call), "`, as a future.")]
            ///
            /// # Errors
            /// If a peer has left. The error gives the state back.
            pub async fn $call_async(
                mut self $(, $message: $type)?
            ) -> ::std::result::Result<$result, $crate::Failed<Self>> {
                $($before)*
                match self.0.$request_async($($value),*).await {
                    ::std::result::Result::Ok(done) => {
                        let ($role, $ok) = (self.0, done);
                        ::std::result::Result::Ok($next)
                    }
                    ::std::result::Result::Err(error) => $crate::Failed::err(self, error),
                }
            }
        }
    };
}
