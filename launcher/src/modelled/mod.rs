//! Modelled time: what a virtual GPU counted of a job -> how long it would take on a slice, and its energy. A model, not a
//! measurement: the same counts give the same figures, to the last digit, on any machine.

mod energy;
mod rates;
mod roofline;

pub use rates::rates;
pub use roofline::{Modelled, Part, modelled};
