//! Doing the same to many things, several at a time.

use std::sync::Mutex;
use std::thread;

/// What `work` made of each item, at most `workers` at a time.
///
/// **Order**: of the items, whichever was done first.
pub fn in_parallel<T: Sync, R: Send>(workers: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let queue = Mutex::new(items.iter().enumerate());
    let results = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no worker panics in the queue").next();
                    let Some((index, item)) = next else { break };
                    let result = work(item);
                    results.lock().expect("no worker panics among the results").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panicked among the results");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// How many things this machine does at a time.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(in_parallel(8, &items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(in_parallel(8, &[], |item: &usize| *item), Vec::<usize>::new());
    }
}
