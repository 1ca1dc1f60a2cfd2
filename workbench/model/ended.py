"""How shells, supervisors and runners of tests tell that a process ended, for who splits a log and
for who reads it: whose sentence it is, what they call the end, the sentence.

They know no more than how a child ended. The groups are those of analyzers/log/format.py.
"""

import re

_BY = r"Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception"
_CODE = r"13(?P<code128>[245679])"  # a shell's: 128 and the signal's number
_NAMED = r"(?P<signal>SIG[A-Z]{2,6})\b"

ENDED: tuple[tuple[str, str, str], ...] = (
    ("systemd", "exited", r"(?:^| )(?P<message>\S{1,100}: (?:[Mm]ain|[Cc]ontrol|New main) process "
     r"exited, code=(?:dumped|killed), status=\d+/(?P<signal>[A-Z]+))"),
    ("systemd", "oom-kill", r"(?:^| )(?P<message>\S{1,100}: (?:A process of this unit has been "
     r"killed by the OOM killer|Failed with result 'oom-kill'))"),
    # YARN (ContainersMonitorImpl), Nomad's docker driver, Slurm's task/cgroup; Docker's inspect.
    ("the supervisor", "OOMKilled", r"(?P<message>\b(?:Container killed by YARN for exceeding "
     r"(?:\w+ )?memory limits|Exit Message: \"OOM Killed\"|Detected \d+ oom[_-]kill event).*)$"),
    ("the supervisor", "OOMKilled", r"^(?P<message>[\s\"]{0,60}OOMKilled\": true,?)$"),
    ("Kubernetes", "OOMKilled",
     r"^(?P<message>[\s\"]{0,60}[Rr]eason\"?: {1,20}\"?OOMKilled\"?,?)$"),
    ("Kubernetes", "exit code", r"^(?P<message>[\s\"]{0,60}[Ee]xit ?[Cc]ode\"?: {1,20}(?:13"
     r"(?P<code128>[45679])|128\+(?P<signal>\d+)),?)$"),
    ("PostgreSQL", "terminated", r"(?P<message>\b[\w ]{1,40}process \(PID (?P<process>\d+)\) was "
     r"terminated by signal (?P<signal>\d+).*)$"),
    ("the supervisor", "terminated",
     r"(?P<message>\b(?:worker process|child(?: process)?|[Pp]rocess|pid|PID|Worker)\b.{0,60}?"
     r"\b(?:exited on signal|exit signal [A-Za-z /]{3,40}? \(|exit signal:|killed by signal:?|"
     r"terminated by another process: signal=|got signal=|terminated by signal|died with signal|"
     r"crashed with signal|was sent) ?(?P<signal>SIG[A-Z]{2,6}|\d{1,2})\b.*)$"),
    ("Cargo", "terminated", r"(?P<message>process didn't exit successfully: .* \((?:signal: "
     r"(?P<signal>\d{1,2})|exit code: (?P<code>0x[0-9a-f]{8}))\b.*)$"),
    # The verb and the end of the line: any text may speak of such a code. Windows' exceptions.
    ("the supervisor", "exit code", r"(?P<message>\b(?:[Ee]xited|[Cc]ompleted|[Ff]ailed|[Ff]inished"
     rf"|[Tt]erminated) with (?:exit )?(?:code:? )?(?:{_CODE}|(?P<code>-10737\d{{5}}|"
     r"0x[cC]0000[0-9a-fA-F]{3}))(?:\.?| \([0-9A-Z].{0,60})$)"),
    ("the supervisor", "exit code", rf"(?P<message>\b[Ee]xit ?[Cc]ode[:=] ?{_CODE}\b.*)$"),
    ("the supervisor", "exit code", rf"(?P<message>\b[Ee]xit (?:code|status) {_CODE}\.?)$"),
    # Python's multiprocessing and subprocess: minus the signal's number; torchrun, ROS.
    ("the supervisor", "exit code",
     r"(?P<message>\bexit ?code ?: ?-(?P<signal>[45678]|9|11)\b.*)$"),
    ("the supervisor", "exit code",
     r"(?P<message>\bexit code -(?P<signal>[45678]|9|11)(?:, cmd .*|\.?))$"),
    # CTest, Source/CTest/cmCTestRunTest.cxx
    ("CTest", "exception", r"(?P<message>\bTest +#\d{1,6}: .{1,300}?(?:\*\*\*Exception: (?=[SIN])|"
     r"\.(?=[CS]))(?P<signal>SegFault|Illegal|Numerical|(?:Child|Subprocess) aborted).*)$"),
    # bash, jobs.c (notify_of_job_status); zsh, jobs.c (printjob); GNU make, job.c (child_error)
    ("the shell", "terminated", r"^(?:\S{1,300}: line \d{1,7}: {1,8}(?P<process>\d+)|zsh:|"
     r"\[\d{1,4}\] {1,4}[+-]? {0,4}(?P<process_>\d+)|g?make(?:\[\d+\])?: \*{3} \[.{1,300}\]) +"
     rf"(?P<message>(?P<signal>{_BY}|Killed|{_BY.lower()}|abort|killed|trace trap|illegal hardware "
     r"instruction)\b.*)$"),
    ("GNU make", "exit code",
     rf"^g?make(?:\[\d+\])?: \*{{3}} \[.{{1,300}}\] (?P<message>Error {_CODE})$"),
    # npm, subprocess, supervisord, fish, PM2, Airflow, Ray, Meson, billiard, torchrun, nextest
    ("the supervisor", "terminated",
     r"(?P<message>(?:^npm (?:ERR!|error) signal |\bdied with <Signals\.|\(terminated by |"
     r"\bterminated by signal |\bvia signal \[|\bNegsignal\.|\bworker died due to |"
     r"\bkilled by signal \d{1,2} (?=SIG)|\bexited with ['\"]signal \d{1,2} \(|"
     rf"^traceback : Signal \d{{1,2}} \(){_NAMED}.*)$"),
    ("the supervisor", "terminated", rf"^ {{2,16}}(?P<message>{_NAMED} \[ {{1,8}}[\d.]+s\] .*)$"),
    # Go, os/exec_posix.go (ProcessState.String), with syscall's words.
    ("the supervisor", "terminated", r"(?P<message>(?:^|[ \"'(=])signal: (?P<signal>segmentation "
     r"fault|aborted|bus error|illegal instruction|floating point exception|killed)"
     r"(?: \(core dumped\))?[\"')]?)$"),
    ("Slurm", "terminated", r"^srun: error: \S{1,100}: (?P<message>tasks? [\d,-]+: "
     rf"(?P<signal>{_BY}|Killed)\b.*)$"),
)  # fmt: skip

# GNAT: its runtime's own exceptions, and what stands above the stack of an unhandled one
# (binder's -E; System.Exception_Table, System.Traceback).
ADA_OWN = (
    r"(?:(?:CONSTRAINT|PROGRAM|STORAGE|TASKING)_ERROR|"
    r"(?:ADA|SYSTEM|GNAT|INTERFACES)\.[A-Z0-9_.]{2,100})"
)
ADA_STACK = r"^(?:Call stack traceback locations:|Load address: 0x)"


def unnamed(pattern: str) -> str:
    """A pattern without the names of its groups, which may stand beside others in one."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
