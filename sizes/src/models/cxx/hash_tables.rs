//! The parts of `std::unordered_map` that live in the library: how many buckets, and the hash of bytes.

use super::node::{link, set};
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::value::Value;
use crate::models::number::arg;
use crate::models::table::Family;

/// The models of this file.
pub const MODELS: Family = &[
    (
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
        need_rehash,
    ),
    (
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
        next_buckets,
    ),
    ("_ZSt11_Hash_bytesPKvmm", hash_bytes),
];

/// Numbers of buckets that the library takes for up to 13 and for more elements, as it gives them.
const FEW: [u64; 14] = [1, 2, 2, 3, 5, 5, 7, 7, 11, 11, 11, 11, 13, 13];
#[rustfmt::skip]
const BUCKETS: &[u64] = &[
    17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 103, 109, 113, 127,
    137, 139, 149, 157, 167, 179, 193, 199, 211, 227, 241, 257, 277, 293, 313, 337, 359, 383, 409,
    439, 467, 503, 541, 577, 619, 661, 709, 761, 823, 887, 953, 1031, 1109, 1193, 1289, 1381, 1493,
    1613, 1741, 1879, 2029, 2179, 2357, 2549, 2753, 2971, 3209, 3469, 3739, 4027, 4349, 4703, 5087,
    5503, 5953, 6427, 6949, 7517, 8123, 8783, 9497, 10273, 11113, 12011, 12983, 14033, 15173, 16411,
    17749, 19183, 20753, 22447, 24281, 26267, 28411, 30727, 33223, 35933, 38873, 42043, 45481,
    49201, 53201, 57557, 62233, 67307, 72817, 78779, 85229, 92203, 99733, 107897, 116731, 126271,
    136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897, 256279, 277261, 299951, 324503,
    351061, 379787, 410857, 444487, 480881, 520241, 562841, 608903, 658753, 712697, 771049, 834181,
    902483, 976369, 1056323, 1142821, 1236397, 1337629, 1447153, 1565659, 1693859, 1832561, 1982627,
    2144977, 2320627, 2510653, 2716249, 2938679, 3179303, 3439651, 3721303, 4026031, 4355707,
    4712381, 5098259, 5515729, 5967347, 6456007, 6984629, 7556579, 8175383, 8844859, 9569143,
    10352717, 11200489, 12117689, 13109983, 14183539, 15345007, 16601593, 17961079, 19431899,
    21023161, 22744717, 24607243, 26622317, 28802401, 31160981, 33712729, 36473443, 39460231,
    42691603, 46187573, 49969847, 54061849, 58488943, 63278561, 68460391, 74066549, 80131819,
    86693767, 93793069, 101473717, 109783337, 118773397, 128499677, 139022417, 150406843, 162723577,
    176048909, 190465427, 206062531, 222936881, 241193053, 260944219, 282312799, 305431229,
    330442829, 357502601, 386778277, 418451333, 452718089, 489790921, 529899637, 573292817,
    620239453, 671030513, 725980837, 785430967, 849749479, 919334987, 994618837, 1076067617,
    1164186217, 1259520799, 1362662261, 1474249943, 1594975441, 1725587117, 1866894511, 2019773507,
    2185171673, 2364114217, 2557710269, 2767159799, 2993761039, 3238918481, 3504151727, 3791104843,
    4101556399, 4294967291, 6442450933, 8589934583, 12884901857, 17179869143, 25769803693,
];

/// The number of buckets for so many elements, and how many fit then.
fn buckets(count: u64, load: f32) -> Option<(u64, u64)> {
    let buckets = match FEW.get(usize::try_from(count).ok()?) {
        Some(few) => *few,
        None => *BUCKETS.iter().find(|buckets| **buckets >= count)?,
    };
    if count == 0 {
        return Some((1, 0));
    }
    Some((buckets, (buckets as f64 * f64::from(load)).floor() as u64))
}

/// The policy: largest load as a float at 0, elements that fit at 8. (policy, count).
fn next_buckets(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let policy = arg(args, 0).get()?;
    let load = f32::from_bits(host.memory.load(policy, 4).get()? as u32);
    let (buckets, fits) = buckets(arg(args, 1).get()?, load).ok_or(Mark::TOO_LARGE)?;
    if fits > 0 {
        set(host, policy, 8, fits);
    }
    Ok(Value::known(buckets))
}

/// (policy, buckets, elements, new ones): whether more buckets are needed, and how many.
fn need_rehash(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    const FIRST: u64 = 11;
    let policy = arg(args, 0).get()?;
    let load = f32::from_bits(host.memory.load(policy, 4).get()? as u32);
    let fits = link(host, policy, 8)?;
    let (now, wanted) = (
        arg(args, 1).get()?,
        arg(args, 2).get()?.saturating_add(arg(args, 3).get()?),
    );
    host.second_result = Some(Value::known(0));
    if wanted <= fits {
        return Ok(Value::known(0));
    }
    let least = if fits == 0 { FIRST } else { 0 };
    let least = wanted.max(least) as f64 / f64::from(load);
    if least < now as f64 {
        set(
            host,
            policy,
            8,
            (now as f64 * f64::from(load)).floor() as u64,
        );
        return Ok(Value::known(0));
    }
    let count = (least.floor() as u64 + 1).max(now.saturating_mul(2));
    let (buckets, fits) = buckets(count, load).ok_or(Mark::TOO_LARGE)?;
    set(host, policy, 8, fits);
    host.second_result = Some(Value::known(buckets));
    Ok(Value::known(1))
}

/// (bytes, how many, seed): the library's hash, Austin Appleby's MurmurHash64A.
fn hash_bytes(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let count = arg(args, 1).get()?;
    let bytes = host.bytes(arg(args, 0), count)?;
    Ok(Value::known(hash(&bytes, arg(args, 2).get()?)))
}

fn hash(bytes: &[u8], seed: u64) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |value: u64| value ^ (value >> 47);
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let data = mix(u64::from_le_bytes(*word).wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let data = rest
            .iter()
            .rev()
            .fold(0, |data, byte| (data << 8) | u64::from(*byte));
        hash = (hash ^ data).wrapping_mul(FACTOR);
    }
    mix(mix(hash).wrapping_mul(FACTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASHES: [(&str, u64); 6] = [
        ("", 0x553e93901e462a6e),
        ("a", 0x454ddee488c1ed6b),
        ("abc", 0x32d82bf8ed3dba39),
        ("density", 0xc0eb5410bc8c9747),
        ("01234567", 0xf3f0cdb8cc0b5038),
        ("energy_of_the_whole_domain", 0x1f15d2bb72043f6c),
    ];

    /// What `std::hash<std::string>` gives on this platform.
    #[test]
    fn hashes_are_the_librarys() {
        const SEED: u64 = 0xc70f_6907;
        for (text, expected) in HASHES {
            assert_eq!(hash(text.as_bytes(), SEED), expected, "{text}");
        }
    }

    #[test]
    fn buckets_grow_as_the_librarys_do() {
        assert_eq!(buckets(11, 1.0), Some((11, 11)));
        assert_eq!(buckets(12, 1.0), Some((13, 13)));
        assert_eq!(buckets(24, 1.0), Some((29, 29)));
        assert_eq!(buckets(30, 0.5), Some((31, 15)));
        assert_eq!(buckets(u64::MAX, 1.0), None);
    }
}
