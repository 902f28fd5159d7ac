//! Where scanf reads from: a stream or a text, character by character.

use super::files::Reader;

/// Where characters come from.
pub trait Input {
    /// The next character, left in place.
    fn peek(&mut self) -> Option<u8>;
    /// Passes the character that was peeked.
    fn advance(&mut self);
    /// What lies ready behind and with the character that was peeked.
    fn ahead(&self) -> &[u8];
    /// Passes so many characters of those that lie ready.
    fn pass(&mut self, count: usize);
    /// Characters passed.
    fn read(&self) -> usize;
}

/// Characters of a stream.
pub struct FromStream<'r> {
    /// The stream.
    pub reader: &'r mut Reader,
    /// Characters passed.
    pub read: usize,
}

impl Input for FromStream<'_> {
    #[inline(always)]
    fn peek(&mut self) -> Option<u8> {
        let byte = self.reader.peek();
        if byte.is_none() {
            self.reader.ended = true;
        }
        byte
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.reader.advance();
        self.read += 1;
    }
    #[inline(always)]
    fn ahead(&self) -> &[u8] {
        self.reader.ahead()
    }
    #[inline(always)]
    fn pass(&mut self, count: usize) {
        self.reader.pass(count);
        self.read += count;
    }
    fn read(&self) -> usize {
        self.read
    }
}

/// Characters of a text.
pub struct FromText<'t> {
    /// The text.
    pub text: &'t [u8],
    /// Characters passed.
    pub at: usize,
}

impl Input for FromText<'_> {
    fn peek(&mut self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
    fn advance(&mut self) {
        self.at += 1;
    }
    fn ahead(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }
    fn pass(&mut self, count: usize) {
        self.at += count;
    }
    fn read(&self) -> usize {
        self.at
    }
}
