//! A PTX text -> its words, statements and bodies. Knows no directive but those of a module's head.

/// Words and signs of a text without its comments. A directive keeps its dot; `{ } ( ) [ ] , ; =` stand alone.
pub fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let stop = |c: char| c.is_whitespace() || "{}()[],;=\"".contains(c);
            let length = rest.find(stop).unwrap_or(rest.len()).max(first.len_utf8());
            found.push(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    found
}

/// The words up to the next `;`, `{` or `}` (which ends it, the `{` excluded).
pub fn statement<'a, 'w>(words: &'w [&'a str]) -> &'w [&'a str] {
    // The module's head has no semicolons: each of its lines is a statement by itself.
    let head = match words.first() {
        Some(&".version" | &".address_size") => 2,
        Some(&".target") => {
            1 + words
                .iter()
                .skip(1)
                .take_while(|word| !word.starts_with('.'))
                .count()
        }
        _ => 0,
    };
    let end = words
        .iter()
        .position(|word| matches!(*word, ";" | "{" | "}"));
    let end = end.map_or(words.len(), |end| {
        end + usize::from(words.get(end) != Some(&"{"))
    });
    let end = if head > 0 { head.min(end) } else { end };
    words.get(..end).unwrap_or(words)
}

/// The words of the `{ … }` that begins here, with what is within; none when it does not begin here.
pub fn body<'a, 'w>(words: &'w [&'a str]) -> &'w [&'a str] {
    let mut depth = 0_usize;
    for (nth, word) in words.iter().enumerate() {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return words
                .get(..if nth == 0 { 0 } else { nth + 1 })
                .unwrap_or_default();
        }
    }
    words
}
