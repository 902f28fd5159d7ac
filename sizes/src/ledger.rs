//! Device memory and launches as the evaluation goes: what is alive, the peak, each site's requests.
//! Takes places and numbers from the CUDA models; knows no values, marks or names of calls.

use crate::trace::Event;
use migfit_schema::kernel::Extent;
use migfit_schema::program::Place;
use std::collections::{BTreeSet, HashMap};

/// Granule of device memory in which the driver gives out allocations.
const GRANULE: u64 = 2 << 20;
/// Smaller requests share granules.
const SMALL: u64 = 1 << 20;
/// Alignment of a small request within its granule.
const SMALL_ALIGNMENT: u64 = 512;

/// Requests of one site.
#[derive(Clone, Debug)]
pub struct Requests {
    /// Where.
    pub place: Place,
    /// The call.
    pub api: &'static str,
    /// How often.
    pub times: u64,
    /// Smallest and largest known request.
    pub range: Option<(u64, u64)>,
    /// True where some request was not known.
    pub unknown: bool,
    /// Sum of known requests.
    pub total: u64,
    /// How often each size was asked for, in order of first request (`None`: not known); at most `MOST_SIZES` of
    /// them, what comes after is not listed.
    pub sizes: Vec<(Option<u64>, u64)>,
}

/// Sizes of one site that are listed one by one.
const MOST_SIZES: usize = 1024;

/// A launch's site, kernel and shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Where.
    pub place: Place,
    /// Mangled name of the kernel.
    pub kernel: String,
    /// Grid in blocks.
    pub grid: Option<Extent>,
    /// Block in threads.
    pub block: Option<Extent>,
    /// Dynamic shared memory.
    pub shared: Option<u64>,
}

/// Launches of one shape.
#[derive(Clone, Debug)]
pub struct Launches {
    /// Site, kernel and shape.
    pub shape: Shape,
    /// How often.
    pub count: u64,
    /// Whether the count hangs on no assumption.
    pub count_known: bool,
    /// Time of the last one, on the clock that the caller gives.
    pub last: u64,
}

/// The ledger.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Requested bytes alive now.
    pub live: u64,
    /// Largest `live` so far.
    pub peak: u64,
    /// Largest sum of rounded allocations so far.
    pub peak_rounded: u64,
    /// Both, as they were before anything uncertain came.
    certain: Option<(u64, u64)>,
    large_live: u64,
    small_live: u64,
    /// Allocations alive, by address.
    alive: HashMap<u64, Option<u64>>,
    /// Sites in order of first request.
    pub requests: Vec<Requests>,
    request_index: HashMap<(Place, &'static str), usize>,
    /// Shapes in order of first launch.
    pub launches: Vec<Launches>,
    launch_index: HashMap<Shape, usize>,
    /// The thread that runs now.
    pub agent: u64,
    /// Open while threads may run beside each other.
    window: Option<Window>,
    /// Events in order, where they are wanted.
    pub events: Option<Vec<Event>>,
    /// Checks gone past since the last call of CUDA's that they would have kept from happening; true where the device
    /// decides them.
    unchecked: BTreeSet<(Place, bool)>,
    /// Once memory has lacked: whether something was allocated or launched since.
    used_after_lack: Option<bool>,
    /// Checks on whose passing some allocation or launch rests.
    pub taken_to_pass: BTreeSet<(Place, bool)>,
}

/// What several threads did to device memory while nobody can tell in which order they ran.
#[derive(Debug)]
struct Window {
    /// Threads that took or freed device memory.
    agents: BTreeSet<u64>,
    /// Something was freed.
    frees: bool,
    /// Sums alive as if nothing were freed, the second and third as the driver rounds.
    live: u64,
    large: u64,
    small: u64,
}

impl Ledger {
    /// Notes that the program goes past a check that is not made.
    pub fn pass_unchecked(&mut self, place: Place, on_device: bool) {
        self.unchecked.insert((place, on_device));
    }

    /// Memory lacks for the first time. Until the device is used again nobody knows that the program goes on with less.
    pub fn lack(&mut self) {
        self.used_after_lack.get_or_insert(false);
    }

    /// Whether memory lacked and the device was used all the same.
    pub fn went_on_with_less(&self) -> bool {
        self.used_after_lack == Some(true)
    }

    /// Something happens that a failing check would have kept from happening.
    fn rest_on_checks(&mut self) {
        self.used_after_lack = self.used_after_lack.map(|_| true);
        if !self.unchecked.is_empty() {
            self.doubt();
            self.taken_to_pass.append(&mut self.unchecked);
        }
    }

    /// From here on threads may run beside each other.
    pub fn open_window(&mut self) {
        let window = Window {
            agents: BTreeSet::new(),
            frees: false,
            live: self.live,
            large: self.large_live,
            small: self.small_live,
        };
        self.window.get_or_insert(window);
    }

    /// All threads have ended. True where more than one of them used device memory: then all that was taken counts as
    /// alive at once.
    pub fn close_window(&mut self) -> bool {
        let Some(window) = self.window.take() else {
            return false;
        };
        let several = window.agents.len() > 1;
        if several && window.frees {
            self.peak = self.peak.max(window.live);
            self.raise_rounded(window.large, window.small);
        }
        several
    }

    fn raise_rounded(&mut self, large: u64, small: u64) {
        let small = small.checked_next_multiple_of(GRANULE).unwrap_or(u64::MAX);
        self.peak_rounded = self.peak_rounded.max(large.saturating_add(small));
    }

    /// Notes an allocation.
    pub fn allocate(&mut self, place: Place, api: &'static str, address: u64, bytes: Option<u64>) {
        self.rest_on_checks();
        self.note_request(place, api, bytes);
        // A request of zero bytes succeeds and gives null: nothing to free.
        if address != 0 {
            self.alive.insert(address, bytes);
        }
        if let Some(bytes) = bytes {
            self.live = self.live.saturating_add(bytes);
            let (class, rounded) = self.class(bytes);
            *class = class.saturating_add(rounded);
            self.peak = self.peak.max(self.live);
            self.raise_rounded(self.large_live, self.small_live);
            self.note_in_window(bytes);
        }
        if let Some(events) = &mut self.events {
            let api = api.to_owned();
            events.push(Event::Allocate { api, bytes });
        }
    }

    fn note_in_window(&mut self, bytes: u64) {
        let (small, rounded) = (bytes < SMALL, self.class(bytes).1);
        let agent = self.agent;
        if let Some(window) = &mut self.window {
            window.agents.insert(agent);
            window.live = window.live.saturating_add(bytes);
            let class = match small {
                true => &mut window.small,
                false => &mut window.large,
            };
            *class = class.saturating_add(rounded);
        }
    }

    /// From here on it is not certain what happens. The first call counts.
    pub fn doubt(&mut self) {
        self.certain.get_or_insert((self.peak, self.peak_rounded));
    }

    /// Both peaks, as far as they are certain to be reached.
    pub fn certain_peaks(&self) -> (u64, u64) {
        self.certain.unwrap_or((self.peak, self.peak_rounded))
    }

    /// What would be alive, rounded, with one more allocation.
    pub fn rounded_with(&self, bytes: u64) -> u64 {
        let granules = |bytes: u64| bytes.checked_next_multiple_of(GRANULE).unwrap_or(u64::MAX);
        let (large, small) = match bytes >= SMALL {
            true => (granules(bytes), 0),
            false => (0, bytes.next_multiple_of(SMALL_ALIGNMENT)),
        };
        let small = granules(self.small_live.saturating_add(small));
        self.large_live.saturating_add(large).saturating_add(small)
    }

    /// The running sum that a request counts in, and what it counts there.
    fn class(&mut self, bytes: u64) -> (&mut u64, u64) {
        if bytes >= SMALL {
            let rounded = bytes.checked_next_multiple_of(GRANULE).unwrap_or(u64::MAX);
            (&mut self.large_live, rounded)
        } else {
            (
                &mut self.small_live,
                bytes.next_multiple_of(SMALL_ALIGNMENT),
            )
        }
    }

    fn note_request(&mut self, place: Place, api: &'static str, bytes: Option<u64>) {
        let next = self.requests.len();
        let index = *self.request_index.entry((place, api)).or_insert(next);
        if index == next {
            self.requests.push(Requests {
                place,
                api,
                times: 0,
                range: None,
                unknown: false,
                total: 0,
                sizes: Vec::new(),
            });
        }
        let Some(requests) = self.requests.get_mut(index) else {
            return;
        };
        requests.times += 1;
        let listed = requests.sizes.len();
        match requests.sizes.iter_mut().find(|(size, _)| *size == bytes) {
            Some((_, times)) => *times += 1,
            None if listed < MOST_SIZES => requests.sizes.push((bytes, 1)),
            None => {}
        }
        match bytes {
            None => requests.unknown = true,
            Some(bytes) => {
                let (low, high) = requests.range.unwrap_or((bytes, bytes));
                requests.range = Some((low.min(bytes), high.max(bytes)));
                requests.total = requests.total.saturating_add(bytes);
            }
        }
    }

    /// Whether an allocation with this address is alive.
    pub fn is_alive(&self, address: u64) -> bool {
        self.alive.contains_key(&address)
    }

    /// Notes a free. False where nothing alive has this address.
    pub fn free(&mut self, address: u64) -> bool {
        let Some(bytes) = self.alive.remove(&address) else {
            return false;
        };
        if let Some(window) = &mut self.window {
            window.agents.insert(self.agent);
            window.frees = true;
        }
        if let Some(bytes) = bytes {
            self.live = self.live.saturating_sub(bytes);
            let (class, rounded) = self.class(bytes);
            *class = class.saturating_sub(rounded);
        }
        if let Some(events) = &mut self.events {
            events.push(Event::Free { bytes });
        }
        true
    }

    /// Frees everything, as a device reset does.
    pub fn free_all(&mut self) -> Vec<u64> {
        let mut addresses: Vec<u64> = self.alive.keys().copied().collect();
        addresses.sort_unstable();
        for address in &addresses {
            self.free(*address);
        }
        addresses
    }

    /// Notes a launch at time `now`.
    pub fn launch(&mut self, shape: Shape, now: u64) {
        self.rest_on_checks();
        if let Some(events) = &mut self.events {
            events.push(Event::Launch {
                kernel: shape.kernel.clone(),
                grid: shape.grid,
                block: shape.block,
                shared: shape.shared,
            });
        }
        if let Some(index) = self.launch_index.get(&shape) {
            if let Some(launches) = self.launches.get_mut(*index) {
                launches.count += 1;
                launches.last = now;
            }
            return;
        }
        self.launch_index.insert(shape.clone(), self.launches.len());
        self.launches.push(Launches {
            shape,
            count: 1,
            count_known: true,
            last: now,
        });
    }

    /// The counts of shapes launched at or after `since` hang on how often a loop runs.
    pub fn doubt_counts_since(&mut self, since: u64) {
        for launches in &mut self.launches {
            if launches.last >= since {
                launches.count_known = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place = Place { file: 0, line: 1 };

    #[test]
    fn the_peak_is_the_largest_sum_alive_at_once() {
        let mut ledger = Ledger::default();
        ledger.allocate(HERE, "cudaMalloc", 1, Some(100));
        ledger.allocate(HERE, "cudaMalloc", 2, Some(50));
        assert!(ledger.free(1));
        ledger.allocate(HERE, "cudaMalloc", 3, Some(60));
        assert_eq!((ledger.peak, ledger.live), (150, 110));
        assert_eq!(ledger.requests[0].range, Some((50, 100)));
        assert!(!ledger.free(1));
    }

    #[test]
    fn small_requests_share_a_granule_and_large_ones_round_up() {
        let mut ledger = Ledger::default();
        ledger.allocate(HERE, "cudaMalloc", 1, Some(1));
        ledger.allocate(HERE, "cudaMalloc", 2, Some(1000));
        assert_eq!(ledger.peak_rounded, 2 << 20);
        ledger.allocate(HERE, "cudaMalloc", 3, Some((2 << 20) + 1));
        assert_eq!(ledger.peak_rounded, 6 << 20);
    }

    #[test]
    fn what_threads_free_is_held_until_all_are_joined() {
        let mut ledger = Ledger::default();
        ledger.allocate(HERE, "cudaMalloc", 1, Some(100));
        ledger.open_window();
        for agent in [1, 2] {
            ledger.agent = agent;
            ledger.allocate(HERE, "cudaMalloc", 10 + agent, Some(30));
            ledger.free(10 + agent);
        }
        assert_eq!(ledger.peak, 130);
        assert!(ledger.close_window());
        assert_eq!((ledger.peak, ledger.live), (160, 100));
    }

    #[test]
    fn a_thread_that_is_alone_runs_in_a_known_order() {
        let mut ledger = Ledger::default();
        ledger.open_window();
        ledger.agent = 1;
        ledger.allocate(HERE, "cudaMalloc", 1, Some(30));
        ledger.free(1);
        ledger.allocate(HERE, "cudaMalloc", 2, Some(20));
        assert!(!ledger.close_window());
        assert_eq!(ledger.peak, 30);
    }

    #[test]
    fn absurd_requests_saturate() {
        let mut ledger = Ledger::default();
        ledger.allocate(HERE, "cudaMalloc", 1, Some(u64::MAX));
        ledger.allocate(HERE, "cudaMalloc", 2, Some(u64::MAX));
        assert_eq!((ledger.peak, ledger.peak_rounded), (u64::MAX, u64::MAX));
    }
}
