//! `migfit doctor`: what works here, what does not, and the command that mends it. Looks and tries, changes nothing.

mod finding;

mod parts;

mod tools;

mod driver;

mod gpus;

mod services;

mod self_test;

mod client;

mod form;

mod verb;

pub use client::client;
pub use finding::DoctorError;
pub use verb::doctor;
