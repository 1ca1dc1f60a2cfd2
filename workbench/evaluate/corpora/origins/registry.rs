// A raw handle that outlives the box which it was made of. flags: -g -Cpanic=abort
use std::collections::HashMap;

struct Job {
    id: u64,
    steps: Vec<u64>,
}

struct Registry {
    jobs: HashMap<u64, Box<Job>>,
}

struct Handle {
    job: *const Job,
}

impl Registry {
    fn new() -> Registry {
        Registry { jobs: HashMap::new() }
    }

    fn add(&mut self, id: u64, steps: u64) -> Handle {
        let job = Box::new(Job { id, steps: (0..steps).collect() });
        let handle = Handle { job: &*job };
        self.jobs.insert(id, job);
        handle
    }

    fn finish(&mut self, id: u64) {
        let job = self.jobs.remove(&id);
        drop(job); // origin registry::Registry::finish
    }
}

impl Handle {
    fn total(&self) -> u64 {
        let job = unsafe { &*self.job };
        job.steps.iter().sum::<u64>() + job.id
    }
}

fn report(handles: &[Handle]) -> u64 {
    handles.iter().map(|handle| handle.total()).sum()
}

fn main() {
    let mut registry = Registry::new();
    let handles: Vec<Handle> = (0..6).map(|id| registry.add(id, 20 + id)).collect();
    println!("{}", report(&handles));
    registry.finish(2);
    let noise: Vec<[u64; 4]> = (0..3).map(|at| [at + 0x4141414141414141; 4]).collect();
    println!("{} {}", report(&handles), noise.len());
}
