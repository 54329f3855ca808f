//! Which processes there are, and where they listen: a text with a line for each.

use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

/// The addresses of all processes, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts(Vec<String>);

/// What is wrong with a line of a text of hosts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// Where the wrong part is, in bytes of the text.
    pub place: std::ops::Range<usize>,
    /// What is wrong with it.
    pub message: String,
}

impl Hosts {
    /// Reads a text: a line `host:port` for each process, the first for process 0; what follows on `#`
    /// is a comment, and empty lines are none.
    pub fn read(text: &str) -> Result<Self, Flaw> {
        let (mut all, mut start): (Vec<String>, usize) = (Vec::new(), 0);
        for line in text.split_inclusive('\n') {
            let words = line.split('#').next().unwrap_or_default();
            let word = words.trim();
            let at = start + words.find(word).unwrap_or(0);
            start += line.len();
            if word.is_empty() {
                continue;
            }
            let flaw = |message: String| Flaw { place: at..at + word.len(), message };
            let port = word.rsplit_once(':').filter(|(host, _)| !host.is_empty());
            let port = port.and_then(|(_, port)| port.parse::<u16>().ok());
            if word.contains(char::is_whitespace) || port.is_none_or(|port| port == 0) {
                return Err(flaw(format!("expected `host:port`, found `{word}`")));
            }
            if all.iter().any(|known| known == word) {
                return Err(flaw(format!("`{word}` stands here twice: each process has its own")));
            }
            all.push(word.to_owned());
        }
        match all.is_empty() {
            true => Err(Flaw { place: 0..0, message: "no host is named".to_owned() }),
            false => Ok(Self(all)),
        }
    }

    /// Processes on this machine, by the ports that they listen on.
    pub fn local(ports: &[u16]) -> Self {
        Self(ports.iter().map(|port| format!("127.0.0.1:{port}")).collect())
    }

    /// How many processes there are.
    pub fn number(&self) -> usize {
        self.0.len()
    }

    /// Where a process listens, as it was written.
    pub fn name(&self, process: usize) -> &str {
        &self.0[process]
    }

    /// Where a process listens.
    pub(crate) fn addresses(&self, process: usize) -> std::io::Result<Vec<SocketAddr>> {
        Ok(self.0[process].to_socket_addrs()?.collect())
    }

    /// Whether an address is one of a process.
    pub(crate) fn is_of(&self, process: usize, address: IpAddr) -> bool {
        let Ok(known) = self.addresses(process) else { return false };
        known.iter().any(|known| known.ip().to_canonical() == address.to_canonical())
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Flaw {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_process() {
        let hosts = Hosts::read("# rack\n one:2101 # first\n\n[::1]:2102\n").expect("hosts");
        assert_eq!((hosts.number(), hosts.name(0), hosts.name(1)), (2, "one:2101", "[::1]:2102"));
        let flaw = |text: &str| {
            let flaw = Hosts::read(text).expect_err("a flaw");
            (text[flaw.place].to_owned(), flaw.message)
        };
        let expected =
            |word: &str| (word.to_owned(), format!("expected `host:port`, found `{word}`"));
        assert_eq!(flaw("a:1\n  b \n"), expected("b"));
        assert_eq!(flaw("a:0"), expected("a:0"));
        assert_eq!(flaw("a:99999"), expected("a:99999"));
        assert_eq!(flaw(":1"), expected(":1"));
        assert_eq!(flaw("a:1 b:2"), expected("a:1 b:2"));
        assert_eq!(flaw("a:1\na:1").0, "a:1");
        assert_eq!(flaw("# nothing\n").1, "no host is named");
    }
}
