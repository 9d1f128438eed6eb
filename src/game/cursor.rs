//! A place in a text that moves forward, and knows its line.

use crate::notation::Place;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Lines up to here are counted: errors come in order, and counting starts from the last.
    counted: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, counted: 0, line: 1 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The text from `from` to here.
    pub(super) fn since(&self, from: usize) -> &'a str {
        &self.text[from..self.at]
    }

    /// The text from `from` to `to`; nothing if that is before.
    pub(super) fn token(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Takes the character if it is here.
    pub(super) fn take_char(&mut self, c: char) -> bool {
        let here = self.peek() == Some(c);
        if here {
            self.at += c.len_utf8();
        }
        here
    }

    /// Takes so many bytes, whole characters.
    pub(super) fn take(&mut self, bytes: usize) -> &'a str {
        let from = self.at;
        self.at += bytes;
        self.since(from)
    }

    /// Takes all characters that are so.
    pub(super) fn take_while(&mut self, is_so: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !is_so(c)).unwrap_or(rest.len()))
    }

    /// Goes back to an earlier place.
    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at.min(self.at);
    }

    /// Takes the rest of the line and its end.
    pub(super) fn take_line(&mut self) -> &'a str {
        let rest = self.rest();
        self.take(rest.find('\n').map_or(rest.len(), |end| end + 1))
    }

    /// Whether this is the first character of a line.
    pub(super) fn starts_line(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    /// The line and character of a place.
    pub(super) fn place(&mut self, at: usize) -> Place {
        let (low, high) = (at.min(self.counted), at.max(self.counted));
        let lines = self.text[low..high].matches('\n').count();
        self.line = if at >= self.counted { self.line + lines } else { self.line - lines };
        self.counted = at;
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        Place { line: self.line, column: self.text[start..at].chars().count() + 1 }
    }
}
