//! A moment -> a date as people and programs read it, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-02-03T04:05:06Z`.
#[must_use]
pub fn rfc3339(moment: SystemTime) -> String {
    let [year, month, day, hour, minute, second] = fields(moment);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The name of a run that began then: `20260203-040506-PID`.
#[must_use]
pub fn run_name(moment: SystemTime) -> String {
    let [year, month, day, hour, minute, second] = fields(moment);
    let process = std::process::id();
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{process}")
}

/// Year, month, day, hour, minute, second. Years are counted from March, so that the leap day comes last, in eras
/// of 400 years, which all have the same number of days.
fn fields(moment: SystemTime) -> [u64; 6] {
    let seconds = moment
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let since_march_of_year_0 = days + 719_468;
    let (era, day_of_era) = (
        since_march_of_year_0 / 146_097,
        since_march_of_year_0 % 146_097,
    );
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    [
        year,
        month,
        day,
        second / 3600,
        second / 60 % 60,
        second % 60,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: u64) -> String {
        rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))
    }

    #[test]
    fn known_moments() {
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(951_868_800), "2000-03-01T00:00:00Z");
        assert_eq!(at(1_709_210_096), "2024-02-29T12:34:56Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn a_run_s_name_sorts_by_time() {
        let name = run_name(UNIX_EPOCH + Duration::from_secs(951_782_400));
        assert!(name.starts_with("20000229-000000-"), "{name}");
    }
}
