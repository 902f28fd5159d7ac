//! Layouts and graphs in, text, JSON values and graphviz out: pure strings, no terminal and no colour.

pub mod picture;

pub mod summary;

pub mod dot;
