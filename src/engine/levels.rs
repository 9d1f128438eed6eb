//! The table by levels: all of it in memory, or a few levels at a time in windows onto a scratch
//! file.

use std::ops::Range;
use std::thread;

use super::captures::Captures;
use super::kernel::SLACK;
use super::maps::Maps;
use super::sowing::Class;
use super::storage::{Buffer, StorageError, Window};
use super::worth::Worth;
use crate::half;

/// A level of fewer positions is not worth a thread that reads it ahead.
const WORTH_READING_AHEAD: usize = 1 << 16;

/// Less than one row in so many is few: less to read one by one than the whole level.
const FEW: usize = 8;

/// The levels that can be looked at, by their number of waiting stones. Each has [`SLACK`] more
/// worths behind it.
#[derive(Clone)]
pub(super) struct View<'t, W> {
    levels: Vec<Option<&'t [W]>>,
    /// Rows of the levels, by their number, that are elsewhere.
    apart: (Range<usize>, &'t [W]),
}

impl<'t, W> View<'t, W> {
    /// Nothing but the level of so many waiting stones, some rows of which may be apart.
    pub fn of(maps: &Maps, waiting: usize, level: &'t [W], apart: (Range<usize>, &'t [W])) -> View<'t, W> {
        let mut levels = vec![None; maps.stones + 1];
        levels[waiting] = Some(level);
        View { levels, apart }
    }

    /// The row of the waiting half-board at `rank`, which has one, and what follows it, if its level is there.
    #[inline(always)]
    pub fn row(&self, maps: &Maps, waiting: usize, rank: usize) -> Option<&'t [W]> {
        let level = self.levels[waiting]?;
        let (rows, apart) = &self.apart;
        let row = maps.halves[waiting].row(rank);
        Some(if rows.contains(&row) {
            &apart[maps.row_start(waiting, row - rows.start)..]
        } else {
            &level[maps.row_start(waiting, row)..]
        })
    }
}

/// What a window can show, by the number of waiting stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// The captures of all boards with so many.
    Captures(usize),
    /// The positions with so many.
    Level(usize),
}

impl Part {
    fn size(self, maps: &Maps) -> usize {
        match self {
            Part::Captures(waiting) => half::count(waiting) * half::count(maps.stones - waiting),
            Part::Level(waiting) => maps.level(waiting).len(),
        }
    }

    fn read<W: Worth>(
        self,
        maps: &Maps,
        captures: &Captures<W>,
        table: &Buffer<W>,
        window: &mut Window<W>,
    ) -> Result<(), StorageError> {
        match self {
            Part::Captures(waiting) => captures.read(waiting, window),
            Part::Level(waiting) => table.read(maps.level(waiting), window),
        }
    }
}

/// Positions with so many waiting stones: those of the waiting half-boards of some chunks and some of
/// the mover's half-boards, in whole chunks too.
pub(super) struct Level<'t, W> {
    pub waiting: usize,
    pub chunks: Range<usize>,
    pub columns: Range<usize>,
    pub worths: &'t mut [W],
}

impl<'t, W> Level<'t, W> {
    /// All positions with so many waiting stones.
    fn whole(maps: &Maps, waiting: usize, worths: &'t mut [W]) -> Level<'t, W> {
        let (chunks, columns) = (0..maps.chunks(waiting), 0..half::count(maps.stones - waiting));
        Level { waiting, chunks, columns, worths }
    }
}

/// The table.
pub(super) struct Levels<'a, W> {
    maps: &'a Maps,
    table: &'a mut Buffer<W>,
    /// Windows onto a scratch file, and what is in each: while one is looked at, the other is read.
    /// Both also serve as memory for tiles.
    windows: [(Window<W>, Option<Part>); 2],
    /// How many moves of half-boards of so many stones give so many stones.
    plays: Vec<Vec<u32>>,
    /// Whether levels are looked at from the fewest waiting stones up: every other time, because
    /// what was read last is still there.
    ascending: bool,
}

impl<'a, W: Worth> Levels<'a, W> {
    /// A table, with no matter what in it. There will be room for tiles of `tiles` worths, twice.
    pub fn new(
        maps: &'a Maps,
        table: &'a mut Buffer<W>,
        tiles: usize,
    ) -> Result<Levels<'a, W>, StorageError> {
        let most = if table.is_scratch() { maps.largest_level().max(tiles) } else { tiles };
        let window = || Window::new(most, SLACK);
        let windows = [(window()?, None), (window()?, None)];
        let plays = (0..=maps.stones).map(|own| {
            let mut plays = vec![0; own + 1];
            maps.halves[own].own.of_all().for_each(|play| plays[play.class().stones()] += 1);
            plays
        });
        let plays = if table.is_scratch() { plays.collect() } else { Vec::new() };
        Ok(Levels { maps, table, windows, plays, ascending: false })
    }

    /// Has the whole table filled, a level after the other from no waiting stones up.
    pub fn fill(&mut self, mut fill: impl FnMut(&mut [W])) -> Result<(), StorageError> {
        let [(window, shown), _] = &mut self.windows;
        *shown = None;
        for waiting in 0..=self.maps.stones {
            let level = self.maps.level(waiting);
            if self.table.is_scratch() {
                window.place(&level);
                fill(&mut window[..level.len()]);
                self.table.write(level, window)?;
            } else {
                fill(&mut self.table[level]);
            }
        }
        Ok(())
    }

    /// All of the table.
    pub fn table(&self) -> &Buffer<W> {
        self.table
    }

    /// Shows all there is to be seen for captures and moves that bring stones over by movers who have
    /// so many stones: calls `look` with the number of each in `movers`, first with the captures of all
    /// boards on which the mover has as many, row by row, and then or at the same time with views
    /// that together show every level to which he may give stones.
    pub fn show(
        &mut self,
        movers: &[usize],
        captures: &Captures<W>,
        mut look: impl FnMut(usize, Option<&[W]>, &View<W>),
    ) -> Result<(), StorageError> {
        let maps = self.maps;
        if !self.table.is_scratch() {
            let level = |waiting| self.table.get(self.with_slack(waiting));
            let view = View { levels: (0..=maps.stones).map(level).collect(), apart: (0..0, &[]) };
            for (number, own) in movers.iter().enumerate() {
                look(number, Some(captures.level(maps.stones - own)), &view);
            }
            return Ok(());
        }
        let sees = |&own: &usize, kept: usize| kept < own && Class::can_give(own - kept, own);
        let seen = (0..=maps.stones).filter(|&kept| movers.iter().any(|own| sees(own, kept)));
        let (few, mut levels): (Vec<usize>, Vec<usize>) =
            seen.partition(|&kept| movers.iter().all(|&own| self.sees_few(own, kept)));
        self.ascending = !self.ascending;
        if !self.ascending {
            levels.reverse();
        }
        self.will_see(movers, &few);
        let captured = movers.iter().map(|own| Part::Captures(maps.stones - own));
        let parts: Vec<Part> = captured.chain(levels.into_iter().map(Part::Level)).collect();
        let nothing = View { levels: vec![None; maps.stones + 1], apart: (0..0, &[]) };
        for (number, &part) in parts.iter().enumerate() {
            self.load(captures, part)?;
            let next = parts.get(number + 1).copied();
            self.while_reading(captures, part, next, |window| match part {
                Part::Captures(waiting) => {
                    let mover = movers.iter().position(|own| maps.stones - own == waiting);
                    mover.into_iter().for_each(|number| look(number, Some(window), &nothing));
                }
                Part::Level(waiting) => {
                    let mut view = nothing.clone();
                    view.levels[waiting] = Some(window);
                    let seeing = movers.iter().enumerate().filter(|(_, own)| sees(own, waiting));
                    seeing.for_each(|(number, _)| look(number, None, &view));
                }
            })?;
        }
        // Of these levels only the rows that are looked at were read.
        let mut view = nothing;
        few.iter().for_each(|&waiting| view.levels[waiting] = self.table.get(self.with_slack(waiting)));
        (0..movers.len()).for_each(|number| look(number, None, &view));
        Ok(())
    }

    /// Calls `work` with the window in which `part` is, and meanwhile reads the `next` one into the other.
    fn while_reading(
        &mut self,
        captures: &Captures<W>,
        part: Part,
        next: Option<Part>,
        work: impl FnOnce(&[W]),
    ) -> Result<(), StorageError> {
        let maps = self.maps;
        let [first, second] = &mut self.windows;
        let (shown, other) = if first.1 == Some(part) { (first, second) } else { (second, first) };
        let Some(next) = next.filter(|&next| other.1 != Some(next) && next.size(maps) >= WORTH_READING_AHEAD)
        else {
            work(&shown.0);
            return Ok(());
        };
        other.1 = None;
        let (table, window) = (&*self.table, &mut other.0);
        let read = thread::scope(|scope| {
            let read = || next.read(maps, captures, table, window);
            let reader = thread::Builder::new().spawn_scoped(scope, read);
            work(&shown.0);
            reader.ok().and_then(|reader| reader.join().ok())
        });
        // Without a thread it is read when it is needed.
        if let Some(read) = read {
            read?;
            other.1 = Some(next);
        }
        Ok(())
    }

    /// The table, and memory for tiles, in which nothing else is kept.
    pub fn table_and_tiles(&mut self) -> (&mut Buffer<W>, [&mut [W]; 2]) {
        let tiles = self.windows.each_mut().map(|(window, part)| {
            *part = None;
            window.all()
        });
        (self.table, tiles)
    }

    /// A level with what follows it.
    fn with_slack(&self, waiting: usize) -> Range<usize> {
        let level = self.maps.level(waiting);
        level.start..level.end + SLACK
    }

    /// Whether a mover who has `own` stones looks at few rows, if any, of the level where he keeps `kept`.
    fn sees_few(&self, own: usize, kept: usize) -> bool {
        let plays = own.checked_sub(kept).map_or(0, |given| self.plays[own][given]);
        (plays as usize) < self.maps.halves[kept].rows() / FEW
    }

    /// Starts reading the rows of these levels that movers who have so many stones look at.
    fn will_see(&self, movers: &[usize], levels: &[usize]) {
        let (maps, table) = (self.maps, &*self.table);
        for &own in movers {
            let seen = maps.halves[own].own.of_all().filter_map(|play| {
                let kept = own - play.class().stones();
                let width = half::count(maps.stones - kept);
                let row = || maps.level(kept).start + maps.row_of(kept, play.after());
                (kept < own && levels.contains(&kept)).then(row).map(|row| row..row + width)
            });
            table.will_touch(seen);
        }
    }

    /// Sees to it that a part is in a window.
    fn load(&mut self, captures: &Captures<W>, part: Part) -> Result<(), StorageError> {
        let [(window, there), (_, other)] = &mut self.windows;
        if *there != Some(part) && *other != Some(part) {
            *there = None;
            part.read(self.maps, captures, self.table, window)?;
            *there = Some(part);
        }
        Ok(())
    }
}

/// The levels of a pair, to be read and written: two, or in the middle one.
pub(super) struct Pair<'t, W> {
    maps: &'t Maps,
    table: &'t mut Buffer<W>,
    /// The levels, and for those of a scratch file where they are to be shown.
    levels: Vec<(usize, &'t mut Window<W>)>,
}

impl<'t, W: Worth> Pair<'t, W> {
    /// Those with so many waiting stones, ascending.
    pub fn new(
        maps: &'t Maps,
        table: &'t mut Buffer<W>,
        windows: [&'t mut Window<W>; 2],
        waiting: [usize; 2],
    ) -> Result<Pair<'t, W>, StorageError> {
        let mut levels: Vec<(usize, &mut Window<W>)> = waiting.into_iter().zip(windows).collect();
        levels.dedup_by_key(|&mut (waiting, _)| waiting);
        for (waiting, window) in &mut levels {
            table.read(maps.level(*waiting), window)?;
        }
        Ok(Pair { maps, table, levels })
    }

    /// Their worths.
    pub fn levels(&mut self) -> Vec<Level<'_, W>> {
        if self.table.is_scratch() {
            let shown = self.levels.iter_mut();
            return shown.map(|(waiting, window)| Level::whole(self.maps, *waiting, window)).collect();
        }
        let (mut rest, mut at) = (&mut **self.table, 0);
        let mut levels = Vec::with_capacity(self.levels.len());
        for &(waiting, _) in &self.levels {
            let range = self.maps.level(waiting);
            let (_, from) = std::mem::take(&mut rest).split_at_mut(range.start - at);
            let (worths, after) = from.split_at_mut(range.len());
            (rest, at) = (after, range.end);
            levels.push(Level::whole(self.maps, waiting, worths));
        }
        levels
    }

    /// Writes them back.
    pub fn store(self) -> Result<(), StorageError> {
        for (waiting, window) in &self.levels {
            self.table.write(self.maps.level(*waiting), window)?;
        }
        Ok(())
    }
}
