// A slab of jobs with raw links; remove() clears a link that the queue still follows.
use std::ptr;

struct Job {
    id: u32,
    cost: u64,
    next: *mut Job,
    owner: *const Owner,
}

struct Owner {
    name: String,
    budget: u64,
}

struct Queue {
    head: *mut Job,
    jobs: Vec<Box<Job>>,
    owners: Vec<Box<Owner>>,
}

impl Queue {
    fn new() -> Queue {
        Queue { head: ptr::null_mut(), jobs: Vec::new(), owners: Vec::new() }
    }

    fn owner(&mut self, name: &str, budget: u64) -> usize {
        self.owners.push(Box::new(Owner { name: name.to_string(), budget }));
        self.owners.len() - 1
    }

    fn push(&mut self, id: u32, cost: u64, owner: usize) {
        let mut job = Box::new(Job { id, cost, next: self.head, owner: &*self.owners[owner] });
        self.head = &mut *job;
        self.jobs.push(job);
    }

    fn retire(&mut self, owner: usize) {
        let gone: *const Owner = &*self.owners[owner];
        for job in self.jobs.iter_mut() {
            if job.owner == gone {
                job.owner = ptr::null();
            }
        }
        println!("retired {}", self.owners[owner].name);
    }

    fn total(&self) -> u64 {
        let mut sum = 0;
        let mut at = self.head;
        while !at.is_null() {
            unsafe {
                sum += charge(&*at);
                at = (*at).next;
            }
        }
        sum
    }
}

unsafe fn charge(job: &Job) -> u64 {
    let owner = job.owner;
    let left = (*owner).budget;
    if left > job.cost { job.cost } else { left + job.id as u64 }
}

fn main() {
    let mut q = Queue::new();
    let a = q.owner("alpha", 40);
    let b = q.owner("beta", 70);
    for i in 0..6 {
        q.push(i, 10 + i as u64, if i % 2 == 0 { a } else { b });
    }
    println!("{}", q.total());
    q.retire(b);
    println!("{}", q.total());
}
