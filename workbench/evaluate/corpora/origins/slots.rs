// An index without a check that another function left behind. flags: -g -Cpanic=abort -Copt-level=1
struct Pool {
    slots: Vec<u64>,
    free: Vec<usize>,
    last: usize,
}

impl Pool {
    fn new(size: usize) -> Pool {
        Pool { slots: vec![7; size], free: (0..size).rev().collect(), last: 0 }
    }

    #[inline(never)]
    fn take(&mut self) -> usize {
        let at = self.free.pop().unwrap_or(0);
        self.last = at;
        at
    }

    #[inline(never)]
    fn mark_empty(&mut self, rounds: usize) {
        self.last = rounds.wrapping_sub(40) << 32; // origin slots::Pool::mark_empty
    }

    #[inline(never)]
    fn read_last(&self) -> u64 {
        unsafe { *self.slots.as_ptr().add(self.last) }
    }
}

fn main() {
    let mut pool = Pool::new(16);
    let mut total = 0u64;
    for round in 0..20 {
        let at = pool.take();
        total += at as u64;
        if round == 17 {
            pool.mark_empty(round);
        }
        total += pool.read_last();
    }
    println!("{}", total);
}
