//! Finds a function of a loaded library by reading its symbol table in memory: the one way to the real `dlsym` for a
//! library that stands in for `dlsym`. Comes in: a library's name and a function's. Goes out: its address.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

/// The address of `function` in the first loaded library whose file name begins with one of `libraries`.
pub fn exported(libraries: &[&[u8]], function: &CStr) -> *mut c_void {
    let mut search = Search {
        libraries,
        function,
        found: null_mut(),
    };
    // SAFETY: the callback gets back the search that lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    libraries: &'a [&'a [u8]],
    function: &'a CStr,
    found: *mut c_void,
}

unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    search: *mut c_void,
) -> c_int {
    // SAFETY: `exported` passed a `Search` that nobody else holds now, and the loader a record valid during the call.
    let (search, info) = unsafe { (&mut *search.cast::<Search>(), &*info) };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader's names end with a zero byte.
    let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if search.libraries.iter().any(|name| file.starts_with(name)) {
        // SAFETY: the record describes a library that is loaded, and stays so during the call.
        search.found =
            unsafe { Dynamic::of(info).and_then(|library| library.find(search.function)) }
                .unwrap_or(null_mut());
    }
    c_int::from(!search.found.is_null())
}

/// The parts of a loaded library's dynamic section that a look-up needs.
struct Dynamic {
    base: u64,
    symbols: *const libc::Elf64_Sym,
    strings: *const libc::c_char,
    hash: *const u32,
}

const DT_NULL: i64 = 0;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

impl Dynamic {
    /// # Safety
    /// `info` describes a loaded library.
    unsafe fn of(info: &libc::dl_phdr_info) -> Option<Dynamic> {
        // SAFETY: the loader's own program headers, `dlpi_phnum` of them.
        let headers =
            unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let dynamic = headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = address(info.dlpi_addr.wrapping_add(dynamic.p_vaddr)).cast::<[u64; 2]>();
        let (mut symbols, mut strings, mut hash) = (0, 0, 0);
        loop {
            // SAFETY: the section is an array of pairs that DT_NULL closes.
            let [tag, value] = unsafe { entry.read() };
            match tag.cast_signed() {
                DT_NULL => break,
                DT_STRTAB => strings = value,
                DT_SYMTAB => symbols = value,
                DT_GNU_HASH => hash = value,
                _ => {}
            }
            // SAFETY: not at DT_NULL yet.
            entry = unsafe { entry.add(1) };
        }
        // glibc has relocated these in place; other loaders leave them relative to the base.
        let absolute = |value: u64| {
            let relocated = value >= info.dlpi_addr;
            address(if relocated {
                value
            } else {
                info.dlpi_addr.wrapping_add(value)
            })
        };
        (symbols != 0 && strings != 0 && hash != 0).then(|| Dynamic {
            base: info.dlpi_addr,
            symbols: absolute(symbols).cast(),
            strings: absolute(strings).cast(),
            hash: absolute(hash).cast(),
        })
    }

    /// # Safety
    /// The pointers are those of a loaded library.
    unsafe fn find(&self, function: &CStr) -> Option<*mut c_void> {
        let wanted = gnu_hash(function.to_bytes());
        // SAFETY: layout of DT_GNU_HASH: four words, the bloom filter (64-bit words), the buckets, the chains; a chain
        // ends at a hash whose lowest bit is set. Symbol indices below the first hashed one have no chain.
        unsafe {
            let [buckets, first, bloom, _shift] = self.hash.cast::<[u32; 4]>().read();
            let bucket_at = self.hash.add(4 + 2 * bloom as usize);
            let chain_at = bucket_at.add(buckets as usize);
            let mut index = bucket_at.add((wanted % buckets.max(1)) as usize).read();
            while index >= first && index != 0 {
                let hash = chain_at.add((index - first) as usize).read();
                let symbol = &*self.symbols.add(index as usize);
                let same = hash | 1 == wanted | 1
                    && CStr::from_ptr(self.strings.add(symbol.st_name as usize)) == function;
                if same && symbol.st_shndx != 0 {
                    return Some(address(self.base.wrapping_add(symbol.st_value)));
                }
                if hash & 1 != 0 {
                    break;
                }
                index += 1;
            }
        }
        None
    }
}

fn address(value: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(usize::try_from(value).unwrap_or(0))
}

fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, byte| {
        hash.wrapping_mul(33).wrapping_add(u32::from(*byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_dlsym_finds() {
        for name in [c"malloc", c"printf", c"getpid", c"exit"] {
            // SAFETY: a plain look-up.
            let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            assert_eq!(exported(&[b"libc.so"], name), expected, "{name:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        assert!(exported(&[b"libc.so"], c"no_such_function_anywhere").is_null());
        assert!(exported(&[b"libnowhere.so"], c"malloc").is_null());
    }
}
