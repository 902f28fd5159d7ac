//! Addresses: an object's number above the offset within it, so that differences and order within an object hold.
//! Between objects they mean nothing: see `provenance`. Knows neither objects nor values.

/// Bits of an address that are the offset within the object (512 GiB).
pub const OFFSET_BITS: u32 = 39;
/// Where an object begins within its part of the addresses: far from round numbers, so that no number of a program
/// looks like an address, and a multiple of every alignment.
const BEGIN: u64 = 0x15_a5a0_0000;
/// Set in addresses of stack objects.
pub const STACK: u64 = 1 << 62;
/// Set in addresses of functions.
const FUNCTION: u64 = 1 << 61;

/// Address of a function.
pub fn function_address(function: u32) -> u64 {
    FUNCTION | (u64::from(function) << 4)
}

/// Set, beside `FUNCTION`, in addresses of functions of the library.
const LIBRARY: u64 = 1 << 60;

/// Address of a function of the library.
pub fn library_address(number: u64) -> u64 {
    FUNCTION | LIBRARY | (number << 4)
}

/// The number of the library's function at an address.
pub fn library_number(address: u64) -> Option<u64> {
    let marked = address & 15 == 0 && address >> 60 == (FUNCTION | LIBRARY) >> 60;
    marked.then_some((address & (LIBRARY - 1)) >> 4)
}

/// The function at an address.
pub fn function_at(address: u64) -> Option<u32> {
    let index = address.wrapping_sub(FUNCTION) >> 4;
    (address & 15 == 0 && address >> 61 == 1)
        .then_some(index)?
        .try_into()
        .ok()
}

/// Address of a global plus an offset.
#[inline(always)]
pub fn global_address(global: u32, offset: i64) -> u64 {
    object_address(global as usize + 1).wrapping_add(offset as u64)
}

/// Offset of an address within its object.
#[inline(always)]
pub fn offset_of(address: u64) -> u64 {
    address.wrapping_sub(BEGIN) & ((1 << OFFSET_BITS) - 1)
}

/// Address of an object that is no stack object, by its number.
pub fn object_address(number: usize) -> u64 {
    ((number as u64) << OFFSET_BITS) | BEGIN
}

/// Address of a stack object, by its number.
pub fn stack_address(number: usize) -> u64 {
    STACK | object_address(number)
}

/// Which table an address points into, and the number there.
#[inline(always)]
pub fn number_of(address: u64) -> Option<(Table, usize)> {
    if address >> 61 == 0 {
        Some((Table::Objects, (address >> OFFSET_BITS) as usize))
    } else if address & STACK != 0 {
        Some((Table::Stack, ((address ^ STACK) >> OFFSET_BITS) as usize))
    } else {
        None
    }
}

/// The tables of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Globals, heap, device.
    Objects,
    /// Stack.
    Stack,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_addresses_of_their_own() {
        assert_eq!(function_at(function_address(7)), Some(7));
        assert_eq!(function_at(global_address(7, 0)), None);
        assert_eq!(function_at(0), None);
        assert_eq!(number_of(function_address(7)), None);
    }

    #[test]
    fn functions_of_the_library_are_none_of_the_program() {
        assert_eq!(library_number(library_address(3)), Some(3));
        assert_eq!(function_at(library_address(3)), None);
        assert_eq!(library_number(function_address(3)), None);
    }

    #[test]
    fn a_step_before_an_object_is_no_address_within_it() {
        let address = object_address(5).wrapping_sub(1);
        assert_eq!(number_of(address), Some((Table::Objects, 5)));
        assert_eq!(offset_of(address), (1 << OFFSET_BITS) - 1);
        assert_eq!(address.wrapping_add(1), object_address(5));
        assert_eq!(number_of(stack_address(3) + 8), Some((Table::Stack, 3)));
        assert_eq!(offset_of(stack_address(3) + 8), 8);
    }
}
