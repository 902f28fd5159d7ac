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

#[cfg(test)]
mod tests {
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
