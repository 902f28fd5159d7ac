//! The words of a text with the place where a parser is, and what it asks of them.

use crate::text::error::{Place, PtxError};
use crate::text::literal::Literal;
use crate::text::tokens::{Kind, Token, tokens};

/// How deep braces and first values may lie in each other.
pub const DEEPEST: u32 = 64;

/// A text that is being read.
pub struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    end: Token<'a>,
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub fn new(text: &'a str) -> Result<Cursor<'a>, PtxError> {
        let mut tokens = tokens(text)?;
        let end = tokens.pop().unwrap_or(Token {
            kind: Kind::End,
            text: "",
            offset: text.len(),
            line: 1,
            column: 1,
        });
        Ok(Cursor {
            text,
            tokens,
            at: 0,
            end,
        })
    }

    /// The next word.
    pub fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    /// The word so many behind the next.
    pub fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens
            .get(self.at + ahead)
            .copied()
            .unwrap_or(self.end)
    }

    /// Takes the next word.
    pub fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Where the next word stands.
    pub fn place(&self) -> Place {
        self.peek().place()
    }

    /// Whether the next word is this one.
    pub fn is(&self, text: &str) -> bool {
        let next = self.peek();
        next.text == text && next.kind != Kind::Text
    }

    /// Takes the next word if it is this one.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    /// Takes this word.
    pub fn expect(&mut self, text: &str) -> Result<(), PtxError> {
        if self.take(text) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("'{text}'")))
        }
    }

    /// Takes a name.
    pub fn name(&mut self) -> Result<String, PtxError> {
        match self.peek() {
            Token {
                kind: Kind::Word,
                text,
                ..
            } => {
                self.at += 1;
                Ok(text.to_owned())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Takes an integer that fits.
    pub fn integer<T: TryFrom<u64>>(&mut self) -> Result<T, PtxError> {
        let value = match Literal::parse(self.peek().text) {
            Some(Literal::Integer(value, _)) => T::try_from(value).ok(),
            _ => None,
        };
        let value = value.ok_or_else(|| self.unexpected("an integer in its range"))?;
        self.at += 1;
        Ok(value)
    }

    /// Takes a number with its sign.
    pub fn number(&mut self) -> Result<Literal, PtxError> {
        let negative = self.take("-");
        let found = Literal::parse(self.peek().text).filter(|_| self.peek().kind == Kind::Number);
        let number = found.ok_or_else(|| self.unexpected("a number"))?;
        self.at += 1;
        Ok(if negative { number.negated() } else { number })
    }

    /// Takes `+8`, `-4`, `+-4` and the like, one behind the other: their sum.
    pub fn offset(&mut self) -> Result<i64, PtxError> {
        let mut sum = 0_i64;
        loop {
            let negative = match self.peek().text {
                "+" => false,
                "-" => true,
                _ => return Ok(sum),
            };
            self.at += 1;
            let Literal::Integer(value, _) = self.number()? else {
                return Err(self.unexpected("an integer"));
            };
            let value = value.cast_signed();
            sum = sum.wrapping_add(if negative {
                value.wrapping_neg()
            } else {
                value
            });
        }
    }

    /// Takes the words up to the end of the line, as they are.
    pub fn line(&mut self) -> String {
        let first = self.peek();
        let rest = self.text.get(first.offset..).unwrap_or_default();
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        // What follows on the line is a comment.
        let line = line.split("//").next().unwrap_or_default().trim_end();
        let end = first.offset + line.len();
        while self.peek().offset < end && self.peek().kind != Kind::End {
            self.at += 1;
        }
        line.to_owned()
    }

    /// Takes the words through this one, as they are.
    pub fn through(&mut self, last: &str) -> Result<String, PtxError> {
        let start = self.peek().offset;
        while !self.is(last) {
            if self.peek().kind == Kind::End {
                return Err(self.unexpected(&format!("'{last}'")));
            }
            self.at += 1;
        }
        let end = self.next();
        let text = self.text.get(start..end.offset + end.text.len());
        Ok(text.unwrap_or_default().to_owned())
    }

    /// The error that something else stands here.
    pub fn unexpected(&self, wanted: &str) -> PtxError {
        let next = self.peek();
        let found = match next.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("'{}'", next.text),
        };
        PtxError::new(next.place(), format!("expected {wanted}, found {found}"))
    }
}
