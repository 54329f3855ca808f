//! Sorting many numbers of 64 bits: digit by digit, the lowest first, leaving out digits that all have in
//! common.

const DIGIT: u32 = 11;
const FEW: usize = 256;

/// Sorts numbers; `scratch` is used and may hold anything afterwards.
pub(super) fn by_digits(keys: &mut Vec<u64>, scratch: &mut Vec<u64>) {
    if keys.len() <= FEW {
        keys.sort_unstable();
        return;
    }
    let first = keys[0];
    let (differing, is_sorted, _) =
        keys.iter().fold((0, true, 0), |(differing, sorted, last), &key| {
            (differing | (key ^ first), sorted & (last <= key), key)
        });
    if is_sorted {
        return;
    }
    scratch.clear();
    scratch.resize(keys.len(), 0);
    let mut shift = differing.trailing_zeros();
    while shift < u64::BITS && differing >> shift != 0 {
        let mask = (1_u64 << DIGIT) - 1;
        if differing >> shift & mask != 0 {
            pass(keys, scratch, shift, mask);
            std::mem::swap(keys, scratch);
        }
        shift += DIGIT;
    }
}

fn pass(keys: &[u64], out: &mut [u64], shift: u32, mask: u64) {
    let mut places = [0_u32; 1 << DIGIT];
    for key in keys {
        places[(key >> shift & mask) as usize] += 1;
    }
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for &key in keys {
        let place = &mut places[(key >> shift & mask) as usize];
        out[*place as usize] = key;
        *place += 1;
    }
}
