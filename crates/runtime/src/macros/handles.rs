//! The macros that the handles of roles are made of, with their calls. Part of the contract between the generator and the
//! runtime, and not for programs.

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
