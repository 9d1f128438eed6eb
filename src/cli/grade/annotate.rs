//! Graded games, written with a comment on each move.

use awari::game::Game;
use awari::grade::Verdict;

use super::text;

/// Comments of ours start like this.
const MARK: &str = "awari: ";

/// Says in a comment on each move how it was graded.
pub fn annotate(game: &mut Game, verdicts: &[Verdict]) {
    for (ply, verdict) in verdicts.iter().enumerate() {
        let south = game.start().south_to_move == (ply % 2 == 0);
        let Some(comment) = game.comment_mut(ply) else { continue };
        // What an earlier run said is said anew.
        let theirs = comment.take().unwrap_or_default();
        let theirs = theirs.split_once(MARK).map_or(theirs.as_str(), |(theirs, _)| theirs).trim();
        let ours = match verdict {
            Verdict::Graded(grade) => format!("{MARK}{}", text::remark(grade, south)),
            Verdict::NoTable(_) | Verdict::Decided => String::new(),
        };
        let both = [theirs, ours.as_str()].join(" ");
        *comment = Some(both.trim().to_owned()).filter(|both| !both.is_empty());
    }
}
