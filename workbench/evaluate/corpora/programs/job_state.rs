enum Job {
    Idle,
    Busy(u32),
}

impl Job {
    #[inline(never)]
    fn start(self) -> Job {
        match self {
            Job::Idle => Job::Busy(1),
            Job::Busy(number) => panic!("job {number} was started twice"),
        }
    }
}

fn main() {
    let _ = Job::Idle.start().start();
}
