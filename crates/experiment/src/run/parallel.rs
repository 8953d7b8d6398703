//! Work on many items, several at a time.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Does something for each item, `jobs` at a time; true if it was done for all. One at a time, it is done in
/// the calling thread. Items are begun in
/// their order, so that interrupted work is done up to a point and the longest can be put first.
/// After the first `false` or error no more are begun.
pub fn each<T: Sync, E: Send>(
    items: &[T],
    jobs: usize,
    one: impl Fn(usize, &T) -> Result<bool, E> + Sync + Send,
) -> Result<bool, E> {
    // An error counts more than the end of other runs that it brings about.
    let error = Mutex::new(None);
    let one = |(i, item): (usize, &T)| match one(i, item) {
        Ok(true) => Some(()),
        Ok(false) => None,
        Err(e) => {
            error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            None
        }
    };
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(jobs).build().ok();
    let all = match (jobs > 1).then(pool).flatten() {
        Some(pool) => pool.install(|| items.iter().enumerate().par_bridge().try_for_each(one)),
        // Without threads of its own the work is slow, not impossible.
        None => items.iter().enumerate().try_for_each(one),
    };
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(all.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn items_are_begun_in_their_order_and_none_after_the_end() {
        let begun = Mutex::new(Vec::new());
        let all = each::<_, ()>(&[0; 100], 1, |i, _| {
            begun.lock().unwrap().push(i);
            Ok(i != 50)
        });
        assert_eq!(all, Ok(false));
        assert_eq!(begun.into_inner().unwrap(), (0..=50).collect::<Vec<_>>());
    }

    #[test]
    fn one_at_a_time_is_done_in_the_calling_thread() {
        let here = std::thread::current().id();
        let all = each::<_, ()>(&[0; 3], 1, |_, _| Ok(std::thread::current().id() == here));
        assert_eq!(all, Ok(true));
    }

    #[test]
    fn an_error_counts_more_than_the_end_that_it_brings_about() {
        let cancel = AtomicBool::new(false);
        let result = each(&[0; 8], 4, |i, _| {
            if i == 0 {
                cancel.store(true, Ordering::SeqCst);
                std::thread::yield_now();
                return Err("disk full");
            }
            Ok(!cancel.load(Ordering::SeqCst))
        });
        assert_eq!(result, Err("disk full"));
    }
}
