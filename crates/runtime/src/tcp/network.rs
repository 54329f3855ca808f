//! What a process asks of its network: time-outs, limits, retries, who is trusted. Opens no connection.

use std::time::Duration;

use super::secret::Secret;
#[cfg(feature = "tls")]
use super::tls::Tls;

/// How this process reaches peers, and what it accepts from them. Cheap to clone.
///
/// ```no_run
/// use quadrille_runtime::tcp::{Limits, Network, Secret};
///
/// let secret = Secret::new(std::fs::read("secret")?)?;
/// let network = Network::new().secret(secret).limits(Limits { message: 1 << 20, ..Limits::default() });
/// let listener = network.listen("0.0.0.0:7000")?;
/// let peer = network.connect("other.example:7000")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub(super) timeouts: Timeouts,
    pub(super) limits: Limits,
    pub(super) retry: Retry,
    pub(super) secret: Option<Secret>,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Tls>,
}

impl Network {
    /// Default time-outs and limits, neither secret nor TLS.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long peers may be silent.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets how much memory a peer may take.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long `connect` tries to reach a peer that does not listen yet.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Talks only to peers that prove that they know a secret, and authenticates every frame by it.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// Talks only over TLS, to peers with a certificate that is trusted.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }
}

/// How long peers may be silent. A peer whose process is stopped, or whose network is gone without a word, keeps its
/// connection open; only time tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// How long a peer may take to greet, with its TLS handshake; 10 seconds by default.
    pub greeting: Duration,
    /// How long nothing may arrive from a peer before its roles count as disconnected; 15 seconds by default. Peers that
    /// have nothing to say send heartbeats, three in this time. `None`: for ever.
    pub silence: Option<Duration>,
    /// How long one message may take from its first byte to its last, so that a peer that sends a byte now and then is not
    /// taken for alive, and how long a peer may take nothing of what it is sent; 60 seconds by default. `None`: for ever.
    pub message: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(10),
            silence: Some(Duration::from_secs(15)),
            message: Some(Duration::from_mins(1)),
        }
    }
}

/// How much memory a peer may take. Nothing is allocated for bytes that have not arrived, whatever length is announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many bytes a message may have as it is sent; 16 MiB by default. A longer one is an error, here if it is sent by
    /// a role of this process or would be refused by the peer.
    pub message: u32,
    /// How many bytes of messages from one peer may wait for their receivers, as they were sent; 64 MiB by default. Where
    /// the protocol bounds a queue, more is an error; where it does not, reading from the peer pauses.
    pub queued: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message: 16 << 20, queued: 64 << 20 }
    }
}

/// How to reach a peer that does not listen yet. After each attempt that fails, the wait doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    /// The wait after the first attempt; 50 milliseconds by default. The true wait is between half of it and all of it, at
    /// random, so that many processes do not come back at once.
    pub first: Duration,
    /// The longest wait; 2 seconds by default.
    pub most: Duration,
    /// How long to try in all; 30 seconds by default. Zero: one attempt.
    pub within: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(50),
            most: Duration::from_secs(2),
            within: Duration::from_secs(30),
        }
    }
}

impl Retry {
    /// The longest wait after this many attempts.
    pub(super) fn wait(&self, attempts: u32) -> Duration {
        let doubled = self.first.checked_mul(1 << attempts.saturating_sub(1).min(30));
        doubled.unwrap_or(self.most).min(self.most)
    }

    /// A wait after this many attempts: `chance` says where between half and all of the longest one.
    pub(super) fn wait_at(&self, attempts: u32, chance: u8) -> Duration {
        let half = self.wait(attempts) / 2;
        half + half * u32::from(chance) / 255
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound() {
        let retry = Retry::default();
        let waits: Vec<_> = (1..9).map(|attempts| retry.wait(attempts).as_millis()).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 2000, 2000]);
        assert_eq!(retry.wait(u32::MAX), retry.most);
        for attempts in 1..9 {
            assert_eq!(retry.wait_at(attempts, 0), retry.wait(attempts) / 2);
            assert_eq!(retry.wait_at(attempts, 255), retry.wait(attempts));
        }
    }
}
