//! Who has left, and whether those who are left all wait for each other: consulted only by roles that cannot
//! go on, and only after somebody left. As long as all is well it costs one load.
//!
//! A role that has to wait has itself counted, and is not counted while it looks for something to do. When
//! everybody is counted, a round begins: all are woken and look once more. If all are counted again in that
//! round, nobody can ever go on. A role that does something after it was counted once ends the round; so
//! whatever was done before the round is seen by those who look in it, and nothing is done during it
//! (detection of termination in the manner of Mattern 1987).

use std::sync::PoisonError;

use crate::error::Cause;
use crate::plan::RoleId;
use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering};

/// Who has left and who waits.
#[derive(Debug)]
pub(super) struct Roll {
    n_left: AtomicU32,
    round: AtomicU64,
    list: Mutex<List>,
}

#[derive(Debug)]
struct List {
    /// By role: what others are told if it has left.
    left: Vec<Option<Cause>>,
    /// Who left first before its end.
    broken: Option<RoleId>,
    /// By role: the round in which it looked and found nothing to do.
    counted: Vec<Option<u64>>,
    /// The last round that began because everybody was counted.
    begun: u64,
    /// The round in which it turned out that nobody can go on, and why. Whoever was told so may do something else:
    /// then the round is over.
    over: Option<(u64, Cause)>,
}

/// What comes of being counted.
pub(super) enum Counted {
    /// Others may go on.
    Wait,
    /// A round begins: others are to be woken, and the role is to look again itself.
    LookAgain,
    /// Nobody will ever go on; others are to be woken.
    Over(Cause),
}

impl List {
    /// What is told of whoever left first before its end.
    fn broken(&self) -> Option<&Cause> {
        self.left[self.broken?.index()].as_ref()
    }
}

impl Roll {
    pub(super) fn new(n_roles: usize) -> Self {
        Self {
            n_left: AtomicU32::new(0),
            round: AtomicU64::new(1),
            list: Mutex::new(List {
                left: vec![None; n_roles],
                broken: None,
                counted: vec![None; n_roles],
                begun: 0,
                over: None,
            }),
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a role will do nothing more; `false` if that is known.
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

    /// Whether all is not well any more. What somebody did before it left is seen after this.
    #[inline]
    pub(super) fn somebody_left(&self) -> bool {
        self.n_left.load(Ordering::Acquire) > 0
    }

    /// What is told of a role if it has left.
    #[cfg(feature = "tcp")]
    pub(super) fn left(&self, role: RoleId) -> Option<Cause> {
        if self.somebody_left() { self.list().left[role.index()].clone() } else { None }
    }

    /// What is told of these roles if one has left. Who finished may have done so because another broke off:
    /// then that is told.
    pub(super) fn left_of(&self, mut roles: impl Iterator<Item = RoleId>) -> Option<Cause> {
        let list = self.list();
        let cause = roles.find_map(|role| list.left[role.index()].as_ref())?;
        let broken = if cause.is_broken() { None } else { list.broken() };
        Some(broken.unwrap_or(cause).clone())
    }

    /// The round; to be asked before looking.
    #[inline]
    pub(super) fn round(&self) -> u64 {
        self.round.load(Ordering::Acquire)
    }

    /// A role that was counted once did something.
    pub(super) fn went_on(&self) {
        self.round.fetch_add(1, Ordering::AcqRel);
    }

    /// A role that was counted looks for something to do.
    pub(super) fn uncount(&self, role: RoleId) {
        self.list().counted[role.index()] = None;
    }

    /// A role looked in this round, found nothing to do and has to wait.
    pub(super) fn count(&self, role: RoleId, round: u64) -> Counted {
        let mut list = self.list();
        let now = self.round.load(Ordering::Acquire);
        if let Some((over, cause)) = &list.over
            && *over == now
        {
            return Counted::Over(cause.clone());
        }
        list.counted[role.index()] = Some(round);
        let present = || {
            let all = list.left.iter().zip(&list.counted);
            all.filter(|(left, _)| left.is_none()).map(|(_, &counted)| counted)
        };
        if !present().all(|counted| counted.is_some()) {
            return Counted::Wait;
        }
        let all_looked = present().all(|counted| counted == Some(now));
        if list.begun != now {
            list.begun = self.round.fetch_add(1, Ordering::AcqRel) + 1;
            return Counted::LookAgain;
        }
        if !all_looked {
            return Counted::Wait;
        }
        let over = list.broken().or_else(|| list.left.iter().flatten().next()).cloned();
        list.over = over.clone().map(|cause| (now, cause));
        over.map_or(Counted::Wait, Counted::Over)
    }
}
