//! Where runs are put: in memory, or in files of a folder. A run that grows is in memory while it is
//! small. A file holds the bytes of some runs, and behind them an index.

use std::ops::Range;
use std::sync::Arc;

use super::code::Parameters;
use super::folder::{Appending, Folder, RunFile, Trouble};
use super::key::Key;
use super::run::{Block, Data, Run, checksum};
use super::visited::Part;

/// A run of fewer bytes stays in memory until something is written down.
const SMALL: usize = if cfg!(test) { 1 << 7 } else { 1 << 20 };

/// A file of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub name: String,
    pub n_bytes: u64,
    /// Where the index begins, and its sum.
    pub index: u64,
    pub check: u64,
}

/// A run that grows at its end.
pub(super) struct Growing<'f, K> {
    run: Run<K>,
    folder: Option<&'f Folder>,
    name: String,
    file: Option<Appending>,
    /// Bytes in the file so far.
    n_bytes: u64,
}

impl<'f, K: Key> Growing<'f, K> {
    /// In memory, or in a file of this name.
    pub fn new(folder: Option<&'f Folder>, name: String) -> Self {
        Self { run: Run::empty(), folder, name, file: None, n_bytes: 0 }
    }

    /// Appends a run of greater keys, in memory.
    pub fn add(&mut self, more: Run<K>) -> Result<(), Trouble> {
        if self.file.is_none() {
            let run = std::mem::replace(&mut self.run, Run::empty());
            self.run = Run::joined([run, more]);
            if let (Some(folder), Data::Memory(bytes)) = (self.folder, &mut self.run.data)
                && bytes.len() > SMALL
            {
                let mut file = Appending::create(folder, &self.name)?;
                file.write(bytes)?;
                self.n_bytes = bytes.len() as u64;
                *bytes = Vec::new();
                self.file = Some(file);
            }
            return Ok(());
        }
        if let (Some(file), Data::Memory(bytes)) = (&mut self.file, &more.data) {
            file.write(bytes)?;
            let shift = self.n_bytes;
            self.n_bytes += bytes.len() as u64;
            let moved = more.blocks.into_iter().map(|it| Block { start: it.start + shift, ..it });
            self.run.blocks.extend(moved);
            self.run.n += more.n;
        }
        Ok(())
    }

    /// The run, in memory or in a file that is only needed as long as it is used.
    pub fn end_scratch(self) -> Run<K> {
        let Some(file) = self.file else { return self.run };
        Run { data: Data::File(Arc::new(file.finish()), 0, self.n_bytes), ..self.run }
    }

    /// The run; if it lies in a file, the file is complete and survives a crash.
    pub fn end(
        self,
        levels: Range<usize>,
        n_limbs: usize,
    ) -> Result<(Run<K>, Option<Entry>), Trouble> {
        let Some(file) = self.file else { return Ok((self.run, None)) };
        let (name, end) = (self.name, self.n_bytes);
        let (file, entry) = close(file, name, &[(levels, &self.run, 0, end)], n_limbs)?;
        Ok((Run { data: Data::File(Arc::new(file), 0, end), ..self.run }, Some(entry)))
    }
}

/// Writes the parts that are in memory to one file, and leaves them there.
pub(super) fn write_parts<K: Key>(
    folder: &Folder,
    name: String,
    parts: &mut [Part<K>],
    n_limbs: usize,
) -> Result<Entry, Trouble> {
    let mut file = Appending::create(folder, &name)?;
    let mut places = Vec::new();
    for part in &*parts {
        let start = file.n_bytes;
        if let Data::Memory(bytes) = &part.run.data {
            file.write(bytes)?;
            places.push(Some((start, file.n_bytes - start)));
        } else {
            places.push(None);
        }
    }
    let runs = parts.iter().zip(&places).filter_map(|(part, place)| {
        place.map(|(start, length)| (part.levels.clone(), &part.run, start, length))
    });
    let (file, entry) = close(file, name, &runs.collect::<Vec<_>>(), n_limbs)?;
    let file = Arc::new(file);
    for (part, place) in parts.iter_mut().zip(places) {
        if let Some((start, length)) = place {
            part.run.data = Data::File(Arc::clone(&file), start, length);
        }
    }
    Ok(entry)
}

/// A run in a file: the levels of its states, the run, and where its bytes are.
type Placed<'a, K> = (Range<usize>, &'a Run<K>, u64, u64);

/// Writes the index behind the data, and makes sure that all is on the disk.
fn close<K: Key>(
    mut file: Appending,
    name: String,
    runs: &[Placed<'_, K>],
    n_limbs: usize,
) -> Result<(RunFile, Entry), Trouble> {
    let mut bytes = Vec::new();
    runs.iter().for_each(|placed| write_part(placed, n_limbs, &mut bytes));
    let index = file.n_bytes;
    file.write(&bytes)?;
    file.sync()?;
    let (n_bytes, check) = (file.n_bytes, checksum(&bytes));
    Ok((file.finish(), Entry { name, n_bytes, index, check }))
}

/// Writes where the blocks of a run are.
fn write_part<K: Key>(
    (levels, run, start, length): &Placed<'_, K>,
    n_limbs: usize,
    bytes: &mut Vec<u8>,
) {
    let [first, behind] = [levels.start as u64, levels.end as u64];
    for number in [first, behind, run.blocks.len() as u64, run.n, *start, *length] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let mut limbs = vec![0; n_limbs];
    for block in &run.blocks {
        block.first.limbs(&mut limbs);
        limbs.iter().for_each(|limb| bytes.extend_from_slice(&limb.to_le_bytes()));
        bytes.extend_from_slice(&block.start.to_le_bytes());
        for number in [block.n_bytes, block.n_tags, block.n] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let codes = block.parameters.iter().flat_map(|it| [it.base, it.growth]);
        bytes.extend(codes);
        bytes.extend_from_slice(&block.check.to_le_bytes());
    }
}

/// Appends a run in memory, as it travels to another process.
pub(super) fn pack_run<K: Key>(run: &Run<K>, n_limbs: usize, bytes: &mut Vec<u8>) {
    let Data::Memory(data) = &run.data else { unreachable!("only runs in memory travel") };
    write_part(&(0..1, run, 0, data.len() as u64), n_limbs, bytes);
    bytes.extend_from_slice(data);
}

/// Reads the run that [`pack_run`] wrote, up to the end; `None` if that is not what these bytes are.
pub(super) fn unpack_run<K: Key>(mut bytes: &[u8], n_limbs: usize) -> Option<Run<K>> {
    let (_, run, _, length) = read_part(&mut bytes, n_limbs)?;
    let ends = |block: &Block<K>| block.start.checked_add(block.n_bytes.into());
    let is_inside = |block: &Block<K>| {
        block.n_tags <= block.n_bytes && ends(block).is_some_and(|end| end <= length)
    };
    let is_whole = bytes.len() as u64 == length && run.blocks.iter().all(is_inside);
    is_whole.then(|| Run { data: Data::Memory(bytes.to_vec()), ..run })
}

/// Opens the runs of a file again.
pub(super) fn open<K: Key>(
    folder: &Folder,
    entry: &Entry,
    n_limbs: usize,
) -> Result<Vec<Part<K>>, Trouble> {
    let file = Arc::new(RunFile::open(folder, &entry.name, entry.n_bytes)?);
    let wrong = || Trouble::damaged(&folder.file(&entry.name), "its index is not what was written");
    let length = entry.n_bytes.checked_sub(entry.index).ok_or_else(wrong)?;
    let mut bytes = vec![0; length as usize];
    file.read(entry.index, &mut bytes)?;
    if checksum(&bytes) != entry.check {
        return Err(wrong());
    }
    let (mut rest, mut parts) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let (levels, run, start, length) = read_part(&mut rest, n_limbs).ok_or_else(wrong)?;
        let data = Data::File(Arc::clone(&file), start, length);
        parts.push(Part { levels, run: Run { data, ..run } });
    }
    Ok(parts)
}

/// Reads what [`write_part`] wrote: a run without its bytes, and where these are.
fn read_part<K: Key>(rest: &mut &[u8], n_limbs: usize) -> Option<(Range<usize>, Run<K>, u64, u64)> {
    let levels = u64_of(rest)? as usize..u64_of(rest)? as usize;
    let [n_blocks, n, start, length] = [u64_of(rest)?, u64_of(rest)?, u64_of(rest)?, u64_of(rest)?];
    let (mut blocks, mut limbs) = (Vec::new(), vec![0; n_limbs]);
    for _ in 0..n_blocks {
        for limb in &mut limbs {
            *limb = u64_of(rest)?;
        }
        let start = u64_of(rest)?;
        let [n_bytes, n_tags, n] = [u32_of(rest)?, u32_of(rest)?, u32_of(rest)?];
        let (&[base, growth, of_tags, tags_growth], behind) = rest.split_first_chunk()?;
        *rest = behind;
        let parameters =
            [Parameters { base, growth }, Parameters { base: of_tags, growth: tags_growth }];
        let check = u64_of(rest)?;
        let first = K::of_limbs(&limbs);
        blocks.push(Block { first, start, n_bytes, n_tags, n, parameters, check });
    }
    Some((levels, Run { blocks, n, ..Run::empty() }, start, length))
}

pub(super) fn u64_of(rest: &mut &[u8]) -> Option<u64> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u64::from_le_bytes(*number))
}

pub(super) fn u32_of(rest: &mut &[u8]) -> Option<u32> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u32::from_le_bytes(*number))
}
