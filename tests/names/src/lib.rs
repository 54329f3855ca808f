//! Modules whose names are taken by Rust, by generated modules, or by each other: that they compile is the test.
#![forbid(unsafe_code)]

pub mod mine {
    //! A message from elsewhere.

    use super::odd::{self, Value};

    /// It could have a name that is in the way, too.
    #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
    pub struct Vote;

    impl odd::VoteContent_ for Vote {
        fn with_(&self) -> bool {
            true
        }

        fn by(&self) -> Value {
            Value::Self_
        }

        fn by_(&self) -> bool {
            true
        }

        fn r#type(&self) -> bool {
            true
        }

        fn with(_: bool, _: Value, _: bool, _: bool) -> Self {
            Self
        }
    }
}

/// Names that are hard to tell apart.
pub mod odd {
    include!(concat!(env!("OUT_DIR"), "/odd.rs"));
}

/// All names that are in some generated modules.
pub mod taken {
    include!(concat!(env!("OUT_DIR"), "/taken.rs"));
}

#[cfg(test)]
mod tests {
    use crate::odd;

    /// Item 21: the compiler has nothing to say about a module of which nothing is used.
    #[deny(warnings)]
    mod item_21_unused {
        include!(concat!(env!("OUT_DIR"), "/taken.rs"));
    }

    #[test]
    fn renamed_calls_do_what_they_say() -> Result<(), quadrille_runtime::Error> {
        let odd::Roles { white, mut b, workers, workers_, .. } = odd::liberal().into_roles();
        assert_eq!((workers.len(), workers_.role()), (2, odd::Role::Workers));
        let white = white.typed().send_http_reply_async_2(odd::HttpReplyAsync)?;
        assert!(matches!(b.recv()?, odd::BReceives::HttpReplyAsync(_)));
        drop(white);
        Ok(())
    }
}
