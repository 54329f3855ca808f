//! `substitute` on protocols.

use expect_test::expect;

use crate::folder::Folder;

const SHOP: &str = "message Ask, Offer, Buy, Leave;
role buyer, shop;
protocol buying {
    Ask from buyer to shop;
    Offer from shop to buyer;
    either { Buy from buyer to shop; } or { Leave from buyer to shop; }
}
";

/// Takes one more message, and makes one choice less.
const KEEN: &str = "message Ask, Offer, SoldOut, Buy;
role buyer, shop;
protocol keen {
    Ask from buyer to shop;
    either { Offer from shop to buyer; Buy from buyer to shop; } or { SoldOut from shop to buyer; }
}
";

/// Buys what was not offered yet.
const HASTY: &str = "message Ask, Offer, Buy;
role buyer, shop;
protocol hasty {
    Ask from buyer to shop;
    Buy from buyer to shop;
    Offer from shop to buyer;
}
";

/// Never takes an offer.
const DEAF: &str = "message Ask, Buy;
role buyer, shop;
protocol deaf { Ask from buyer to shop; Buy from buyer to shop; }
";

/// Never stops asking.
const KEEN_FOR_EVER: &str = "message Ask;
role buyer, shop;
protocol ever { repeat forever { Ask from buyer to shop; } }
";

const PING: &str = "message Ask, Offer;
role buyer, shop;
protocol ping { repeat forever { Ask from buyer to shop; Offer from shop to buyer; } }
";

/// An offer may mean two things, which only the shop knows.
const VAGUE: &str = "message Ask, Offer, Buy, Leave;
role buyer, shop;
protocol vague {
    Ask from buyer to shop;
    either { Offer from shop to buyer; Buy from buyer to shop; }
    or { Offer from shop to buyer; Leave from buyer to shop; }
}
";

fn folder() -> Folder {
    Folder::new([
        ("shop.quad", SHOP.as_bytes()),
        ("keen.quad", KEEN.as_bytes()),
        ("hasty.quad", HASTY.as_bytes()),
        ("deaf.quad", DEAF.as_bytes()),
        ("ever.quad", KEEN_FOR_EVER.as_bytes()),
        ("ping.quad", PING.as_bytes()),
        ("vague.quad", VAGUE.as_bytes()),
        ("door.aut", b"des (0, 1, 2)\n(0, \"open\", 1)\n"),
    ])
}

#[test]
fn a_role_replaces_another() {
    let folder = folder();
    folder.check(
        &["substitute", "shop.quad", "buyer", "keen.quad"],
        &expect![[r#"
        exit 0
        --- stdout
        holds: `buyer` of `keen.quad` may replace `buyer` of `shop.quad`
    "#]],
    );
    folder.check(&["substitute", "keen.quad", "buyer", "shop.quad"], &expect![[r#"
        exit 1
        --- stdout
        violated: `buyer` of `shop.quad` may not replace `buyer` of `keen.quad`
            1  buyer sends Ask to shop
          then `buyer receives SoldOut from shop` may come next, and it waits for `buyer receives Offer from shop`
    "#]]);
    folder.check(&["substitute", "shop.quad", "buyer", "hasty.quad"], &expect![[r#"
        exit 0
        --- stdout
        holds: `buyer` of `hasty.quad` may replace `buyer` of `shop.quad` where messages wait in queues
          it does this before its turn: buyer sends Buy to shop
          queues may have to hold more: generate the module again
    "#]]);
    folder.check(
        &["substitute", "shop.quad", "buyer", "hasty.quad", "--format", "json"],
        &expect![[r#"
            exit 0
            --- stdout
            {
              "schema": "quadrille/1",
              "files": [
                "shop.quad",
                "hasty.quad"
              ],
              "role": "buyer",
              "verdict": "holds",
              "earlier": "buyer sends Buy to shop",
              "run": [],
              "fault": null
            }
        "#]],
    );
    folder.check(
        &["substitute", "shop.quad", "buyer", "deaf.quad", "--format", "json"],
        &expect![[r#"
            exit 1
            --- stdout
            {
              "schema": "quadrille/1",
              "files": [
                "shop.quad",
                "deaf.quad"
              ],
              "role": "buyer",
              "verdict": "violated",
              "earlier": null,
              "run": [
                "buyer sends Ask to shop",
                "buyer sends Buy to shop"
              ],
              "fault": {
                "kind": "misses",
                "message": "then `buyer receives Offer from shop` may come next, and it waits for nothing",
                "step": "buyer receives Offer from shop",
                "expected": [],
                "cycle": []
              }
            }
        "#]],
    );
    folder.check(
        &["substitute", "ping.quad", "buyer", "ever.quad"],
        &expect![[r#"
        exit 3
        --- stdout
        unknown: `buyer` of `ever.quad` gets far ahead of `buyer` of `ping.quad`
            1  buyer sends Ask to shop
            2  buyer sends Ask to shop
            3  buyer sends Ask to shop
            4  buyer sends Ask to shop
            5  buyer sends Ask to shop
            6  buyer sends Ask to shop
            7  buyer sends Ask to shop
            8  buyer sends Ask to shop
            9  buyer sends Ask to shop
           10  buyer sends Ask to shop
           11  buyer sends Ask to shop
           12  buyer sends Ask to shop
           13  buyer sends Ask to shop
           14  buyer sends Ask to shop
           15  buyer sends Ask to shop
           16  buyer sends Ask to shop
           17  buyer sends Ask to shop
           18  buyer sends Ask to shop
           19  buyer sends Ask to shop
           20  buyer sends Ask to shop
           21  buyer sends Ask to shop
           22  buyer sends Ask to shop
           23  buyer sends Ask to shop
           24  buyer sends Ask to shop
           25  buyer sends Ask to shop
          it is followed for 24 steps: let it wait for the others now and then
    "#]],
    );
}

#[test]
fn what_cannot_be_compared() {
    let folder = folder();
    folder.check(
        &["substitute", "shop.quad", "byer", "keen.quad"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q022]: the protocol in `shop.quad` has no role `byer`
         |
         = help: did you mean `buyer`?
        see `quadrille explain Q022`
    "#]],
    );
    folder.check(
        &["substitute", "shop.quad", "buyer", "door.aut"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is no protocol
         |
         = help: name a .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
    folder.check(
        &["substitute", "door.aut", "buyer", "shop.quad"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q023]: `door.aut` is neither an architecture nor a protocol
         |
         = help: name an .arch, .quad or .dcj file
        see `quadrille explain Q023`
    "#]],
    );
    folder.check(
        &["substitute", "shop.quad", "buyer", "vague.quad"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q028]: `buyer receives Offer from shop` leads to different states of `buyer`
         |
         = help: give messages that say something different different names
        see `quadrille explain Q028`
    "#]],
    );
}
