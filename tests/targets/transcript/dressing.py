"""What collectors make of a program's lines: one function a dress, by the name of its row."""

import html
import json
from collections.abc import Callable

from workbench.targets.transcript import dresses, records

Dress = Callable[[list[str]], list[str]]


def _front(text: str, *, trimmed: bool = False) -> Dress:
    def dress(lines: list[str]) -> list[str]:
        return [text + line if line or not trimmed else text.rstrip() for line in lines]

    return dress


def _escaped(line: str) -> str:
    return json.dumps(line)[1:-1]


def _each(write: Callable[[str], str]) -> Dress:
    return lambda lines: [write(line) for line in lines]


def _docker(line: str) -> str:
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": "2025-01-02T03:04:05.67Z"})


def _cri(lines: list[str]) -> list[str]:
    found = []
    for line in lines:
        front = "2025-01-02T03:04:05.678901234Z stderr"
        half = len(line) // 2
        found += [f"{front} P {line[:half]}", f"{front} F {line[half:]}"]
    return found


def _teamcity(text: str) -> str:
    for char, escape in (("|", "||"), ("'", "|'"), ("\n", "|n"), ("[", "|["), ("]", "|]")):
        text = text.replace(char, escape)
    return f"##teamcity[testStdErr name='till' out='{text}']"


def _elk(lines: list[str]) -> list[str]:
    record = {"@timestamp": "2025-01-02", "level": "ERROR", "message": "\n".join(lines)}
    return [json.dumps(record)]


def _trace(lines: list[str]) -> list[str]:
    return [json.dumps({"message": lines[0], "stack_trace": "\n".join(lines)})]


def _export(lines: list[str]) -> list[str]:
    found = []
    for line in lines:
        found += ["__CURSOR=s=1;i=2", "_PID=812", f"MESSAGE={line}", "_COMM=till", ""]
    return found


def _html(lines: list[str]) -> list[str]:
    return ["<html><body><pre>", *(html.escape(line) for line in lines), "</pre></body></html>"]


# Each takes lines one by one; what it adds can be told from what it had, line by line.
FRONTS: tuple[tuple[str, Dress], ...] = (
    ("an ISO time (GitHub, Azure, docker -t)", _front("2025-01-02T03:04:05.1234567Z ")),
    ("an ISO time (GitHub, Azure, docker -t)", _front("2025-01-02 03:04:05,678 ", trimmed=True)),
    ("a time in brackets (Taskcluster, Jenkins, spdlog)", _front("[2025-01-02 03:04:05.678] ")),
    ("a time in brackets (Taskcluster, Jenkins, spdlog)", _front("[03:04:05] ")),
    ("syslog's facility.severity (BusyBox, OpenWrt)",
     _front("2025-01-02 03:04:05 +0000 UTC daemon.err till[7]: ")),
    ("syslog's facility.severity (BusyBox, OpenWrt)",
     _front("Thu Jan  2 03:04:05 2025 user.notice till[7]: ")),
    ("logcat with user, process and its name",
     _front("2025-01-02 03:04:05.678 10349 812 813 net.till DEBUG: ")),
    ("a console's prompt", _front("till login: ")),
    ("VMware's log of a guest", _front("2025-01-02T03:04:05.678Z In(05) vcpu-5 - Guest: ")),
    ("a bare time; a serial monitor's arrow", _front("03:04:05.678 ")),
    ("a bare time; a serial monitor's arrow", _front("03:04:05 | ")),
    ("a bare time; a serial monitor's arrow", _front("03:04:05.678 -> ")),
    ("an access log (Apache, werkzeug)", _front("10.0.0.7 - - [02/Jan/2025 03:04:05] ")),
    ("uvicorn", _front("ERROR:    ")),
    ("Flask: LEVEL in module:", _front("[2025-01-02 03:04:05,678] ERROR in till: ")),
    ("a short date", _front("25/01/02 03:04:05 ")),
    ("syslog, journalctl", _front("Jan  2 03:04:05 box till[812]: ")),
    ("syslog, journalctl", _front("4月 02 03:04:05 box till[812]: ")),
    ("syslog, journalctl", _front("févr. 02 03:04:05 box till[812]: ")),
    ("bracketed fields behind a time (SRS, spdlog, Envoy, Elasticsearch)",
     _front("[2025-01-02 03:04:05.678][ERROR][812][a7557lwr] ")),
    ("bracketed fields behind a time (SRS, spdlog, Envoy, Elasticsearch)",
     _front("[2025-01-02 03:04:05.678][812][critical][till] [./source/till.h:104] ")),
    ("bracketed fields behind a time (SRS, spdlog, Envoy, Elasticsearch)",
     _front("[2025-01-02 03:04:05,678][INFO ][till.drawer             ] ")),
    ("ClickHouse: [ thread ] {query} <level> logger:",
     _front("2025.01.02 03:04:05.678901 [ 812 ] {} <Fatal> BaseDaemon: ")),
    ("a vendor's printk: task and processor", _front("[   12.345678] [pid:812,cpu0,till/0]")),
    ("a vendor's printk: task and processor", _front("[   12.345678]  (2)[812:till:2]")),
    ("syslog without a time: program[pid]:", _front("till[812]: ")),
    ("syslog behind a time: host program[pid]:",
     _front("2025-01-02T03:04:05.678901+00:00 box till[812]: ")),
    ("Celery", _front("[2025-01-02 03:04:05,678: ERROR/ForkPoolWorker-2] ")),
    ("Apache", _front("[Thu Jan 02 03:04:05.678901 2025] ")),
    ("PHP's error_log", _front("[03-Apr-2024 10:11:12 Europe/Paris] ")),
    ("ctime (MongoDB before 3)", _front("Thu Jan  2 03:04:05.678 [conn12] ")),
    ("MongoDB 3 and 4: severity component [context]",
     _front("2025-01-02T03:04:05.678+0000 F CONTROL  [conn12] ")),
    ("Docker's BuildKit", _front("#12 1.234 ")),
    ("pm2", _front("0|till  | ")),
    ("Bazel; vstest", _front("(03:04:05) ")),
    ("syslog's structure (RFC 5424)", _front("<165>1 2025-01-02T03:04:05.678Z box till 812 - - ")),
    ("the kernel's ring buffer", _front("<4>[   12.345678][ T1234] ")),
    ("a syslog priority", _front("<6>box till[812]: ")),
    ("logcat -v threadtime", _front("01-02 03:04:05.678  1234  1240 F DEBUG   : ")),
    ("logcat -v time", _front("01-02 03:04:05.678 F/DEBUG   ( 1234): ")),
    ("logcat -v brief", _front("E/till    ( 1234): ")),
    ("Android Studio since Electric Eel",
     _front("2025-01-02 03:04:05.678   812-830   till              org.shop.till           E  ")),
    ("Android Studio since Electric Eel", _front("org.shop.till                        E  ")),
    ("Android Studio", _front("01-02 03:04:05.678 812-830/org.till E/till: ")),
    ("docker-compose, foreman", _front("web-1  | ")),
    ("Mozilla's harness", _front("03:04:05     INFO - GECKO(12) | ")),
    ("Dr. Memory", _front("~~Dr.M~~ ")),
    ("Ceph's recent events, Rook", _front("debug     -1> 2025-01-02T03:04:05.678+0000 ")),
    ("Ceph: thread, level", _front("2025-01-02 03:04:05.678123 7f63377f6780 -1 ")),
    ("ROS 2: [node-1], [LEVEL] [time] [node]:", _front("[till_node-2] ")),
    ("ROS 2: [node-1], [LEVEL] [time] [node]:",
     _front("till    | 2025-01-02 03:04:05.678 | [till-2] [ERROR] [1779079724.538044] [till]: ")),
    ("Redis", _front("812:M 02 Jan 2025 03:04:05.678 # ")),
    ("Redis", _front("[812] 02 Jan 03:04:05.678 # ")),
    ("Unreal", _front("[2025.01.02-03.04.05:678][123]")),
    ("ClickHouse without a time", _front("<Fatal> BaseDaemon: ")),
    ("Fuchsia", _front("[00123.456] 01234.01234> ")),
    ("glog, klog", _front("E0102 03:04:05.678901  1234 till.cc:12] ")),
    ("Chromium", _front("[812:830:0102/030405.678901:ERROR:till.cc(12)] ")),
    ("Spring Boot", _front("2025-01-02T03:04:05.678Z ERROR 812 --- [   main] o.shop.Till     : ")),
    ("log4j: LEVEL [logger]", _front("2025-01-02 03:04:05,678 ERROR [org.shop.Till] (main) ")),
    ("log4j: LEVEL [logger]", _front("ERROR [main] org.shop.Till - ")),
    ("log4j: LEVEL [logger]", _front("ERROR [stderr] ")),
    ("log4j: [thread] LEVEL logger -", _front("03:04:05.678 [main] ERROR org.shop.Till - ")),
    ("log4j: LEVEL logger -", _front("ERROR org.shop.Till - ")),
    ("Rust's tracing", _front("2025-01-02T03:04:05.678901Z ERROR till::drawer: ")),
    ("env_logger", _front("[2025-01-02T03:04:05Z ERROR till] ")),
    ("Python's logging", _front("ERROR:till.drawer:")),
    ("loguru", _front("2025-01-02 03:04:05.678 | ERROR    | till:close:12 - ")),
    ("spdlog, hclog: [logger] [level]", _front("[2025-01-02 03:04:05.678] [till] [error] ")),
    ("spdlog, hclog: [logger] [level]", _front("03:04:05.678 [error] ")),
    ("Azure", _front("2025-01-02T03:04:05.1234567Z ##[error]")),
    ("TeamCity", _front("[03:04:05]W:\t [Step 1/3] ")),
    ("ESPHome", _front("[03:04:05][E][app:029]: ")),
    ("zerolog's console", _front("3:04PM ERR ")),
    ("stderr, by name", _front("[stderr] ")),
    ("stderr, by name", _front("stderr: ")),
    ("UCX: [host:pid:number:thread]", _front("[node13:40763:0:40790] ")),
    ("mpirun", _front("[1,0]<stderr>:")),
    ("kubectl --prefix", _front("[pod/till-7d9f/till] ")),
    ("AWS Lambda",
     _front("2025-01-02T03:04:05.678Z\t0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f\tERROR\t")),
    ("PETSc", _front("[0]PETSC ERROR: ")),
    ("Xorg", _front("(EE) ")),
    ("DebugView", _front("00000012\t1.23456789\t[812] ")),
    ("DebugView", _front("00000012\t22:39:53\t[812] ")),
    ("Kubernetes (CRI)", _front("2025-01-02T03:04:05.678901234Z stderr F ", trimmed=True)),
    ("a level", _front("2025-01-02 03:04:05 ERROR ")),
    ("hclog's name", _front("2025-01-02T03:04:05.678Z [ERROR] client.driver_mgr: ")),
    ("hclog's name", _front("2025-01-02T03:04:05.678Z [INFO]  agent: ")),
    ("hclog's name", _front("2025-01-02T03:04:05.678Z [DEBUG] plugin.till-provider_v3.4.0.exe: ")),
    ("a logger of log4j", _front("25/01/02 03:04:05 ERROR org.shop.Till: ")),
    ("Python: - name - LEVEL -", _front("2025-01-02 03:04:05,678 - till - ERROR - ")),
    ("the kernel's host and name", _front("2025-01-02T03:04:05+00:00 box kernel: ")),
    ("Heroku", _front("2025-01-02T03:04:05.678901+00:00 app[web.1]: ")),
    ("Cloud Foundry", _front("2025-01-02T03:04:05.67+0000 [APP/PROC/WEB/0] ERR ")),
    ("Zuul", _front("2025-01-02 03:04:05.678901 | ubuntu-noble | ")),
    ("GitLab", _front("2025-01-02T03:04:05.678901Z 01E ")),
    ("Xcode, NSLog", _front("2025-01-02 03:04:05.678901+0000 till[812:4567] ")),
    ("log show", _front("2025-01-02 03:04:05.678901+0000 0x1a2b     Error       0x0       "
                        "           812    0    till: ")),
    ("Datadog, serilog", _front("2025-01-02 03:04:05.678 +00:00 [ERR] ")),
    ("ctest -V, srun -l", _front("3: ")),
    ("concurrently", _front("[1] ")),
    ("a harness's name", _front("FUZZER: ")),
    ("Jenkins' branches: [name]; Genode", _front("[linux debug] ")),
    ("turbo, nx: package:task:", _front("@shop/till:test: ")),
    ("a mail's quotation", _front("> ")),
    ("a table's or a box's border", _front("\u2502 ")),
    ("a comment", _front("// ")),
    ("an indent", _front("    ")),
    ("JSON: docker, ELK, journald", _each(_docker)),
    ("JSON: docker, ELK, journald",
     _each(lambda line: json.dumps({"MESSAGE": list(line.encode()) or "", "_PID": "812"}))),
    ("JSON: docker, ELK, journald",
     _each(lambda line: json.dumps({"ts": 1.5, "jsonPayload": {"msg": line, "x": [1]}}))),
    ("gdb's machine interface", _each(lambda line: f'~"{_escaped(line)}\\n"')),
    ("logfmt", _each(lambda line: f'time="2025-01-02" level=error msg="{_escaped(line)}"')),
    ("GitHub's and Azure's commands", _front("##vso[task.logissue type=error]")),
    ("a string of Python", _each(lambda line: f"{line + chr(10)!r},")),
    ("HTML's line breaks", _each(lambda line: f"{line}<br/>")),
)  # fmt: skip
# These put several lines into one, or lines of their own between them.
WHOLE: tuple[tuple[str, Dress], ...] = (
    ("Kubernetes (CRI)", _cri),
    ("JSON: docker, ELK, journald", _elk),
    ("JSON: docker, ELK, journald", _trace),
    ("JSON: docker, ELK, journald",
     lambda lines: [json.dumps([{"message": line} for line in lines])]),
    ("a string of Python", lambda lines: [repr("\n".join(lines).encode() + b"\n")]),
    ("a string of Python", lambda lines: ["stderr=" + repr("\n".join(lines) + "\n")]),
    ("a string of Python", lambda lines: [repr([line + "\n" for line in lines])]),
    ("TeamCity's service message", lambda lines: [_teamcity("\n".join(lines) + "\n")]),
    ("GitHub's and Azure's commands",
     lambda lines: ["::error file=till.c,line=3::" + "%0A".join(
         line.replace("%", "%25") for line in lines)]),
    ("rsyslog's octal escapes",
     lambda lines: ["Jan  2 03:04:05 box till[812]: " + "#012".join(lines).replace("\t", "#011")]),
    ("HTML's line breaks", lambda lines: ["<br/>".join(lines) + "<br/>"]),
    ("journald's export", _export),
    ("a page", _html),
)  # fmt: skip
NAMED = {
    name
    for table in (dresses.FRONTS, dresses.BEHIND, dresses.STEADY, dresses.MARKS, records.RECORDS)
    for name, *_ in table
}
