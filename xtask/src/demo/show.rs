//! Headings and command lines of the demo.

/// A chapter's heading.
pub fn chapter(title: &str) {
    println!("\n{title}\n{}", "=".repeat(title.len()));
}

/// A command as the user would type it.
pub fn command(line: &str) {
    println!("\n$ {line}");
}
