//! Whether a pass beside the compiler would take a core that nothing else uses.

use std::fs::read_to_string;

/// Whether fewer processes run now than we may use cores.
pub fn is_there() -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    running(&load).is_some_and(|running| running <= cores && cores > 1)
}

/// How many processes run or wait for a core, ourselves among them: `0.50 0.40 0.30 RUNNING/ALL LAST`.
fn running(load: &str) -> Option<usize> {
    let field = load.split_whitespace().nth(3)?;
    field.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_line_is_read() {
        assert_eq!(running("0.53 0.41 0.30 3/512 1234\n"), Some(3));
        assert_eq!(running(""), None);
    }
}
