//! Names that give way.

use super::*;

#[test]
fn what_comes_later_gives_way() {
    let mut scope = Scope::new(["recv", "recv_async"]);
    let calls = ["send", "send_async", "send", "recv"];
    let calls = calls.map(|name| scope.take_call(name).to_string());
    assert_eq!(calls, ["send", "send_async_2", "send_2", "recv_2"]);
    let fields = ["self", "self", "type", "type"].map(|name| scope.take(name).to_string());
    assert_eq!(fields, ["self_", "self__", "r#type", "type_"]);
    let constants = constants(["a", "A", "a 2", "a"].into_iter());
    let constants: Vec<String> = constants.iter().map(ToString::to_string).collect();
    assert_eq!(constants, ["A", "A_2", "A_2_2", "A_3"]);
}
