//! One table of the bars of scale: large models by sets of states, beside the explicit engine where it can
//! finish; the explicit engine on one core and on two, with little memory, and on fewer states; what is
//! chosen by default; formulas. Each line is printed as soon as it is measured.

use std::io;

use quadrille_engine::{self as engine, Config, Limits, unobserved};
use quadrille_model::Network;
use quadrille_symbolic::{Budget, Ended, Meter, Natural, Size, Symbolic};

use crate::cpu::{Whose, measure};
use crate::engine::{Request, introduce};
use crate::line::{Bar, Line, Wanted, print_head};
use crate::models::{Grain, forkjoin, leader, pairs, peterson, phil, prod, twophase};
use crate::{chosen, fewer, workers};

/// A model and what is promised about it.
struct Row {
    name: &'static str,
    network: Network,
    /// How many states there are.
    states: Natural,
    /// Whether the explicit engine can finish.
    explicit: bool,
    promise: Promise,
}

/// What is promised about a row.
#[derive(Clone, Copy)]
enum Promise {
    /// It takes fewer seconds than this.
    Seconds(f64),
    /// It is at least so many times as fast as the explicit engine.
    Times(f64),
    /// Nothing.
    None,
}

/// Measures, prints the rows, and says whether every count was the known one and every promise kept.
/// A quick request leaves out what takes the explicit engine minutes; names may also be parts of the
/// table: `symbolic`, `workers`, `fewer`, `chosen`, `formulas`.
pub fn run(request: &Request) -> io::Result<bool> {
    let wanted = &mut Wanted::new(request.quick, &request.names);
    introduce(1);
    println!(
        "`times`: how many times as fast as what stands beside it. Seconds of the processors; with two"
    );
    println!("workers of the clock.\n");
    print_head();
    let mut is_good = true;
    for row in rows() {
        if wanted.has("symbolic", row.name) {
            is_good &= row.measure(wanted.quick)?;
        }
    }
    is_good &= workers::run(wanted)?;
    is_good &= fewer::run(wanted)?;
    is_good &= chosen::run(wanted)?;
    match wanted.unknown() {
        Some(name) => Err(io::Error::other(format!("no row or part is called `{name}`"))),
        None => Ok(is_good),
    }
}

fn rows() -> Vec<Row> {
    let row =
        |name, network, states, explicit, promise| Row { name, network, states, explicit, promise };
    let known = Natural::from;
    vec![
        row("phil 16", phil(16), lucas(48), false, Promise::Seconds(1.0)),
        row("phil 100", phil(100), lucas(300), false, Promise::Seconds(2.0)),
        row("pairs 100", pairs(100), power(3, 100), false, Promise::Seconds(1.0)),
        row("prod 50", prod(50), doubled(&power(3, 50)), false, Promise::Seconds(1.0)),
        row("twophase 8", twophase(8), known(1_745_408), true, Promise::Times(2.0)),
        row("twophase 10", twophase(10), known(61_515_776), true, Promise::Times(20.0)),
        row("forkjoin 10", forkjoin(10), known(1_747_626), true, Promise::Times(2.0)),
        row("peterson 5", peterson(5), known(5_659_100), true, Promise::Times(1.0)),
        row("leader-coarse 9", leader(9, Grain::Coarse), known(306_951), true, Promise::Times(1.0)),
        row("leader-fine 7", leader(7, Grain::Fine), known(4_379_781), true, Promise::None),
    ]
}

impl Row {
    fn measure(&self, quick: bool) -> io::Result<bool> {
        let (seconds, size) = measure(Whose::Own, 1, || self.count())?;
        let is_long = self.states.to_u64().is_none_or(|states| states > 10_000_000);
        let explicit = match self.explicit && !(quick && is_long) {
            true => Some(measure(Whose::Own, 1, || Ok(explore(&self.network)))?),
            false => None,
        };
        let same = explicit.is_none_or(|(_, states)| size.states == Natural::from(states));
        let explicit = explicit.map(|(seconds, _)| seconds);
        let mut bars: Vec<Bar> =
            Bar::count(size.states == self.states && same).into_iter().collect();
        match (self.promise, explicit) {
            (Promise::Seconds(most), _) => bars.push(Bar::at_most("s", most, seconds)),
            (Promise::Times(least), Some(explicit)) => {
                bars.push(Bar::at_least("times", least, explicit / seconds));
            }
            (Promise::Times(_), None) | (Promise::None, _) => {}
        }
        let line = Line {
            model: self.name,
            way: "symbolic",
            states: shortly(&size.states),
            seconds,
            bytes: None,
            beside: explicit.map(|seconds| ("explicit", seconds)),
            bars,
        };
        Ok(line.print())
    }

    /// Explores everything and counts it.
    fn count(&self) -> io::Result<Size> {
        let (budget, mut observer) = (Budget::default(), unobserved);
        let mut meter = Meter::new(Limits::default(), budget, &mut observer);
        Symbolic::explore(&self.network, budget, &mut meter)
            .and_then(|mut symbolic| symbolic.size(&mut meter))
            .map_err(|ended: Ended| io::Error::other(format!("{} ended: {ended:?}", self.name)))
    }
}

/// A number, or its first digits and how many there are.
fn shortly(number: &Natural) -> String {
    let text = number.to_string();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match digits.len() {
        0..=11 => text,
        length => format!("{}.{}e{}", &digits[..1], &digits[1..3], length - 1),
    }
}

fn explore(network: &Network) -> u64 {
    engine::explore(network, &Config::default(), &mut [], &mut unobserved).counts().states
}

fn doubled(number: &Natural) -> Natural {
    let mut sum = number.clone();
    sum.add(number);
    sum
}

fn power(base: u32, exponent: u32) -> Natural {
    let mut power = Natural::from(1);
    for _ in 0..exponent {
        let once = power.clone();
        (1..base).for_each(|_| power.add(&once));
    }
    power
}

/// The Lucas numbers: 2, 1, and then each the sum of the two before it.
fn lucas(n: usize) -> Natural {
    let (mut one, mut other) = (Natural::from(2), Natural::from(1));
    for _ in 0..n {
        one.add(&other);
        std::mem::swap(&mut one, &mut other);
    }
    one
}
