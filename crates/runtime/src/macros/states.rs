//! The macros that the states of roles as types are made of, with their calls. Part of the contract between the generator
//! and the runtime, and not for programs.

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
