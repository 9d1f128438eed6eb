//! Rows and columns of text, as Markdown has them.

/// A table to be read by people.
pub struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub fn new(head: &[&str]) -> Grid {
        Grid { rows: vec![head.iter().map(|&title| title.to_owned()).collect()] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints it: the first column to the left, numbers to the right.
    pub fn print(&self) {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().max(3)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(pad).collect();
            println!("| {} |", cells.join(" | "));
            if number == 0 {
                let rule = |(column, &width): (usize, &usize)| {
                    if column == 0 { "-".repeat(width) } else { "-".repeat(width - 1) + ":" }
                };
                println!("| {} |", widths.iter().enumerate().map(rule).collect::<Vec<_>>().join(" | "));
            }
        }
        println!();
    }
}

fn pad((column, (cell, &width)): (usize, (&String, &usize))) -> String {
    if column == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
}

/// A number with as many digits behind the point as it deserves.
pub fn number(number: f64) -> String {
    match number.abs() {
        n if n.is_nan() => "-".to_owned(),
        n if n >= 100.0 => format!("{number:.0}"),
        n if n >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}
