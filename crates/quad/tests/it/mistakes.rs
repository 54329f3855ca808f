//! Every kind of mistake, as the user sees it.

mod grammar;
mod names;
mod values;

use expect_test::Expect;

use crate::behaviour;

#[expect(clippy::needless_pass_by_value, reason = "reads like the other tests")]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&behaviour(text));
}
