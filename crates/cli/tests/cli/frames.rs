//! Frames of components beside code: followed along logs, derived, turned into doubles.

use expect_test::expect;

use crate::folder::Folder;
use crate::roles::monitoring::monitor;

#[test]
fn a_log_of_components_is_followed() {
    let folder = Folder::new([
        ("desk.bp", b"Client\n!Desk.ask ; !Desk.leave\nClerk\n(?Desk.ask { !Files.look + throw !Closed } + ?Desk.leave)*\n"),
        ("joint.bp", b"A\n[!a^, !b^]\n"),
    ]);
    let ask = "{\"event\": \"exchange\", \"role\": \"Client\", \"message\": \"Desk.ask^\", \"to\": \"Clerk\"}\n";
    let look = "{\"event\": \"send\", \"role\": \"Clerk\", \"message\": \"Files.look^\"}\n\
                {\"event\": \"receive\", \"role\": \"Clerk\", \"message\": \"Files.look$\"}\n";
    let answer = "{\"event\": \"exchange\", \"role\": \"Clerk\", \"message\": \"Desk.ask$\", \"to\": \"Client\"}\n";
    let clerk = ["monitor", "desk.bp", "--component", "Clerk"];
    let both = ["monitor", "desk.bp"];
    monitor(
        &folder,
        &clerk,
        &format!("{ask}{look}{answer}"),
        &expect![[r#"
        exit 0
        --- stdout
        Clerk conforms: 4 events, and it may end here
    "#]],
    );
    monitor(
        &folder,
        &both,
        &format!("{ask}{look}{answer}"),
        &expect![[r#"
        exit 3
        --- stdout
        Client conforms so far: 2 events
        warning[M004]: `Client` ends after event 2, and its frame does not
         --> desk.bp:2:14
          |
        2 | !Desk.ask ; !Desk.leave
          |              ^^^^^^^^^^ allowed: !Desk.leave^
        Clerk conforms: 4 events, and it may end here
    "#]],
    );
    monitor(
        &folder,
        &both,
        &format!("{ask}{answer}"),
        &expect![[r#"
            exit 1
            --- stdout
            error[M002]: event 2 of `Clerk` deviates: !Desk.ask$
             --> desk.bp:4:35
              |
            4 | (?Desk.ask { !Files.look + throw !Closed } + ?Desk.leave)*
              |               ----------          ^^^^^^ allowed: !Desk.Closed$
              |               |
              |               allowed: !Files.look^
              |
              = note: at line 2 of the log
        "#]],
    );
    let leaves = "{\"event\": \"leave\", \"role\": \"Client\"}\n";
    monitor(
        &folder,
        &both,
        leaves,
        &expect![[r#"
            exit 1
            --- stdout
            error[M002]: `Client` leaves at the start, and its frame does not end
             --> desk.bp:2:2
              |
            2 | !Desk.ask ; !Desk.leave
              |  ^^^^^^^^ allowed: !Desk.ask^
              |
              = note: at line 1 of the log
        "#]],
    );
    let bare = "{\"event\": \"send\", \"role\": \"Clerk\", \"message\": \"Files.look\"}\n";
    monitor(
        &folder,
        &both,
        bare,
        &expect![[r#"
        exit 2
        --- stderr
        error[M001]: `Files.look` is neither a request nor a response
         |
         = note: at line 1 of the log
         = help: write `Interface.method^` for a request, `Interface.method$` for a response
        see `quadrille explain M001`
    "#]],
    );
    monitor(
        &folder,
        &["monitor", "desk.bp", "--component", "Clark"],
        "",
        &expect![[r#"
            exit 2
            --- stderr
            error[S002]: there is no `Clark`
             |
             = help: did you mean `Clerk`?
            see `quadrille explain S002`
        "#]],
    );
    monitor(
        &folder,
        &["monitor", "joint.bp"],
        "",
        &expect![[r#"
        exit 2
        --- stderr
        error[B005]: `A` has no frame: atomic actions and meetings cannot be seen at the boundary of one component
         --> joint.bp:1:1
          |
        1 | A
          | ^
        see `quadrille explain B005`
    "#]],
    );
}

const TILL: &[u8] = b"//! A till.
/// protocol: starts closed, ends closed
pub trait Till {
    /// protocol: closed -> open
    fn open(&mut self);
    /// protocol: open { try { !Card.charge } catch { ?Card.Refused : throw !NotSold } } -> open
    fn sell(&mut self, cents: u32) -> Result<(), NotSold>;
    /// protocol: open -> closed
    fn close(&mut self);
}
/// protocol: starts dark, ends dark
pub trait Lamp {
    /// protocol: dark -> bright
    fn on(&mut self);
    /// protocol: bright -> dark
    fn off(&mut self);
}
pub trait Card {
    fn charge(&mut self, cents: u32) -> Result<u64, Refused>;
}
";

const VOTE: &[u8] = b"message Ask, Yes, No, Tick;
role chair, member;
protocol vote {
    Ask from chair to member;
    either { Yes from member to chair; } or { No from member to chair; }
}
protocol clock { repeat forever { Tick from chair to member; } }
";

fn folder() -> Folder {
    Folder::new([
        ("till.rs", TILL),
        ("plain.rs", b"pub fn f() {}\n"),
        ("bad.rs", b"/// protocol: closed to open\ntrait T { fn f(&self); }\n"),
        ("vote.quad", VOTE),
        (
            "till.bp",
            b"Till\n?Till.open ; ?Till.sell { !Card.charge }* ; ?Till.close\nCard\n?Card.charge*\n",
        ),
        ("free.bp", b"Free\n?open\n"),
    ])
}

#[test]
fn frames_are_derived() {
    let folder = folder();
    folder.check(&["frame", "till.rs"], &expect![[r#"
        exit 0
        --- stdout
        // @generated by quadrille from `till.rs`. Do not edit.
        Till
        (?Till.open ; ?Till.sell { try { !Card.charge } catch { ?Card.Refused : throw !NotSold } }* ; ?Till.close)*
        Lamp
        (?Lamp.on ; ?Lamp.off)*
    "#]]);
    folder.check(
        &["frame", "till.rs", "--trait", "Lamp", "--out", "lamp.bp"],
        &expect![[r#"
            exit 0
            --- stderr
            wrote lamp.bp
        "#]],
    );
    folder.check(
        &["lint", "lamp.bp"],
        &expect![[r#"
        exit 0
        --- stdout
        no findings
    "#]],
    );
    folder.check(
        &["frame", "vote.quad", "--protocol", "vote"],
        &expect![[r#"
        exit 0
        --- stdout
        // @generated by quadrille from `vote.quad`. Do not edit.
        member
        ?chair_member.Ask^ ; (!member_chair.Yes^ + !member_chair.No^)
        chair
        !chair_member.Ask^ ; (?member_chair.Yes^ + ?member_chair.No^)
    "#]],
    );
    folder.check(
        &["frame", "vote.quad", "--protocol", "vote", "--role", "chair"],
        &expect![[r#"
            exit 0
            --- stdout
            // @generated by quadrille from `vote.quad`. Do not edit.
            chair
            !chair_member.Ask^ ; (?member_chair.Yes^ + ?member_chair.No^)
        "#]],
    );
    folder.check(
        &["frame", "vote.quad", "--protocol", "vote", "--of", "chairs"],
        &expect![[r#"
            exit 2
            --- stderr
            error[S002]: there is no `chairs`
             |
             = help: did you mean `chair`?
            see `quadrille explain S002`
        "#]],
    );
    folder.check(
        &["frame", "vote.quad", "--protocol", "clock"],
        &expect![[r#"
        exit 2
        --- stderr
        error[B003]: role `member` may go on for ever, and a behavior protocol describes what ends
        error[B003]: role `chair` may go on for ever, and a behavior protocol describes what ends
        see `quadrille explain B003`
    "#]],
    );
    folder.check(
        &["frame", "plain.rs"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q021]: `plain.rs` has no annotated trait
         |
         = help: write `/// protocol: STATE -> STATE` above the methods of a trait
        see `quadrille explain Q021`
    "#]],
    );
    folder.check(
        &["frame", "bad.rs"],
        &expect![[r#"
        exit 2
        --- stderr
        error[B002]: the annotation cannot be read
         --> bad.rs:1:1
          |
        1 | /// protocol: closed to open
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `protocol: starts STATE, ends STATE or STATE`
        see `quadrille explain B002`
    "#]],
    );
    folder.check(
        &["frame", "till.bp"],
        &expect![[r#"
            exit 2
            --- stderr
            error[Q023]: `till.bp` has neither traits nor roles
             |
             = help: name a .rs file with annotated traits, or a .quad or .dcj file
            see `quadrille explain Q023`
        "#]],
    );
}

#[test]
fn what_is_written_can_be_compared() {
    let folder = folder();
    let check = ["frame", "till.rs", "--out", "till.frames.bp", "--check"];
    folder.check(
        &check,
        &expect![[r#"
            exit 2
            --- stderr
            error[Q001]: cannot read `till.frames.bp`
             |
             = note: No such file or directory (os error 2)
             = help: the same command without --check writes it
            see `quadrille explain Q001`
        "#]],
    );
    folder.check(
        &check[..4],
        &expect![[r#"
            exit 0
            --- stderr
            wrote till.frames.bp
        "#]],
    );
    folder.check(
        &check,
        &expect![[r#"
        exit 0
        --- stdout
        `till.frames.bp` is up to date
    "#]],
    );
    let changed = folder.read("till.frames.bp").replace("Lamp", "Light");
    std::fs::write(folder.path().join("till.frames.bp"), changed).expect("a file");
    folder.check(
        &check,
        &expect![[r#"
            exit 1
            --- stdout
            `till.frames.bp` is not up to date, from line 4 on; the same command without --check writes it
        "#]],
    );
    folder.check(
        &["frame", "till.rs", "--check"],
        &expect![[r#"
        exit 2
        --- stderr
        error: the following required arguments were not provided:
          --out <FILE>

        Usage: quadrille frame --out <FILE> --check <FILE>

        For more information, try '--help'.
    "#]],
    );
    folder.check(
        &["frame", "till.rs", "--out", "no/such/folder.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q002]: cannot write `no/such/folder.bp`
         |
         = note: No such file or directory (os error 2)
         = help: the folder must exist and be writable
        see `quadrille explain Q002`
    "#]],
    );
}

#[test]
fn doubles_are_written() {
    let folder = folder();
    folder.check(
        &["double", "till.bp", "--component", "Till", "-o", "till_double.rs"],
        &expect![[r#"
            exit 0
            --- stderr
            wrote till_double.rs
        "#]],
    );
    assert!(folder.read("till_double.rs").contains("pub fn play<C: Till>("));
    let again = ["double", "till.bp", "--component", "Till", "-o", "till_double.rs", "--check"];
    folder.check(
        &again,
        &expect![[r#"
        exit 0
        --- stdout
        `till_double.rs` is up to date
    "#]],
    );
    folder.check(
        &["double", "till.rs", "--trait", "Till", "--import", "crate::till::*"],
        &expect![[r#"
            exit 0
            --- stdout
            //! @generated by quadrille from the frame of `Till`: traits, and a double of its
            //! environment. Do not edit.
            #![cfg_attr(rustfmt, rustfmt_skip)]
            use quadrille_contract::play::{Failure, Method, Player};
            use crate::till::*;
            /// What the component may do.
            pub const FRAME: &str = "Till\n(?Till.open ; ?Till.sell { try { !Card.charge } catch { ?Card.Refused : throw !NotSold } }* ; ?Till.close)*\n";
            /// What the frame does not say: arguments, results and errors. A number that the seed determines
            /// comes with each request.
            pub struct Values {
                /// What `Card.charge` gives.
                pub card_charge: Box<dyn FnMut(u64) -> u64>,
                /// The error of `Card.charge` that is an exception: `Refused`.
                pub card_charge_error: Box<dyn FnMut(&str) -> Refused>,
                /// The arguments of `Till.sell`.
                pub till_sell: Box<dyn FnMut(u64) -> (u32,)>,
            }
            /// Plays `Card`.
            pub struct CardDouble {
                player: Player,
                values: std::rc::Rc<std::cell::RefCell<Values>>,
            }
            impl Card for CardDouble {
                fn charge(&mut self, _: u32) -> Result<u64, Refused> {
                    match self.player.tried("Card.charge", &[], &[("Refused", "Refused")]) {
                        Ok(()) => Ok((self.values.borrow_mut().card_charge)(self.player.random())),
                        Err(exception) => {
                            Err((self.values.borrow_mut().card_charge_error)(exception))
                        }
                    }
                }
            }
            /// What the component needs, played.
            pub struct Surroundings {
                /// For the interface `Card`.
                pub card: CardDouble,
            }
            /// Plays the environment of a component, at random from a seed; gives the number of events, or
            /// the first deviation from the frame.
            pub fn play<C: Till>(
                seed: u64,
                values: Values,
                make: impl FnOnce(Surroundings) -> C,
            ) -> Result<usize, Failure> {
                let player = Player::new(FRAME, seed);
                let values = std::rc::Rc::new(std::cell::RefCell::new(values));
                let mut component = make(Surroundings {
                    card: CardDouble {
                        player: player.clone(),
                        values: values.clone(),
                    },
                });
                let mut methods = [
                    Method::new(
                        "Till.open",
                        |component: &mut C, _| {
                            Till::open(component);
                            None
                        },
                    ),
                    Method::new(
                        "Till.sell",
                        |component: &mut C, call| {
                            let (cents,) = (values.borrow_mut().till_sell)(call.random);
                            Till::sell(component, cents).err().map(|_| "NotSold")
                        },
                    ),
                    Method::new(
                        "Till.close",
                        |component: &mut C, _| {
                            Till::close(component);
                            None
                        },
                    ),
                ];
                player.drive(&mut component, &mut methods)
            }
        "#]],
    );
    folder.check(
        &["double", "till.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `till.bp` has several components
         |
         = help: name one with --component: `Till`, `Card`
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["double", "till.bp", "--component", "Tell"],
        &expect![[r#"
        exit 2
        --- stderr
        error[S002]: there is no `Tell`
         |
         = help: did you mean `Till`?
        see `quadrille explain S002`
    "#]],
    );
    folder.check(
        &["double", "till.bp", "--component", "Till", "--import", "a"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: --import is for traits that are written already, in a .rs file
        see `quadrille explain Q012`
    "#]],
    );
    folder.check(
        &["double", "till.rs", "--trait", "Lamp", "--import", "a b"],
        &expect![[r#"
        exit 2
        --- stderr
        error[B006]: `Lamp` has no double: `a b` cannot be imported
          --> till.rs:12:11
           |
        12 | pub trait Lamp {
           |           ^^^^
        see `quadrille explain B006`
    "#]],
    );
    folder.check(
        &["double", "free.bp"],
        &expect![[r#"
        exit 2
        --- stderr
        error[B006]: `Free` has no double: `open` belongs to no interface
         --> free.bp:1:1
          |
        1 | Free
          | ^^^^
        see `quadrille explain B006`
    "#]],
    );
    folder.check(
        &["double", "vote.quad"],
        &expect![[r#"
        exit 2
        --- stderr
        error[Q012]: `vote.quad` holds no components
         |
         = help: give .bp files, a folder of them, or a .rs file with annotated traits
        see `quadrille explain Q012`
    "#]],
    );
}
