//! A player: an engine with a board of its own and a link to the other player.

use crate::board::Colour;
use crate::engine::Engine;
use crate::game::{Game, Outcome};
use crate::link::{Broken, Link, Word};

/// A game that is over, as one player saw it.
#[derive(Clone, Debug)]
pub struct Record {
    /// All its moves.
    pub game: Game,
    /// How it ended.
    pub outcome: Outcome,
}

/// Plays one side of a game to its end. Whoever should move when the game is over says so instead.
///
/// # Errors
/// When the link breaks, and when the other player moves against the rules or is wrong about the end.
pub fn play(engine: &Engine, colour: Colour, link: &mut impl Link) -> Result<Record, Broken> {
    let mut game = Game::default();
    loop {
        let is_over = game.outcome();
        if game.board().turn() == colour {
            if let Some(outcome) = is_over {
                link.say(Word::Over(outcome))?;
                return Ok(Record { game, outcome });
            }
            let step = engine.choose(&game).ok_or_else(|| Broken("no move was found".into()))?;
            game.play(step).map_err(Broken::because)?;
            link.say(Word::Move(step))?;
            continue;
        }
        match link.hear()? {
            Word::Move(step) => game.play(step).map_err(Broken::because)?,
            Word::Over(outcome) if is_over == Some(outcome) => return Ok(Record { game, outcome }),
            Word::Over(outcome) => {
                return Err(Broken(format!("the other player says: {outcome}; it is not so")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::engine::Taste;

    /// A link to somebody who says the same whatever happens.
    struct Parrot(Word);

    impl Link for Parrot {
        fn say(&mut self, _: Word) -> Result<(), Broken> {
            Ok(())
        }

        fn hear(&mut self) -> Result<Word, Broken> {
            Ok(self.0)
        }
    }

    fn check(word: Word, expected: &str) {
        let engine = Engine { depth: 1, taste: Taste::Centre };
        let error = play(&engine, Colour::White, &mut Parrot(word)).expect_err("a foul");
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn fouls_are_noticed() {
        check(Word::Move(Move::default()), "a1a1 is not a legal move of Black");
        check(
            Word::Over(Outcome::Stalemate),
            "the other player says: drawn by stalemate; it is not so",
        );
    }
}
