//! Plans that cannot be carried out are refused before anything happens.

use quadrille_runtime::plan::{ActId, GlobalId, LabelId, LocalId, PacketId, QueueId, RoleId};
use quadrille_runtime::{Cause, Form, Module, Payload, Plan, PlanError};

use crate::support::{Note, both_quad, plan};

/// What is said of a plan that was spoilt.
fn check(form: Form, spoil: impl Fn(&mut Plan), expected: &PlanError) {
    let mut plan = plan("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))");
    assert!(Module::<Note>::new(&plan, form).is_ok());
    spoil(&mut plan);
    let found = Module::<Note>::new(&plan, form).err();
    assert_eq!(found.as_ref(), Some(expected));
    assert!(!expected.to_string().is_empty());
}

#[test]
fn what_is_named_must_be_there() {
    let beyond = |list, index| PlanError::OutOfRange { list, index };
    let edge = |plan: &mut Plan| plan.locals.to_mut()[0].states.to_mut()[0].edges.to_mut()[0];
    let set = |plan: &mut Plan, edge| {
        plan.locals.to_mut()[0].states.to_mut()[0].edges.to_mut()[0] = edge;
    };
    let liberal = |spoil: &dyn Fn(&mut Plan), expected| check(Form::Liberal, spoil, &expected);
    liberal(&|plan| plan.acts.to_mut()[0].from = RoleId(9), beyond("roles", 9));
    liberal(&|plan| plan.acts.to_mut()[0].label = Some(LabelId(9)), beyond("labels", 9));
    liberal(&|plan| plan.packets.to_mut()[0].act = ActId(99), beyond("acts", 99));
    liberal(&|plan| plan.queues.to_mut()[0].to = RoleId(9), beyond("roles", 9));
    liberal(
        &|plan| {
            let spoilt = edge(plan);
            set(plan, quadrille_runtime::plan::Edge { to: LocalId(7), ..spoilt });
        },
        beyond("states of a role", 7),
    );
    liberal(
        &|plan| {
            let spoilt = edge(plan);
            set(plan, quadrille_runtime::plan::Edge { packet: Some(PacketId(7)), ..spoilt });
        },
        beyond("packets", 7),
    );
    check(
        Form::Strict,
        |plan| plan.strict.to_mut()[0].edges.to_mut()[0].1 = GlobalId(77),
        &beyond("strict", 77),
    );
}

#[test]
fn parts_must_fit_together() {
    let roles = |plan: &Plan| (plan.acts[0].from, plan.acts[0].to[0]);
    let plan = plan("(s/* (s/cat (s/-->> Ask ::a ::b) (s/-->> Say ::b ::a)))");
    let (from, to) = roles(&plan);
    let liberal = |spoil: &dyn Fn(&mut Plan), expected| check(Form::Liberal, spoil, &expected);
    liberal(&|plan| plan.roles.to_mut().clear(), PlanError::Empty { list: "roles" });
    liberal(&|plan| plan.locals.to_mut().clear(), PlanError::NoLiberalForm);
    liberal(&|plan| plan.locals.to_mut().truncate(1), PlanError::NoLiberalForm);
    check(Form::Strict, |plan| plan.strict.to_mut().clear(), &PlanError::NoStrictForm);
    liberal(&|plan| plan.acts.to_mut()[0].label = None, PlanError::Malformed(ActId(0)));
    liberal(&|plan| plan.acts.to_mut()[0].to.to_mut().clear(), PlanError::Malformed(ActId(0)));
    liberal(
        &|plan| plan.queues.to_mut().retain(|queue| queue.to != to),
        PlanError::NotOneQueue { from, to },
    );
    liberal(
        &|plan| {
            let edge = &mut plan.locals.to_mut()[from.index()].states.to_mut()[0].edges.to_mut()[0];
            edge.packet = None;
        },
        PlanError::WrongPacket {
            role: from,
            act: plan.locals[from.index()].states[0].edges[0].act,
        },
    );
    liberal(
        &|plan| plan.locals.to_mut().swap(0, 1),
        PlanError::NotAParticipant { role: RoleId(0), act: plan.locals[1].states[0].edges[0].act },
    );
}

#[test]
fn a_queue_for_everybody_that_may_be_full_takes_no_message_to_several() {
    let text = "message M; role a, b, c; protocol p { M from a to b, c; M from b to a; }";
    let [_, liberal] = both_quad(text);
    let mut plan = liberal.plan;
    let number = plan.queues.iter().position(|queue| plan.roles[queue.to.index()] == "c");
    let number = number.expect("a queue to c");
    let queue = &mut plan.queues.to_mut()[number];
    (queue.from, queue.suffices) = (None, false);
    let found = Module::<Note>::new(&plan, Form::Liberal).err();
    assert_eq!(found, Some(PlanError::Crowded(QueueId(number as u32))));
}

/// A message of which there is only one.
struct Unique(LabelId);

impl Payload for Unique {
    fn label(&self) -> Option<LabelId> {
        Some(self.0)
    }
}

#[test]
fn a_message_to_several_must_be_of_a_kind_that_can_be_duplicated() {
    let text = "message M; role a, b, c; protocol p { M from a to b, c; M from b to a; }";
    for named in both_quad(text) {
        let module = Module::<Unique>::new(&named.plan, named.form).expect("a good plan");
        let mut roles = module.into_roles();
        let a = roles.iter_mut().find(|role| role.name() == "a").expect("a role");
        let error = a.send(Unique(named.label("M")), None).expect_err("there is only one");
        assert_eq!(error.cause, Cause::NotDuplicated { message: "M".to_owned() });
        let b = roles.iter_mut().find(|role| role.name() == "b").expect("a role");
        b.set_timeout(Some(std::time::Duration::from_millis(1)));
        assert_eq!(b.recv(None).err().expect("nothing was sent").cause, Cause::TimedOut);
    }
}
