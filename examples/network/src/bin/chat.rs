//! `chat serve ADDRESS FOLDER` and `chat join ADDRESS NAME FOLDER`: a chat room over TLS. FOLDER has `authority.pem`,
//! `certificate.pem` and `key.pem`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)] // a program for people

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use quadrille_example_network::room::{Guest, Said, SessionError, serve};
use quadrille_runtime::tcp::{Network, Sessions, Tls};
use tokio::io::{AsyncBufReadExt, BufReader};

const USAGE: &str = "usage: chat serve ADDRESS FOLDER\n       chat join ADDRESS NAME FOLDER\n
FOLDER has authority.pem, certificate.pem and key.pem. A server ends when its input does.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.to_string()),
    };
    let result = match words[..] {
        ["serve", address, folder] => runtime.block_on(host(address, Path::new(folder))),
        ["join", address, name, folder] => {
            runtime.block_on(visit(address, name, Path::new(folder)))
        }
        _ => return failed(USAGE),
    };
    // A thread may be blocked in reading the input.
    runtime.shutdown_background();
    result.map_or_else(|error| failed(&error.to_string()), |()| ExitCode::SUCCESS)
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn network(folder: &Path) -> Result<Network, Box<dyn Error>> {
    let read = |name: &str| std::fs::read(folder.join(name));
    let tls = Tls::from_pem(&read("authority.pem")?, &read("certificate.pem")?, &read("key.pem")?)?;
    Ok(Network::new().tls(tls))
}

async fn host(address: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let listener = network(folder)?.listen_async(address).await?;
    let server = serve(listener, Sessions::default())?;
    println!("{}", server.address());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while lines.next_line().await?.is_some() {}
    let counts = server.join().await;
    println!("{} sessions ended well, {} did not", counts.finished, counts.failed);
    Ok(())
}

async fn visit(address: &str, name: &str, folder: &Path) -> Result<(), Box<dyn Error>> {
    let plain = |error: SessionError| match error {
        SessionError::Connect(error) => error.to_string(),
        SessionError::Role(error) => error.to_string(),
    };
    let mut guest = Guest::join(&network(folder)?, address, name).await.map_err(plain)?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => match line? {
                Some(line) => guest.say(&line).await?,
                None => break,
            },
            said = guest.hear() => match said? {
                Some(said) => show(&said),
                None => return Ok(()),
            },
        }
    }
    guest.leave().await?.iter().for_each(show);
    Ok(())
}

fn show(Said { name, text }: &Said) {
    println!("{name}: {text}");
}
