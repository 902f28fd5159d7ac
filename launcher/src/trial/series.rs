//! Run records as they grow -> the memory of each process over time, whole even where a record keeps the last points
//! only. Pure.

use migfit_schema::record::RunRecord;
use std::collections::BTreeMap;

/// Points that are kept of a process; beyond them neighbours become one, with the larger value.
const MOST_POINTS: usize = 1 << 14;

/// Memory over time of several processes.
#[derive(Debug, Default)]
pub struct Series(BTreeMap<(u64, u64), One>);

/// Memory over time of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct One {
    /// Nanoseconds since its first CUDA call, and bytes alive from then on.
    pub points: Vec<(u64, u64)>,
    /// Points that its record had lost before they were read.
    pub lost: u64,
    /// Points of its record that were read by now.
    pub seen: u64,
}

impl Series {
    /// Takes what is new in a record.
    pub fn add(&mut self, record: &RunRecord) {
        let key = (record.pid, record.start_time);
        self.0.entry(key).or_default().add(record);
    }

    /// The process that held most at once.
    #[must_use]
    pub fn largest(&self) -> Option<&One> {
        let peak = |one: &&One| one.points.iter().map(|(_, bytes)| *bytes).max();
        self.0.values().max_by_key(peak)
    }
}

impl One {
    fn add(&mut self, record: &RunRecord) {
        let new = record.series_points.saturating_sub(self.seen);
        let kept = (record.series.len() as u64).min(new);
        self.lost += new - kept;
        self.seen = record.series_points;
        let from = record.series.len() - usize::try_from(kept).unwrap_or(0);
        self.points.extend_from_slice(&record.series[from..]);
        while self.points.len() > MOST_POINTS {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let pairs = self.points.chunks(2);
        let one = |pair: &[(u64, u64)]| {
            let start = pair.first().map_or(0, |(time, _)| *time);
            (
                start,
                pair.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0),
            )
        };
        self.points = pairs.map(one).collect();
    }

    /// The most bytes alive in each of so many equal parts of the time until `end`, and that time in nanoseconds.
    #[must_use]
    pub fn columns(&self, count: usize, end: u64) -> Vec<u64> {
        let end = end
            .max(self.points.last().map_or(0, |(time, _)| *time))
            .max(1);
        let mut columns = vec![0; count];
        let mut at = 0;
        let mut alive = 0;
        for (nth, column) in columns.iter_mut().enumerate() {
            let until = (u128::from(end) * (nth as u128 + 1)).div_ceil(count as u128);
            *column = alive;
            while let Some((time, bytes)) = self.points.get(at)
                && (u128::from(*time) < until || nth + 1 == count)
            {
                alive = *bytes;
                *column = (*column).max(alive);
                at += 1;
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(points: &[(u64, u64)]) -> One {
        One {
            points: points.to_vec(),
            ..One::default()
        }
    }

    #[test]
    fn a_column_shows_the_most_that_was_alive_in_its_time() {
        let series = one(&[(0, 10), (5, 30), (6, 0), (100, 7)]);
        assert_eq!(series.columns(4, 100), [30, 0, 0, 7]);
        assert_eq!(one(&[(0, 10)]).columns(3, 90), [10, 10, 10]);
        assert_eq!(one(&[]).columns(2, 0), [0, 0]);
    }

    #[test]
    fn too_many_points_keep_their_peaks() {
        let mut series = one(&[(0, 1), (1, 9), (2, 3), (3, 2), (4, 5)]);
        series.halve();
        assert_eq!(series.points, [(0, 9), (2, 3), (4, 5)]);
    }
}
