//! Termination detection (Mattern 1987): which roles have left, and whether the remaining ones all wait for each other.
//! Consulted only by roles that have to wait, and only after a role has left; until then it costs one load.
//!
//! A role that has to wait reports itself idle, and withdraws that before each attempt. When all roles are idle, a round
//! begins: all are woken and attempt their requests once more. If all are idle again in the same round, none can ever go
//! on. A role that makes progress after it was idle ends the round, so whatever was done before the round is visible to the
//! attempts in it, and nothing is done during it.

use std::sync::PoisonError;

use crate::error::Cause;
use crate::plan::RoleId;
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering};

/// Which roles have left and which are idle.
#[derive(Debug)]
pub(super) struct TerminationDetector {
    n_left: AtomicU32,
    round: AtomicU64,
    list: Mutex<DetectorState>,
}

#[derive(Debug)]
struct DetectorState {
    /// By role: why it has left.
    left: Vec<Option<Cause>>,
    /// The role that left first before its end.
    broken: Option<RoleId>,
    /// By role: the round of the attempt after which it was idle.
    counted: Vec<Option<u64>>,
    /// The last round that began because all roles were idle.
    begun: u64,
    /// The round in which termination was detected, and why. A role that is told so may make another request, which ends
    /// the round.
    over: Option<(u64, Cause)>,
}

/// The outcome of a report.
pub(super) enum IdleReport {
    /// Other roles may go on.
    Wait,
    /// A round begins: the role wakes the others and attempts its request again.
    LookAgain,
    /// No role will ever go on; the role wakes the others.
    Over(Cause),
}

impl DetectorState {
    /// Why the first role left before its end.
    fn broken(&self) -> Option<&Cause> {
        self.left[self.broken?.index()].as_ref()
    }
}

impl TerminationDetector {
    pub(super) fn new(n_roles: usize) -> Self {
        Self {
            n_left: AtomicU32::new(0),
            round: AtomicU64::new(1),
            list: Mutex::new(DetectorState {
                left: vec![None; n_roles],
                broken: None,
                counted: vec![None; n_roles],
                begun: 0,
                over: None,
            }),
        }
    }

    fn list(&self) -> MutexGuard<'_, DetectorState> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a role has left; `false` if that is known.
    pub(super) fn leave(&self, role: RoleId, cause: &Cause) -> bool {
        let mut list = self.list();
        if list.left[role.index()].is_some() {
            return false;
        }
        list.left[role.index()] = Some(cause.clone());
        if cause.is_broken() {
            list.broken.get_or_insert(role);
        }
        drop(list);
        self.n_left.fetch_add(1, Ordering::Release);
        true
    }

    /// Whether a role has left. What it did before is visible after this.
    #[inline]
    pub(super) fn any_left(&self) -> bool {
        self.n_left.load(Ordering::Acquire) > 0
    }

    /// Why a role has left, if it has.
    #[cfg(feature = "tcp")]
    pub(super) fn left(&self, role: RoleId) -> Option<Cause> {
        if self.any_left() { self.list().left[role.index()].clone() } else { None }
    }

    /// Why one of these roles has left, if one has. A role may have finished because another left before its end: then that
    /// is the cause.
    pub(super) fn departure_of(&self, mut roles: impl Iterator<Item = RoleId>) -> Option<Cause> {
        let list = self.list();
        let cause = roles.find_map(|role| list.left[role.index()].as_ref())?;
        let broken = if cause.is_broken() { None } else { list.broken() };
        Some(broken.unwrap_or(cause).clone())
    }

    /// The current round; read it before an attempt.
    #[inline]
    pub(super) fn round(&self) -> u64 {
        self.round.load(Ordering::Acquire)
    }

    /// A role that was idle once made progress.
    pub(super) fn progressed(&self) {
        self.round.fetch_add(1, Ordering::AcqRel);
    }

    /// A role that was idle attempts its request again.
    pub(super) fn withdraw_idle(&self, role: RoleId) {
        self.list().counted[role.index()] = None;
    }

    /// A role has to wait after an attempt in this round.
    pub(super) fn report_idle(&self, role: RoleId, round: u64) -> IdleReport {
        let mut list = self.list();
        let now = self.round.load(Ordering::Acquire);
        if let Some((over, cause)) = &list.over
            && *over == now
        {
            return IdleReport::Over(cause.clone());
        }
        list.counted[role.index()] = Some(round);
        let present = || {
            let all = list.left.iter().zip(&list.counted);
            all.filter(|(left, _)| left.is_none()).map(|(_, &counted)| counted)
        };
        if !present().all(|counted| counted.is_some()) {
            return IdleReport::Wait;
        }
        let all_in_round = present().all(|counted| counted == Some(now));
        if list.begun != now {
            list.begun = self.round.fetch_add(1, Ordering::AcqRel) + 1;
            return IdleReport::LookAgain;
        }
        if !all_in_round {
            return IdleReport::Wait;
        }
        let over = list.broken().or_else(|| list.left.iter().flatten().next()).cloned();
        list.over = over.clone().map(|cause| (now, cause));
        over.map_or(IdleReport::Wait, IdleReport::Over)
    }
}
