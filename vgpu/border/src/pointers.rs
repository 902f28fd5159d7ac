//! Pointers that C callers hand in: where a result goes, and where an argument lies. Null is the caller's error.

use crate::Refusal;
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// Where the caller wants a result: null, or room for one `T` or for as many as it says. C callers make these.
#[repr(transparent)]
pub struct Out<T, R>(*mut T, PhantomData<fn() -> R>);

impl<T, R> Clone for Out<T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for Out<T, R> {}

impl<T, R: Refusal> Out<T, R> {
    /// No room.
    #[must_use]
    pub const fn null() -> Out<T, R> {
        Out(std::ptr::null_mut(), PhantomData)
    }

    /// Room that Rust code has.
    ///
    /// # Safety
    /// Null, or valid for writes of as many `T` as are put there, until the last is.
    #[must_use]
    pub const unsafe fn at(room: *mut T) -> Out<T, R> {
        Out(room, PhantomData)
    }

    /// Stores a result.
    ///
    /// # Errors
    /// When the caller gave no room.
    pub fn put(self, value: T) -> Result<(), R> {
        self.put_all(std::iter::once(value))
    }

    /// Stores results one after the other. The caller vouches for the room, as its interface asks of it.
    ///
    /// # Errors
    /// When the caller gave no room.
    pub fn put_all(self, values: impl IntoIterator<Item = T>) -> Result<(), R> {
        let room = self.room()?;
        for (nth, value) in values.into_iter().enumerate() {
            // SAFETY: not null, so by the C interface it points to room for all of them.
            unsafe { room.add(nth).write_unaligned(value) };
        }
        Ok(())
    }

    /// Stores a result where the caller wants one.
    pub fn offer(self, value: T) {
        // Null means that the caller does not want it.
        let _ = self.put(value);
    }

    /// Whether the caller gave no room.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The pointer itself, to hand on.
    ///
    /// # Errors
    /// When it is null.
    pub fn room(self) -> Result<*mut T, R> {
        if self.0.is_null() {
            Err(R::NULL_POINTER)
        } else {
            Ok(self.0)
        }
    }

    /// The 32-bit number that the room begins with: the version of a structure, or the room that an array has.
    ///
    /// # Errors
    /// When the caller gave no room.
    pub fn first_word(self) -> Result<u32, R> {
        // SAFETY: not null, so by the C interface it points to a structure that begins with such a number.
        Ok(unsafe { self.room()?.cast::<u32>().read_unaligned() })
    }

    /// The same room seen as that of another version of the structure.
    #[must_use]
    pub fn seen_as<U>(self) -> Out<U, R> {
        Out(self.0.cast(), PhantomData)
    }
}

/// What the caller hands in by pointer: null, or one or more `T`. C callers make these.
#[repr(transparent)]
pub struct In<T, R>(*const T, PhantomData<fn() -> R>);

impl<T, R> Clone for In<T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for In<T, R> {}

impl<T: Copy, R: Refusal> In<T, R> {
    /// No argument.
    #[must_use]
    pub const fn null() -> In<T, R> {
        In(std::ptr::null(), PhantomData)
    }

    /// An argument that Rust code has.
    ///
    /// # Safety
    /// Null, or valid for reads as long as it is asked; a `c_char` begins a NUL-terminated string.
    #[must_use]
    pub const unsafe fn at(argument: *const T) -> In<T, R> {
        In(argument, PhantomData)
    }

    /// The value.
    ///
    /// # Errors
    /// When the pointer is null.
    pub fn get(self) -> Result<T, R> {
        self.nth(0)
    }

    /// The `index`-th of several; the caller vouches that there are as many.
    ///
    /// # Errors
    /// When the pointer is null.
    pub fn nth(self, index: usize) -> Result<T, R> {
        // SAFETY: not null, so by the C interface it points to enough values of type `T`.
        Ok(unsafe { self.given()?.add(index).read_unaligned() })
    }

    /// Whether the caller gave nothing.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same argument seen as one of another type.
    #[must_use]
    pub fn seen_as<U>(self) -> In<U, R> {
        In(self.0.cast(), PhantomData)
    }

    fn given(self) -> Result<*const T, R> {
        if self.0.is_null() {
            Err(R::NULL_POINTER)
        } else {
            Ok(self.0)
        }
    }
}

impl<R: Refusal> In<c_char, R> {
    /// The NUL-terminated text.
    ///
    /// # Errors
    /// When the pointer is null.
    pub fn text<'a>(self) -> Result<&'a CStr, R> {
        // SAFETY: not null, so by the C interface it is a NUL-terminated string that outlives the call.
        Ok(unsafe { CStr::from_ptr(self.given()?) })
    }

    /// The text as UTF-8, which every name of ours is.
    ///
    /// # Errors
    /// When the pointer is null, or the text is not UTF-8.
    pub fn name<'a>(self) -> Result<&'a str, R> {
        self.text()?.to_str().map_err(|_| R::NO_SUCH_NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::tests::Code;

    #[test]
    fn a_null_room_is_the_callers_error_unless_it_is_optional() {
        let room = Out::<i32, Code>::null();
        assert_eq!(room.put(1), Err(Code::NULL_POINTER));
        assert_eq!(room.room().err(), Some(Code::NULL_POINTER));
        assert_eq!(room.first_word(), Err(Code::NULL_POINTER));
        room.offer(1);
        let mut value = 0;
        // SAFETY: room for one number.
        let room = unsafe { Out::<i32, Code>::at(&raw mut value) };
        assert_eq!(room.put(5), Ok(()));
        assert_eq!((value, room.first_word()), (5, Ok(5)));
    }

    #[test]
    fn results_go_one_after_the_other_even_where_the_room_is_not_aligned() {
        let mut bytes = [0_u8; 9];
        // SAFETY: eight bytes begin at the second.
        let room = unsafe { Out::<u8, Code>::at(bytes.as_mut_ptr().add(1)) };
        assert_eq!(room.seen_as::<u32>().put_all([0x0101_0101, 2]), Ok(()));
        assert_eq!(bytes, [0, 1, 1, 1, 1, 2, 0, 0, 0]);
    }

    #[test]
    fn arguments_are_values_and_texts() {
        // SAFETY: two numbers, read as such.
        let numbers = unsafe { In::<u16, Code>::at([3_u16, 4].as_ptr()) };
        assert_eq!((numbers.get(), numbers.nth(1)), (Ok(3), Ok(4)));
        assert_eq!(numbers.seen_as::<u8>().nth(2), Ok(4));
        assert!(!numbers.is_null() && In::<u16, Code>::null().is_null());
        assert_eq!(In::<u16, Code>::null().get(), Err(Code::NULL_POINTER));
        // SAFETY: NUL-terminated strings.
        let text = |text: &CStr| unsafe { In::<c_char, Code>::at(text.as_ptr()) }.name();
        assert_eq!(text(c"name"), Ok("name"));
        assert_eq!(text(c"\xff"), Err(Code::NO_SUCH_NAME));
        assert_eq!(In::<c_char, Code>::null().name(), Err(Code::NULL_POINTER));
    }
}
