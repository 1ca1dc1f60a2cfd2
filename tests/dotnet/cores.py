"""Make real cores of .NET programs: a runtime from the package index, compiled by mono's mcs.

Made once a run and shared by all workers, as everything of `tests.crashes` is.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.crashes import made_once, needed
from workbench.evaluate.programs import settle

RUNTIME = "dotnetcore2==2.1.23"
SAMPLES = Path(__file__).with_name("samples")
_ENVIRONMENT = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
_REFERENCES = (
    "System.Runtime",
    "System.Private.CoreLib",
    "System.Console",
    "System.Collections",
    "System.Threading",
    "System.Threading.Tasks",
    "System.Threading.ThreadPool",
    "System.Threading.Thread",
    "System.Runtime.Extensions",
)


def host() -> Path:
    """The ``dotnet`` program of a runtime of our own."""
    with made_once("dotnet", RUNTIME) as (folder, fresh):
        if fresh:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            command += ["--disable-pip-version-check", "--target", str(folder / "site"), RUNTIME]
            _run(command)
    return folder / "site" / "dotnetcore2" / "bin" / "dotnet"


def runtime() -> Path:
    """The folder of the runtime: libcoreclr.so, createdump and SOS."""
    (folder,) = (host().parent / "shared" / "Microsoft.NETCore.App").iterdir()
    return folder


def program(name: str) -> Path:
    """A sample compiled, ready for ``dotnet``."""
    source = SAMPLES / f"{name}.cs"
    with made_once("dotnet-program", name, source.read_text()) as (folder, fresh):
        assembly = folder / f"{name}.dll"
        if fresh:
            command = [
                str(needed("mcs")),
                "-nostdlib",
                "-noconfig",
                "-target:exe",
                "-warn:0",
                "-debug",
            ]
            command += [f"-r:{runtime() / one}.dll" for one in _REFERENCES]
            _run([*command, f"-out:{assembly}", str(source)])
            wanted = f'{{"name": "Microsoft.NETCore.App", "version": "{runtime().name}"}}'
            settings = f'{{"runtimeOptions": {{"framework": {wanted}}}}}'
            assembly.with_suffix(".runtimeconfig.json").write_text(settings)
    return assembly


def snapshot(name: str) -> Path:
    """A core of a sample that lives on, by createdump once it says ``ready`` and then stands."""
    assembly = program(name)
    with made_once("dotnet-core", str(assembly)) as (folder, fresh):
        core = folder / "core"
        if fresh:
            running = subprocess.Popen(
                [str(host()), str(assembly)],
                stdout=subprocess.PIPE,
                env=_ENVIRONMENT,
                cwd=folder,
                text=True,
            )
            try:
                assert running.stdout is not None
                assert running.stdout.readline() == "ready\n"
                settle(running, None, 60)
                dumper = str(runtime() / "createdump")
                _run([dumper, "-f", str(core), "--withheap", str(running.pid)])
            finally:
                running.kill()
                running.communicate()
    return core


def crashed(name: str) -> Path:
    """The core that the runtime itself makes of a sample that crashes."""
    assembly = program(name)
    with made_once("dotnet-core", str(assembly)) as (folder, fresh):
        core = folder / "core"
        if fresh:
            asked = {"DbgEnableMiniDump": "1", "DbgMiniDumpType": "2", "DbgMiniDumpName": str(core)}
            given = {f"COMPlus_{key}": value for key, value in asked.items()}
            subprocess.run(
                [str(host()), str(assembly)],
                capture_output=True,
                env=_ENVIRONMENT | given,
                cwd=folder,
                timeout=60,
                check=False,
            )
    assert core.exists()
    return core


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
