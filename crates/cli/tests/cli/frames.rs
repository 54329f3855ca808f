//! Frames of components beside code: followed along logs, derived, turned into doubles.

use expect_test::expect;

use crate::folder::Folder;
use crate::roles::monitor;

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
        error[S002]: there is no component `Clark`
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
