//! Which of many new states visitors have to see, found on several threads.

use quadrille_model::Value;

use super::slice::Form;
use crate::packing::Packing;
use crate::workers::Workers;

/// Whether a visitor has to see a state.
pub type SiftTest<'t> = Box<dyn FnMut(&[Value]) -> bool + 't>;

/// Looks at states in place of a [`Visitor`](crate::Visitor), on several threads.
pub trait Sift: Sync {
    /// A test for one thread. What the visitor has not to see changes nothing that it finds.
    fn begin(&self) -> SiftTest<'_>;
}

/// The states of each list that have to be seen, in order.
pub(super) fn sifted<F: Form>(
    (form, met, packing): (&F, &F::Met, &Packing),
    sifts: &[&dyn Sift],
    lists: &[&[u64]],
    workers: Workers,
    between: impl FnMut() -> bool,
) -> Vec<Vec<u64>> {
    let mut wanted = vec![Vec::new(); lists.len()];
    workers.share(
        wanted.iter_mut().zip(lists),
        || {
            let tests: Vec<_> = sifts.iter().map(|sift| sift.begin()).collect();
            (vec![0; packing.n_slots()], Vec::new(), tests)
        },
        |(values, words, tests), (wanted, &codes)| {
            for &code in codes {
                words.clear();
                form.words(met, code, words);
                packing.unpack(words, values);
                if tests.iter_mut().any(|test| test(values)) {
                    wanted.push(code);
                }
            }
        },
        between,
    );
    wanted
}
