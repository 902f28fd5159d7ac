//! Rows of text -> columns that line up, indented, without borders or colour.

use comfy_table::{CellAlignment, ContentArrangement, Table};

/// The table as text; columns whose number is in `numeric` are aligned to the right.
#[must_use]
pub fn text(header: &[&str], rows: Vec<Vec<String>>, numeric: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.to_vec());
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((2, 0));
        if numeric.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// Characters of a whole line with remarks.
const WIDTH: usize = 118;
/// Characters that remarks have at least, whatever the other columns take.
const REMARKS: usize = 30;

/// The table as text; the last column holds sentences, which go on below where a line would be too long.
#[must_use]
pub fn with_remarks(header: &[&str], mut rows: Vec<Vec<String>>, numeric: &[usize]) -> String {
    let width = remarks_width(header, &rows);
    for row in &mut rows {
        if let Some(remarks) = row.last_mut() {
            *remarks = wrapped(remarks, width);
        }
    }
    text(header, rows, numeric)
}

/// What the other columns, each with two blanks in front, leave of a line.
fn remarks_width(header: &[&str], rows: &[Vec<String>]) -> usize {
    let others = header
        .iter()
        .enumerate()
        .take(header.len().saturating_sub(1));
    let taken: usize = others
        .map(|(column, title)| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            2 + widest.max(title.len())
        })
        .sum();
    WIDTH.saturating_sub(taken + 2).max(REMARKS)
}

/// The text in lines of at most so many characters, cut between words; a longer word stays whole.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let room = |line: &&mut String| line.chars().count() + 1 + word.chars().count() <= width;
        match lines.last_mut().filter(room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn remarks_are_cut_between_words() {
        let wrapped = super::wrapped;
        assert_eq!(wrapped("", 10), "");
        assert_eq!(wrapped("aa bb cc", 5), "aa bb\ncc");
        assert_eq!(wrapped("überlang x", 3), "überlang\nx");
    }

    #[test]
    fn columns_line_up_and_lines_end_without_blanks() {
        let rows = vec![
            vec!["lud.cu:7".to_owned(), "16".to_owned(), "a\nb".to_owned()],
            vec!["x".to_owned(), "16384".to_owned(), String::new()],
        ];
        let expected = "  PLACE     TIMES  NAME\n\
                        \x20 lud.cu:7     16  a\n\
                        \x20                  b\n\
                        \x20 x         16384\n";
        assert_eq!(
            super::text(&["PLACE", "TIMES", "NAME"], rows, &[1]),
            expected
        );
    }
}
