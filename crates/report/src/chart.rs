//! What a sequence diagram shows, before it is drawn: columns for participants, one row per
//! step, and each receive matched with its send.

use std::collections::{BTreeMap, VecDeque};

use quadrille_model::Interaction;

use crate::{Story, StoryEnding};

/// A lifeline, counted from the left.
pub(crate) type Column = usize;
/// A step, counted from the top.
pub(crate) type Row = usize;

/// A sequence diagram.
pub(crate) struct Chart<'a> {
    pub(crate) columns: Vec<&'a str>,
    pub(crate) rows: Vec<Mark<'a>>,
}

/// What a row shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mark<'a> {
    /// A box over some lifelines; over all of them where `columns` is empty.
    Box { columns: Vec<Column>, label: &'a str },
    /// A message that arrives in the same step.
    Exchange { from: Column, to: Vec<Column>, label: &'a str },
    /// A message that leaves, with the row of each arrival.
    Send { from: Column, to: Vec<(Column, Option<Row>)>, label: &'a str },
    /// A message that arrives, with the row it left in.
    Receive { from: Option<Column>, to: Column, sent: Option<Row>, label: &'a str },
    /// The end of a channel.
    Close { from: Column, to: Column },
    /// An event that no component accepts; the last row.
    Refused { from: Column, label: &'a str },
}

/// Messages under way: who to whom, what and since when.
type InFlight<'a> = BTreeMap<(Column, Column), VecDeque<(&'a str, Row)>>;

impl<'a> Chart<'a> {
    /// Without participants, a single lifeline stands for the whole system.
    pub(crate) fn of(story: &'a Story) -> Chart<'a> {
        let mut columns: Vec<&str> = story.participants.iter().map(String::as_str).collect();
        if columns.is_empty() {
            columns.push("system");
        }
        let mut chart = Chart { columns, rows: Vec::with_capacity(story.steps.len()) };
        let mut in_flight = InFlight::new();
        for (row, step) in story.steps.iter().enumerate() {
            let mark = chart.mark(row, &step.action, &step.interaction, &mut in_flight);
            if let Mark::Receive { to, sent: Some(sent), .. } = mark {
                chart.arrive(sent, to, row);
            }
            chart.rows.push(mark);
        }
        if let StoryEnding::Refused { by, action } = &story.ending {
            chart.rows.push(Mark::Refused { from: chart.column(by), label: action });
        }
        chart
    }

    fn mark(
        &self,
        row: Row,
        action: &'a str,
        interaction: &'a Interaction<String>,
        in_flight: &mut InFlight<'a>,
    ) -> Mark<'a> {
        let named = |message: &'a str| if message.is_empty() { action } else { message };
        match interaction {
            Interaction::Joint { participants } => {
                Mark::Box { columns: self.columns_of(participants), label: action }
            }
            Interaction::Send { from, to, message } => {
                let from = self.column(from);
                let to = self.columns_of(to);
                for &receiver in &to {
                    in_flight.entry((from, receiver)).or_default().push_back((message, row));
                }
                let to = to.into_iter().map(|receiver| (receiver, None)).collect();
                Mark::Send { from, to, label: named(message) }
            }
            Interaction::Receive { from, to, message } => {
                let from = from.as_ref().map(|name| self.column(name));
                let to = self.column(to);
                let (from, sent) = match take(in_flight, from, to, message) {
                    Some((from, sent)) => (Some(from), Some(sent)),
                    None => (from, None),
                };
                Mark::Receive { from, to, sent, label: named(message) }
            }
            Interaction::Exchange { from, to, message } => Mark::Exchange {
                from: self.column(from),
                to: self.columns_of(to),
                label: named(message),
            },
            Interaction::Close { from, to } => {
                Mark::Close { from: self.column(from), to: self.column(to) }
            }
        }
    }

    /// Notes at the send in row `sent` that its message to `receiver` arrives in `row`.
    fn arrive(&mut self, sent: Row, receiver: Column, row: Row) {
        if let Mark::Send { to, .. } = &mut self.rows[sent]
            && let Some((_, arrives)) =
                to.iter_mut().find(|(column, arrives)| *column == receiver && arrives.is_none())
        {
            *arrives = Some(row);
        }
    }

    /// The lifeline of a participant. Stories only mention participants that they list.
    fn column(&self, name: &str) -> Column {
        self.columns.iter().position(|known| *known == name).unwrap_or(0)
    }

    fn columns_of(&self, names: &[String]) -> Vec<Column> {
        names.iter().map(|name| self.column(name)).collect()
    }
}

/// Takes the oldest equal message off its way, from a known sender or from the one that sent first.
fn take(
    in_flight: &mut InFlight,
    from: Option<Column>,
    to: Column,
    message: &str,
) -> Option<(Column, Row)> {
    let ((sender, _), place, row) = in_flight
        .iter()
        .filter(|((sender, receiver), _)| *receiver == to && from.is_none_or(|f| f == *sender))
        .filter_map(|(pair, queue)| {
            let place = queue.iter().position(|(waiting, _)| *waiting == message)?;
            Some((*pair, place, queue[place].1))
        })
        .min_by_key(|(_, _, row)| *row)?;
    in_flight.get_mut(&(sender, to))?.remove(place);
    Some((sender, row))
}
