//! The same search by several processes on this machine, one worker each, that exchange states over
//! loopback: started by this process, which only waits for them.

use std::io::{self, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quadrille_cluster::{Hosts, Node, Secret, Work};
use quadrille_engine::disk::{Identity, RunStore};
use quadrille_engine::{Limits, unobserved};
use quadrille_model::{Counts, Network};

use super::Took;
use crate::cpu::{Whose, seconds};

const SECRET: &[u8] = b"of one benchmark on one machine";
const PATIENCE: Duration = Duration::from_secs(60);

/// What a search of processes took.
pub(super) struct Shared {
    pub took: Took,
    /// Bytes that were sent, in all.
    pub sent: u64,
}

/// Lets so many processes count the states of a workload.
pub(super) fn count(workload: &str, processes: usize) -> io::Result<Shared> {
    let (start, before) = (Instant::now(), seconds(Whose::Children)?);
    let program = std::env::current_exe()?;
    let begin = |number: usize| {
        let number = number.to_string();
        Command::new(&program)
            .args(["bench", "beyond", "--process", workload, &number])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
    };
    let mut children: Vec<Child> = (0..processes).map(begin).collect::<io::Result<_>>()?;
    let mut outputs = Vec::with_capacity(processes);
    let mut ports = Vec::with_capacity(processes);
    for child in &mut children {
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut output = BufReader::new(output);
        ports.push(line(&mut output)?);
        outputs.push(output);
    }
    for child in &mut children {
        let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{}", ports.join(" "))?;
    }
    let told = line(&mut outputs[0])?;
    for mut child in children {
        let status = child.wait()?;
        if !status.success() {
            return Err(io::Error::other(format!("a process of {processes} ended with {status}")));
        }
    }
    let (clock, cpu) = (start.elapsed().as_secs_f64(), seconds(Whose::Children)? - before);
    let numbers: Vec<u64> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [states, transitions, deadlocks, depth, sent] = numbers[..] else {
        return Err(io::Error::other(format!("a process said: {told}")));
    };
    let counts = Counts { states, transitions, deadlocks, depth: Some(depth), bytes: 0 };
    Ok(Shared { took: Took { clock, cpu, counts }, sent })
}

fn line(from: &mut impl io::BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// Takes part as one of these processes.
pub(super) fn take_part(network: &Network, process: usize) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let ports = line(&mut BufReader::new(io::stdin()))?;
    let ports: Vec<u16> = ports.split(' ').filter_map(|port| port.parse().ok()).collect();
    let secret = Secret::new(SECRET).map_err(io::Error::other)?;
    let node = Node::listening(listener, (Hosts::local(&ports), process, 1), secret, PATIENCE);
    let work = Work {
        model: network,
        properties: &Vec::new,
        runs: &RunStore::Memory,
        identity: &Identity::default(),
        limits: Limits::default(),
        tell: &|_| (),
        hangs: &|_| (),
    };
    let told = node.search(&work, &mut unobserved).map_err(io::Error::other)?;
    if process == 0 {
        let sent: u64 = told.workers.iter().map(|worker| worker.sent).sum();
        let Counts { states, transitions, deadlocks, depth, .. } = told.found.outcome.counts;
        println!("{states} {transitions} {deadlocks} {} {sent}", depth.unwrap_or(0));
    }
    Ok(())
}
