//! Oware game notation, as Aualé writes it: games as chess players write them.
//!
//! ```text
//! [Variant "Oware Abapa"]
//! [South "Akua"]
//! [North "Kofi"]
//! [Result "25-23"]
//!
//! 1. F e 2. D+2 { good } b … 25-23
//! ```
//!
//! Tags come first, a value in quotes with `\"` and `\\` for these two characters. `FEN` is the
//! position the game begins with, in Aualé's or any other notation. Moves are letters, `A`..`F`
//! South's and `a`..`f` North's, with `+k` or `xk` where they capture `k` stones; numbers before
//! them mean nothing. `{ … }` and `;` to the end of the line are comments on the move before them.
//! Variations `( … )`, `$1`, `!`, `?` and lines that start with `%` are passed over. A game ends
//! with its result (stones of South and North, `1-0`, `0-1`, `1/2-1/2` or `*`), or where the tags
//! of the next one begin.
//!
//! Captures are checked against the rules, where they are written. Aualé adds to the last move's
//! what its player is left with in his own row when the game ended for lack of a move or by
//! repetition: that is accepted too.
//!
//! Sources: Aualé's `serialize/ogn.py` (`OGNSerializer`) and `game/match.py` (`get_notation`).

use super::cursor::Cursor;
use super::error::{GameError, Problem};
use super::{Game, Outcome, State};
use crate::board::{Board, MAX_STONES};
use crate::notation::{self, Notation};
use crate::rules::Rules;

/// Columns of written lines.
const WIDTH: usize = 79;

/// The games of a text.
pub fn read(text: &str, rules: Rules) -> impl Iterator<Item = Result<Game, GameError>> + '_ {
    Reader { cursor: Cursor::new(text), rules, games: 0 }
}

/// Comments and values of tags as they can be written and read back: one space between words, and
/// no `}`.
pub fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('}', ")")
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    rules: Rules,
    games: usize,
}

/// The part of a game that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Tags,
    Moves,
    Done,
}

/// What is wrong where: the token is from `at` to `end`.
struct Trouble {
    ply: Option<usize>,
    at: usize,
    end: usize,
    problem: Problem,
}

impl Iterator for Reader<'_> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.take_while(char::is_whitespace);
        self.cursor.peek()?;
        self.games += 1;
        let mut reading = Reading::Tags;
        Some(self.game(&mut reading).map_err(|trouble| {
            let place = self.cursor.place(trouble.at);
            let token = self.cursor.token(trouble.at, trouble.end);
            let error = GameError::new(self.games, trouble.ply, place, token, trouble.problem);
            if reading != Reading::Done {
                self.cursor.back_to(trouble.at);
                self.skip_game(reading == Reading::Tags);
            }
            error
        }))
    }
}

impl Reader<'_> {
    /// Goes to the next line that may start a game.
    fn skip_game(&mut self, mut in_tags: bool) {
        while !self.cursor.take_line().is_empty() {
            match self.cursor.peek() {
                Some('[') if !in_tags => break,
                Some('[' | '\n' | '\r') => {}
                _ => in_tags = false,
            }
        }
    }

    fn trouble(&self, ply: Option<usize>, at: usize, problem: Problem) -> Trouble {
        Trouble { ply, at, end: self.cursor.at(), problem }
    }

    /// Takes the character here as one that should not be there.
    fn unexpected(&mut self, ply: Option<usize>, expected: &'static str) -> Trouble {
        let at = self.cursor.at();
        self.cursor.take_while(|c| !c.is_whitespace());
        self.trouble(ply, at, Problem::Unexpected(expected))
    }

    fn game(&mut self, reading: &mut Reading) -> Result<Game, Trouble> {
        let mut start = Board::START.into();
        let (mut tags, mut outcome, mut outcome_at) = (Vec::new(), Outcome::Unknown, None);
        let mut wrong_tag = None;
        loop {
            self.cursor.take_while(char::is_whitespace);
            if let Some(comment) = self.comment(None)? {
                if !comment.is_empty() {
                    tags.push(("Comment".to_owned(), comment));
                }
                continue;
            }
            if self.cursor.peek() != Some('[') {
                break;
            }
            let (name, value, from, to) = self.tag()?;
            let wrong = |problem| Some(Trouble { ply: None, at: from, end: to, problem });
            match name.as_str() {
                "FEN" => match notation::parse(&value) {
                    Ok(position) => start = position,
                    Err(error) => wrong_tag = wrong_tag.or(wrong(Problem::Position(error.into()))),
                },
                "Result" => match read_outcome(&value) {
                    Some(read) => (outcome, outcome_at) = (read, Some((from, to))),
                    None => wrong_tag = wrong_tag.or(wrong(Problem::Unexpected(A_RESULT))),
                },
                "Variant" => match named_rules(&value) {
                    Some(named) if named == self.rules => {}
                    Some(named) => {
                        let problem = Problem::WrongRules { named, rules: self.rules };
                        wrong_tag = wrong_tag.or(wrong(problem));
                    }
                    None => tags.push((name, value)),
                },
                _ => tags.push((name, value)),
            }
        }
        *reading = Reading::Moves;
        let mut game = Game::new(self.rules, start);
        game.tags = tags;
        game.outcome = outcome;
        // A game that breaks the rules is still read to its end, to know where the next one starts.
        let mut broken = wrong_tag;
        if let Some(at) = self.moves(&mut game, &mut broken)? {
            outcome_at = Some(at);
        }
        *reading = Reading::Done;
        if let Some(broken) = broken {
            return Err(broken);
        }
        let (at, end) = outcome_at.unwrap_or((self.cursor.at(), 0));
        game.check_outcome().map_err(|problem| Trouble { ply: None, at, end, problem })?;
        Ok(game)
    }

    /// A tag: its name and value, and where the value is.
    fn tag(&mut self) -> Result<(String, String, usize, usize), Trouble> {
        let at = self.cursor.at();
        self.cursor.take(1);
        self.cursor.take_while(char::is_whitespace);
        let name = self.cursor.take_while(|c| c.is_alphanumeric() || c == '_').to_owned();
        if name.is_empty() {
            return Err(self.unexpected(None, "the name of a tag after ["));
        }
        self.cursor.take_while(char::is_whitespace);
        if self.cursor.peek() != Some('"') {
            return Err(self.unexpected(None, "the value of the tag, in quotes"));
        }
        self.cursor.take(1);
        let from = self.cursor.at();
        let mut value = String::new();
        loop {
            value += self.cursor.take_while(|c| !matches!(c, '"' | '\\'));
            match self.cursor.peek() {
                None => return Err(self.trouble(None, at, Problem::Unclosed("the tag"))),
                Some('"') => break,
                Some(_) => {
                    self.cursor.take(1);
                    match self.cursor.peek() {
                        Some(c @ ('"' | '\\')) => {
                            self.cursor.take(1);
                            value.push(c);
                        }
                        _ => value.push('\\'),
                    }
                }
            }
        }
        let to = self.cursor.at();
        self.cursor.take(1);
        self.cursor.take_while(char::is_whitespace);
        if self.cursor.peek() != Some(']') {
            return Err(self.unexpected(None, "] after the value of the tag"));
        }
        self.cursor.take(1);
        Ok((name, tidy(&value), from, to))
    }

    /// A comment, or a line to be passed over, if one starts here.
    fn comment(&mut self, ply: Option<usize>) -> Result<Option<String>, Trouble> {
        match self.cursor.peek() {
            Some('%') if self.cursor.starts_line() => {
                self.cursor.take_line();
                Ok(Some(String::new()))
            }
            Some(';') => Ok(Some(tidy(&self.cursor.take_line()[1..]))),
            Some('{') => {
                let at = self.cursor.at();
                self.cursor.take(1);
                let text = self.cursor.take_while(|c| c != '}');
                if self.cursor.take_char('}') {
                    Ok(Some(tidy(text)))
                } else {
                    Err(Trouble { ply, at, end: at + 1, problem: Problem::Unclosed("the comment") })
                }
            }
            _ => Ok(None),
        }
    }

    /// Takes a variation, with those inside it.
    fn variation(&mut self, ply: Option<usize>) -> Result<(), Trouble> {
        let at = self.cursor.at();
        let mut depth = 0usize;
        loop {
            if self.comment(ply)?.is_some() {
                continue;
            }
            match self.cursor.peek() {
                None => {
                    let problem = Problem::Unclosed("the variation");
                    return Err(Trouble { ply, at, end: at + 1, problem });
                }
                Some(c) => {
                    self.cursor.take(c.len_utf8());
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The moves and the result; where the result is. Of the rules that are broken, the first goes
    /// to `broken`; moves after it are read and not played.
    fn moves(
        &mut self,
        game: &mut Game,
        broken: &mut Option<Trouble>,
    ) -> Result<Option<(usize, usize)>, Trouble> {
        const A_MOVE: &str = "a move (A to F for South, a to f for North), a comment or a result";
        let mut number = 0;
        // A capture that is right if this is the last move.
        let mut gathered: Option<Trouble> = None;
        loop {
            self.cursor.take_while(char::is_whitespace);
            let ply = (number > 0).then_some(number);
            if let Some(text) = self.comment(ply)? {
                if let Some(last) = game.plies.last_mut()
                    && broken.is_none()
                    && !text.is_empty()
                {
                    last.comment = Some(match last.comment.take() {
                        Some(before) => format!("{before} {text}"),
                        None => text,
                    });
                }
                continue;
            }
            let Some(c) = self.cursor.peek() else { return Ok(None) };
            let at = self.cursor.at();
            match c {
                '[' => return Ok(None),
                '(' => self.variation(ply)?,
                '$' => {
                    self.cursor.take(1);
                    self.cursor.take_while(|c| c.is_ascii_digit());
                }
                '!' | '?' | '.' | '…' => {
                    self.cursor.take(c.len_utf8());
                }
                '*' => {
                    self.cursor.take(1);
                    return Ok(Some((at, self.cursor.at())));
                }
                '0'..='9' | '½' => {
                    self.cursor.take_while(|c| c.is_ascii_digit());
                    // Any other number is that of a move.
                    if matches!(self.cursor.peek(), Some('-' | '/' | '½')) {
                        let is_end = |c: char| c.is_whitespace() || "{(;[".contains(c);
                        self.cursor.take_while(|c| !is_end(c));
                        let token = self.cursor.since(at);
                        let Some(outcome) = read_outcome(token) else {
                            return Err(self.trouble(ply, at, Problem::Unexpected(A_RESULT)));
                        };
                        game.outcome = outcome;
                        return Ok(Some((at, self.cursor.at())));
                    }
                }
                'A'..='F' | 'a'..='f' => {
                    number += 1;
                    self.cursor.take(1);
                    let claimed = self.claimed(number)?;
                    if let Some(trouble) = gathered.take() {
                        broken.get_or_insert(trouble);
                    }
                    if broken.is_none()
                        && let Err(problem) = play(game, c, claimed, &mut |problem| {
                            gathered = Some(self.trouble(Some(number), at, problem));
                        })
                    {
                        *broken = Some(self.trouble(Some(number), at, problem));
                    }
                }
                _ => return Err(self.unexpected(ply, A_MOVE)),
            }
        }
    }

    /// The number of captured stones behind a move, if there is one.
    fn claimed(&mut self, ply: usize) -> Result<Option<u32>, Trouble> {
        let Some(sign @ ('+' | 'x' | 'X' | '×')) = self.cursor.peek() else { return Ok(None) };
        let at = self.cursor.at();
        self.cursor.take(sign.len_utf8());
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            let problem = Problem::Unexpected("the number of captured stones after the sign");
            return Err(self.trouble(Some(ply), at, problem));
        }
        // Digits that do not fit are wrong as well.
        Ok(Some(digits.parse().unwrap_or(u32::MAX)))
    }
}

/// Plays a move that is said to capture so many stones. What is right only if this is the last
/// move goes to `gathered`.
fn play(
    game: &mut Game,
    letter: char,
    claimed: Option<u32>,
    gathered: &mut impl FnMut(Problem),
) -> Result<(), Problem> {
    let south = game.now().south_to_move;
    let over = || matches!(game.state(), State::Over(_));
    if letter.is_ascii_uppercase() != south && !over() {
        return Err(Problem::WrongTurn { south });
    }
    let first = if letter.is_ascii_uppercase() { 'A' } else { 'a' };
    let pit = letter as usize - first as usize;
    let captured = game.play(pit).map_err(Problem::Refused)?.captured;
    let problem = Problem::WrongCapture { captured };
    match claimed {
        Some(claimed) if claimed != u32::from(captured) => {
            let row: u32 = game.now().board.waiting().iter().map(|&stones| u32::from(stones)).sum();
            let ends = game.repeated || matches!(game.state(), State::Over(_));
            if ends && claimed == u32::from(captured) + row {
                gathered(problem);
                Ok(())
            } else {
                Err(problem)
            }
        }
        _ => Ok(()),
    }
}

const A_RESULT: &str = "a result: the stones of South and North, such as 25-23, or 1-0, 0-1, 1/2-1/2 or *";

/// A result as it is written; None if it is none.
fn read_outcome(text: &str) -> Option<Outcome> {
    match text.trim() {
        "" | "?" | "*" => return Some(Outcome::Unknown),
        "1-0" => return Some(Outcome::South),
        "0-1" => return Some(Outcome::North),
        "1/2-1/2" | "½-½" | "1/2" | "½" => return Some(Outcome::Draw),
        _ => {}
    }
    let (south, north) = text.trim().split_once('-')?;
    let (south, north) = (south.trim().parse::<u8>().ok()?, north.trim().parse::<u8>().ok()?);
    (u32::from(south) + u32::from(north) <= MAX_STONES).then_some(Outcome::Stones(south, north))
}

/// The rules that a value of `Variant` names, if we know it.
fn named_rules(variant: &str) -> Option<Rules> {
    let named = Rules::ALL.into_iter().find(|&rules| variant_of(rules).eq_ignore_ascii_case(variant));
    named.or_else(|| variant.parse().ok())
}

/// What stands for rules in the tag `Variant`: Aualé's name, or ours.
fn variant_of(rules: Rules) -> &'static str {
    match rules {
        Rules::Abapa => "Oware Abapa",
        other => other.name(),
    }
}

/// Writes a game; ends with a new line. Read back under the same rules it is the same game, but
/// for comments and tags that are not [tidy].
///
/// ```
/// use awari::game::{Game, ogn};
/// use awari::{Board, Rules};
/// let mut game = Game::new(Rules::Abapa, Board::START.into());
/// game.play(5)?.comment = Some("why not".to_owned());
/// let text = ogn::write(&game);
/// assert_eq!(text, "[Variant \"Oware Abapa\"]\n[Result \"*\"]\n\n1. F { why not } *\n");
/// assert_eq!(ogn::read(&text, Rules::Abapa).next(), Some(Ok(game)));
/// # Ok::<(), awari::game::Refused>(())
/// ```
pub fn write(game: &Game) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
        if !name.is_empty() {
            let value = tidy(value).replace('\\', r"\\").replace('"', "\\\"");
            text += &format!("[{name} \"{value}\"]\n");
        }
    };
    if game.tag("Variant").is_none() {
        tag("Variant", variant_of(game.rules()));
    }
    for (name, value) in &game.tags {
        tag(name, value);
    }
    tag("Result", &game.outcome.to_string());
    let start = game.start();
    if start.board != Board::START || !start.south_to_move {
        // Aualé's own notation where all it needs is known.
        let fen = Notation::Auale.write(start).unwrap_or_else(|_| start.board.to_string());
        tag("FEN", &fen);
    }
    text.push('\n');
    let mut tokens = Vec::new();
    for (number, ply) in game.plies().iter().enumerate() {
        if number % 2 == 0 {
            tokens.push(format!("{}.", number / 2 + 1));
        }
        let captured = if ply.captured > 0 { format!("+{}", ply.captured) } else { String::new() };
        tokens.push(format!("{}{captured}", ply.play()));
        if let Some(comment) = &ply.comment {
            tokens.push("{".to_owned());
            tokens.extend(tidy(comment).split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
            tokens.push("}".to_owned());
        }
    }
    tokens.push(game.outcome.to_string());
    let mut width = 0;
    for token in tokens {
        let length = token.chars().count();
        if width > 0 {
            let fits = width + 1 + length <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        text += &token;
        width += length;
    }
    text.push('\n');
    text
}
