//! Regular expressions, the small part of Java's that specifications use: characters, `.`, classes,
//! `^`, `$`, `* + ?`, groups and alternatives. Matching backtracks, within a limit.

use std::ops::Range;

use super::trap::{Result, Trap};

/// Steps one match may take.
const MAX_STEPS: usize = 1_000_000;

/// Deepest nesting of groups and of matching.
const MAX_DEPTH: usize = 500;

/// A pattern.
pub(crate) struct Pattern {
    /// Alternatives of the whole.
    alternatives: Vec<Vec<Segment>>,
}

/// One thing, so many times.
struct Segment {
    what: What,
    min: usize,
    max: usize,
}

enum What {
    Any,
    Start,
    End,
    /// One of these ranges, or none of them.
    Class(Vec<(char, char)>, bool),
    Group(Vec<Vec<Segment>>),
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Result<Self> {
        let characters: Vec<char> = pattern.chars().collect();
        let mut parser = Parser { characters: &characters, at: 0, depth: 0 };
        let alternatives = parser.alternatives()?;
        if parser.at < characters.len() {
            return Err(parser.bad());
        }
        Ok(Self { alternatives })
    }

    /// The first matches, at most so many, as ranges of bytes that do not overlap.
    pub(crate) fn find(&self, text: &str, at_most: usize) -> Result<Vec<Range<usize>>> {
        let characters: Vec<(usize, char)> = text.char_indices().collect();
        let byte = |position: usize| characters.get(position).map_or(text.len(), |&(byte, _)| byte);
        let mut matcher = Matcher { characters: &characters, steps: 0 };
        let (mut found, mut start) = (Vec::new(), 0);
        while start <= characters.len() && found.len() < at_most {
            let end = matcher.first(&self.alternatives, start)?;
            found.extend(end.map(|end| byte(start)..byte(end)));
            start = end.unwrap_or(start).max(start + 1);
        }
        Ok(found)
    }

    pub(crate) fn matches_whole(&self, text: &str) -> Result<bool> {
        let characters: Vec<(usize, char)> = text.char_indices().collect();
        let mut matcher = Matcher { characters: &characters, steps: 0 };
        let mut whole = false;
        for alternative in &self.alternatives {
            let n_characters = characters.len();
            matcher.sequence(alternative, 0, 0, &mut |_, end| {
                whole |= end == n_characters;
                Ok(whole)
            })?;
        }
        Ok(whole)
    }
}

struct Parser<'a> {
    characters: &'a [char],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn bad(&self) -> Box<Trap> {
        Trap::unsupported("this pattern is not supported")
    }

    fn alternatives(&mut self) -> Result<Vec<Vec<Segment>>> {
        self.depth += 1;
        if self.depth > 50 {
            return Err(self.bad());
        }
        let mut alternatives = vec![Vec::new()];
        while let Some(next) = self.peek() {
            match next {
                ')' => break,
                '|' => {
                    self.at += 1;
                    alternatives.push(Vec::new());
                }
                _ => {
                    let segment = self.segment()?;
                    alternatives.last_mut().expect("never empty").push(segment);
                }
            }
        }
        self.depth -= 1;
        Ok(alternatives)
    }

    fn segment(&mut self) -> Result<Segment> {
        let next = self.peek().ok_or_else(|| self.bad())?;
        self.at += 1;
        let what = match next {
            '.' => What::Any,
            '^' => What::Start,
            '$' => What::End,
            '[' => self.class()?,
            '\\' => self.escape()?,
            '(' => {
                if self.characters[self.at..].starts_with(&['?', ':']) {
                    self.at += 2;
                }
                let inner = self.alternatives()?;
                if self.peek() != Some(')') {
                    return Err(self.bad());
                }
                self.at += 1;
                What::Group(inner)
            }
            '*' | '+' | '?' | '{' => return Err(self.bad()),
            _ => What::Class(vec![(next, next)], true),
        };
        let (min, max) = match self.peek() {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('?') => (0, 1),
            Some('{') => return Err(self.bad()),
            _ => return Ok(Segment { what, min: 1, max: 1 }),
        };
        self.at += 1;
        if matches!(self.peek(), Some('?' | '+')) {
            return Err(self.bad());
        }
        Ok(Segment { what, min, max })
    }

    fn escape(&mut self) -> Result<What> {
        let next = self.peek().ok_or_else(|| self.bad())?;
        self.at += 1;
        let digits = vec![('0', '9')];
        let word = vec![('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_')];
        let blank = vec![(' ', ' '), ('\t', '\r')];
        Ok(match next {
            'd' => What::Class(digits, true),
            'D' => What::Class(digits, false),
            'w' => What::Class(word, true),
            'W' => What::Class(word, false),
            's' => What::Class(blank, true),
            'S' => What::Class(blank, false),
            _ if next.is_ascii_alphanumeric() => return Err(self.bad()),
            _ => What::Class(vec![(next, next)], true),
        })
    }

    fn class(&mut self) -> Result<What> {
        let inside = self.peek() != Some('^');
        if !inside {
            self.at += 1;
        }
        let mut ranges = Vec::new();
        loop {
            let next = self.peek().ok_or_else(|| self.bad())?;
            self.at += 1;
            match next {
                ']' => return Ok(What::Class(ranges, inside)),
                '\\' => match self.escape()? {
                    What::Class(more, true) => ranges.extend(more),
                    _ => return Err(self.bad()),
                },
                _ => {
                    let range = self.characters.get(self.at..self.at + 2);
                    match range {
                        Some(&['-', last]) if last != ']' => {
                            self.at += 2;
                            ranges.push((next, last));
                        }
                        _ => ranges.push((next, next)),
                    }
                }
            }
        }
    }
}

struct Matcher<'a> {
    characters: &'a [(usize, char)],
    steps: usize,
}

/// Told where a match ends; says whether that is good enough.
type Done<'d> = dyn FnMut(&mut Matcher<'_>, usize) -> Result<bool> + 'd;

impl Matcher<'_> {
    /// Where the first alternative that matches at a position ends.
    fn first(&mut self, alternatives: &[Vec<Segment>], start: usize) -> Result<Option<usize>> {
        let mut found = None;
        for alternative in alternatives {
            let done = self.sequence(alternative, start, 0, &mut |_, end| {
                found = Some(end);
                Ok(true)
            })?;
            if done {
                break;
            }
        }
        Ok(found)
    }

    fn sequence(
        &mut self,
        segments: &[Segment],
        at: usize,
        depth: usize,
        done: &mut Done<'_>,
    ) -> Result<bool> {
        let Some((segment, rest)) = segments.split_first() else { return done(self, at) };
        self.repeat(segment, 0, rest, at, depth + 1, done)
    }

    /// `count` times matched already; as many more as possible first.
    fn repeat(
        &mut self,
        segment: &Segment,
        count: usize,
        rest: &[Segment],
        at: usize,
        depth: usize,
        done: &mut Done<'_>,
    ) -> Result<bool> {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH {
            return Err(Trap::endless("matching a pattern does not seem to end"));
        }
        if count < segment.max {
            let more = match &segment.what {
                What::Group(alternatives) => {
                    let mut matched = false;
                    for alternative in alternatives {
                        matched = self.sequence(alternative, at, depth, &mut |matcher, end| {
                            let stuck = end == at && count >= segment.min;
                            if stuck {
                                return Ok(false);
                            }
                            matcher.repeat(segment, count + 1, rest, end, depth + 1, done)
                        })?;
                        if matched {
                            break;
                        }
                    }
                    matched
                }
                simple => match self.single(simple, at) {
                    Some(end) if end > at || segment.max == 1 => {
                        self.repeat(segment, count + 1, rest, end, depth + 1, done)?
                    }
                    _ => false,
                },
            };
            if more {
                return Ok(true);
            }
        }
        if count >= segment.min { self.sequence(rest, at, depth, done) } else { Ok(false) }
    }

    fn single(&self, what: &What, at: usize) -> Option<usize> {
        let next = self.characters.get(at).map(|&(_, character)| character);
        let fits = match what {
            What::Start => return (at == 0).then_some(at),
            What::End => return (at == self.characters.len()).then_some(at),
            What::Any => next.is_some_and(|next| next != '\n'),
            What::Class(ranges, inside) => next.is_some_and(|next| {
                ranges.iter().any(|&(first, last)| (first..=last).contains(&next)) == *inside
            }),
            What::Group(_) => false,
        };
        fits.then_some(at + 1)
    }
}
