//! Memory in huge pages, as the engine has its own.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// A fixed number of plain values, zero at first.
pub struct Huge<T> {
    map: MmapMut,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Huge<T> {
    pub fn new(length: usize) -> Huge<T> {
        let map = MmapMut::map_anon((length * size_of::<T>()).max(1)).expect("memory for the bench");
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage); // only for speed
        Huge { map, length, kind: PhantomData }
    }
}

impl<T: Pod> Deref for Huge<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.length * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for Huge<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.map[..self.length * size_of::<T>()])
    }
}
