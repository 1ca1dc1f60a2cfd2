"""Outputs in the shapes that WinDbg, cdb and kd print, of programs that never were."""

# ruff: noqa: E501 - lines as the debuggers print them

REGISTERS = """rax=0000000000000000 rbx=000001c7a3f41230 rcx=0000000000000018
rdx=0000000000000002 rsi=0000000000000000 rdi=000001c7a3f40f50
rip=00007ff6a1b21064 rsp=000000c1f2d6f8a0 rbp=0000000000000000
 r8=0000000000000001  r9=0000000000000000 r10=0000000000000000
iopl=0         nv up ei pl zr na po nc
cs=0033  ss=002b  ds=002b  es=002b  fs=0053  gs=002b             efl=00010246
orders!Basket::total+0x14 [D:\\src\\orders\\basket.cpp @ 41]:
00007ff6`a1b21064 8b4118          mov     eax,dword ptr [rcx+18h] ds:00000000`00000030=????????
"""
ANALYZE = f"""0:000> !analyze -v
*******************************************************************************
*                                                                             *
*                        Exception Analysis                                   *
*                                                                             *
*******************************************************************************

KEY_VALUES_INFO: 1

    Key  : Analysis.CPU.mSec
    Value: 2015

CONTEXT:  (.ecxr)
{REGISTERS}Resetting default scope

EXCEPTION_RECORD:  (.exr -1)
ExceptionAddress: 00007ff6a1b21064 (orders!Basket::total+0x0000000000000014)
   ExceptionCode: c0000005 (Access violation)
  ExceptionFlags: 00000000
NumberParameters: 2
   Parameter[0]: 0000000000000000
   Parameter[1]: 0000000000000030
Attempt to read from address 0000000000000030

PROCESS_NAME:  orders.exe

READ_ADDRESS:  0000000000000030

FAULTING_THREAD:  00002b40

STACK_TEXT:
000000c1`f2d6f8a0 00007ff6`a1b2113c     : 000001c7`a3f41230 00000000`00000002 00000000`00000000 00000000`00000000 : orders!Basket::total+0x14 [D:\\src\\orders\\basket.cpp @ 41]
000000c1`f2d6f8d0 00007ff6`a1b21390     : 00000000`00000001 000001c7`a3f40f50 00000000`00000000 00000000`00000000 : orders!checkout+0x3c [D:\\src\\orders\\checkout.cpp @ 17]
000000c1`f2d6f990 00000000`00000000     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : kernel32!BaseThreadInitThunk+0x14

SYMBOL_NAME:  orders!Basket::total+14

FAILURE_BUCKET_ID:  NULL_CLASS_PTR_READ_c0000005_orders.exe!Basket::total
"""
OLD_ANALYZE = """(9f8.c04): Access violation - code c0000005 (!!! second chance !!!)
*******************************************************************************
*                        Exception Analysis                                   *
*******************************************************************************

FAULTING_IP:
limits!set_limit+1e
00fd13de 894810          mov     dword ptr [eax+10h],ecx

EXCEPTION_RECORD:  ffffffffffffffff -- (.exr 0xffffffffffffffff)
ExceptionAddress: 0000000000fd13de (limits!set_limit+0x000000000000001e
)
   ExceptionCode: c0000005 (Access violation)
  ExceptionFlags: 00000000
NumberParameters: 2
   Parameter[0]: 0000000000000001
   Parameter[1]: 0000000000000010
Attempt to write to address 0000000000000010

FAULTING_THREAD:  0000000000000c04

PROCESS_NAME:  limits.exe

WRITE_ADDRESS:  0000000000000010

STACK_TEXT:
002df7e4 00fd1423 00fd1078 00fd1078 7f956000 limits!set_limit+0x1e
002df8b8 00fd1969 00000001 00328df8 0032e9c0 limits!main+0x23
002df908 00fd1b5d 002df924 766b7c04 7f956000 limitsAndOthers!__tmainCRTStartup+0
x199
002df924 770bad1f 7f956000 719abd8a 00000000 KERNEL32!BaseThreadInitThunk+0x24


FAULTING_SOURCE_LINE:  c:\\users\\somebody\\documents\\a long folder name\\
limits\\limits.cpp

FAULTING_SOURCE_LINE_NUMBER:  12

FAULTING_SOURCE_CODE:
    10: void set_limit(struct item *item)
    11: {
>   12:     item->limit = 4;
    13: }

FAILURE_BUCKET_ID:  NULL_POINTER_WRITE_c0000005_limits.exe!set_limit
"""
_TOP = "000000c1`f2d6f8a0 00007ff6`a1b2113c"
STACKS = {
    "k": (
        f"Child-SP          RetAddr           Call Site\n{_TOP} orders!Basket::total+0x14\n"
        "000000c1`f2d6f8d0 00007ff6`a1b21390 orders!checkout+0x3c [D:\\src\\orders\\checkout.cpp @ 17]\n"
        "000000c1`f2d6f910 00000000`00000000 helper+0x2850\n",
        ["Basket::total", "checkout", "helper+0x2850"],
    ),
    "kn": (
        f" # Child-SP          RetAddr               Call Site\n00 {_TOP}     orders!Basket::total+0x14\n"
        "0a 000000c1`f2d6f8d0 00007ff6`a1b21390     orders!checkout+0x3c\n",
        ["Basket::total", "checkout"],
    ),
    "kb32": (
        "ChildEBP RetAddr  Args to Child\n"
        "WARNING: Stack unwind information not available. Following frames may be wrong.\n"
        "0034e7f8 766319fc 0034e7ac 0034e820 00000000 app!`anonymous namespace'::work+0x15\n"
        "0034e840 766341d8 00000002 fffde000 00000000 app!main+0x8e\n",
        ["`anonymous namespace'::work", "main"],
    ),
    "kv": (
        "ChildEBP RetAddr  Args to Child\n"
        "0034e7f8 766319fc 0034e7ac 0034e820 00000000 app!work+0x15 (FPO: [Non-Fpo]) (CONV: cdecl) [c:\\a b\\w.c @ 3]\n"
        "0034e840 766341d8 00000002 fffde000 00000000 app!main+0x8e (FPO: [0,0,0])\n",
        ["work", "main"],
    ),
    "kp": (
        f" # Child-SP          RetAddr               Call Site\n00 {_TOP}     orders!Basket::total(int count = 0n2, class Item * item = 0x00000000`00000000)+0x14\n",
        ["Basket::total"],
    ),
    "kf": (
        "  Memory  ChildEBP RetAddr\n          0006fe54 77c0a8e9 app!deep+0x4\n       4c 0006fea0 77c0a8e9 app!main+0x9\n",
        ["deep", "main"],
    ),
    "kc": (
        " # Call Site\n00 app!logging::Message::~Message\n01 app!check\n02 app!main\n",
        ["logging::Message::~Message", "check", "main"],
    ),
    "inline": (
        f" # Child-SP          RetAddr               Call Site\n00 {_TOP}     orders!Basket::total+0x14\n"
        "01 (Inline Function) --------`--------     orders!sum+0x5 [D:\\src\\orders\\sum.h @ 8]\n"
        "02 000000c1`f2d6f8d0 00007ff6`a1b21390     orders!checkout+0x3c\n".replace(
            "00007ff6`a1b21390", "00007ff6`a1b21999"
        ),
        ["Basket::total", "sum", "checkout"],
    ),
    "dispatched": (
        " # Child-SP          RetAddr               Call Site\n"
        "00 000000c1`f2d6e000 00007ff9`1a2b0001     ntdll!NtWaitForSingleObject+0x14\n"
        "01 000000c1`f2d6e100 00007ff9`1a2b0002     reporter!write_dump+0x44\n"
        "02 000000c1`f2d6e200 00007ff6`a1b21064     ntdll!KiUserExceptionDispatch+0x2e\n"
        f"03 {_TOP}     orders!Basket::total+0x14\n",
        ["Basket::total"],
    ),
    "filter": (
        "ChildEBP RetAddr\n0034e7f8 766319fc ntdll!NtWaitForMultipleObjects+0x15\n"
        "0034e840 766341d8 kernel32!UnhandledExceptionFilter+0x161\n",
        ["NtWaitForMultipleObjects", "UnhandledExceptionFilter"],
    ),
}  # fmt: skip
STACKS["inline"] = (
    STACKS["inline"][0].replace("00007ff6`a1b2113c", "00007ff6`a1b21390"),
    STACKS["inline"][1],
)
THREADS = """0:000> ~
.  0  Id: 1a2c.2b40 Suspend: 0 Teb: 000000c1`f2e0d000 Unfrozen "worker pool"
   1  Id: 1a2c.1f08 Suspend: 0 Teb: 000000c1`f2e0f000 Unfrozen
  12  id: 16.a3   Teb 7ffdd000 Unfrozen
"""
LOCKS = """0:000> !locks

CritSec app!g_orders+0 at 00007ff6a1b40120
WaiterWoken        No
LockCount          1
RecursionCount     1
OwningThread       2c10
EntryCount         0
ContentionCount    1
*** Locked

CritSec app!g_stock+0 at 00007ff6a1b40160
LockCount          1
RecursionCount     1
OwningThread       1f08
*** Locked

Scanned 214 critical sections
0:000> ~
.  0  Id: 1a2c.2b40 Suspend: 0 Teb: 000000c1`f2e0d000 Unfrozen
   1  Id: 1a2c.1f08 Suspend: 0 Teb: 000000c1`f2e0f000 Unfrozen
   2  Id: 1a2c.2c10 Suspend: 0 Teb: 000000c1`f2e11000 Unfrozen
0:000> ~*kb
   1  Id: 1a2c.1f08 Suspend: 0 Teb: 000000c1`f2e0f000 Unfrozen
RetAddr               : Args to Child                                                           : Call Site
 # Child-SP          RetAddr           : Args to Child : Call Site
00 000000c1`f31ff000 00007ff9`1a22b6fe     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : ntdll!NtWaitForAlertByThreadId+0x14
01 000000c1`f31ff100 00007ff9`1a22b2f2     : 00000000`00000000 00000000`00000000 00007ff6`a1b40120 00000000`00000000 : ntdll!RtlpWaitOnAddress+0xae
02 000000c1`f31ff200 00007ff6`a1b22010     : 00007ff6`a1b40120 00000000`00000000 00000000`00000000 00000000`00000000 : ntdll!RtlEnterCriticalSection+0xf2
03 000000c1`f31ff300 00000000`00000000     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : app!reserve+0x30 [D:\\src\\app\\stock.cpp @ 22]

   2  Id: 1a2c.2c10 Suspend: 0 Teb: 000000c1`f2e11000 Unfrozen
 # Child-SP          RetAddr           : Args to Child : Call Site
00 000000c1`f32ff000 00007ff9`1a22b2f2     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : ntdll!NtWaitForAlertByThreadId+0x14
01 000000c1`f32ff200 00007ff6`a1b23010     : 00007ff6`a1b40160 00000000`00000000 00000000`00000000 00000000`00000000 : ntdll!RtlEnterCriticalSection+0xf2
02 000000c1`f32ff300 00000000`00000000     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : app!ship+0x48 [D:\\src\\app\\ship.cpp @ 61]
"""
VERIFIER = """
=======================================
VERIFIER STOP 0000000F: pid 0x1A2C: corrupted suffix pattern

\t005A1000 : Heap handle
\t005A1FC8 : Heap block
\t00000038 : Block size
\t005A2000 : corruption address
=======================================
(1a2c.2b40): Break instruction exception - code 80000003 (first chance)
eax=00000000 ebx=00000000 ecx=6a226447 edx=0012fab7 esi=00f10ff8 edi=00000008
eip=6a22629c esp=0012fb5c ebp=0012fb80 iopl=0         nv up ei pl zr na po nc
cs=001b  ss=0023  ds=0023  es=0023  fs=003b  gs=0000             efl=00000246
verifier!VerifierStopMessage+0x1f8:
6a22629c cc              int     3
0:000> kb
ChildEBP RetAddr  Args to Child
0012fb80 6a2262a0 0000000f 6a2263e8 005a1000 verifier!VerifierStopMessage+0x1f8
0012fbd8 6a2273c8 005a1000 00000004 005a1fc8 verifier!AVrfpDphReportCorruptedBlock+0x1bd
0012fc24 010013a4 005a0000 01001002 005a1fc8 ntdll!RtlFreeHeap+0x69
0012fc3c 01001450 00000000 00000001 0006ffc0 notes!close_page+0x2b [d:\\src\\notes\\page.c @ 90]
"""
PAGE_HEAP = """0:000> !heap -p -a 1b7d5f10
    address 1b7d5f10 found in
    _DPH_HEAP_ROOT @ 51000
    in free-ed allocation (  DPH_HEAP_BLOCK:         VirtAddr         VirtSize)
                                    1b5d1b60:         1b7d5000             2000
    6b0d90b2 verifier!AVrfDebugPageHeapFree+0x000000c2
    77a31564 ntdll!RtlDebugFreeHeap+0x0000002f
    0036108c app!Cache::evict+0x0000001c
    003610ac app!main+0x0000002c

0:000> !heap -p -a 5d5ff8
    address 5d5ff8 found in
    _DPH_HEAP_ROOT @ 51000
    in busy allocation (  DPH_HEAP_BLOCK:         UserAddr         UserSize -         VirtAddr         VirtSize)
                                    5d1b60:          5d5ff0               10 -           5d5000             2000
    6b0d8e89 verifier!AVrfDebugPageHeapAllocate+0x00000229
    0036108c app!make+0x0000001c
"""
FREED_ACCESS = """(1a2c.2b40): Access violation - code c0000005 (first chance)
First chance exceptions are reported before any exception handling.
This exception may be expected and handled.
eax=1b7d5f10 ebx=00000000 ecx=00000000 edx=00000000 esi=00000000 edi=00000000
eip=00361044 esp=0012fb5c ebp=0012fb80 iopl=0         nv up ei pl zr na po nc
cs=001b  ss=0023  ds=0023  es=0023  fs=003b  gs=0000             efl=00010246
app!Cache::get+0x14:
00361044 8b4008          mov     eax,dword ptr [eax+8] ds:0023:1b7d5f18=????????
0:000> kn
 # ChildEBP RetAddr
00 0012fb80 003610b0 app!Cache::get+0x14 [d:\\src\\app\\cache.cpp @ 77]
01 0012fba0 00361200 app!main+0x30 [d:\\src\\app\\main.cpp @ 12]
"""
BUGCHECK = """3: kd> !analyze -v
*******************************************************************************
*                        Bugcheck Analysis                                    *
*******************************************************************************

DRIVER_IRQL_NOT_LESS_OR_EQUAL (d1)
An attempt was made to access a pageable (or completely invalid) address at an
interrupt request level (IRQL) that is too high.
Arguments:
Arg1: 0000000000000010, memory referenced
Arg2: 0000000000000002, IRQL
Arg3: 0000000000000001, value 0 = read operation, 1 = write operation
Arg4: fffff80711223344, address which referenced memory

STACK_TEXT:
ffffa88c`1f2d6f88 fffff807`0fc2a469     : 00000000`0000000a 00000000`00000010 00000000`00000002 00000000`00000001 : nt!KeBugCheckEx
ffffa88c`1f2d6f90 fffff807`11223344     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : nt!KiPageFault+0x469
ffffa88c`1f2d7120 00000000`00000000     : 00000000`00000000 00000000`00000000 00000000`00000000 00000000`00000000 : ratsdrv!RatsDpc+0x44 [d:\\drv\\dpc.c @ 101]
"""
MANAGED = """ModLoad: 00007ff7`52e50000 00007ff7`52e79000   apphost.exe
ModLoad: 00007ff8`85350000 00007ff8`85567000   C:\\WINDOWS\\System32\\ntdll.dll
(5fc4.6320): CLR exception - code e0434352 (first chance)
CLR exception type: System.FormatException
    "One of the identified items was in an invalid format."
(5fc4.6320): CLR exception - code e0434352 (!!! second chance !!!)
CLR exception type: System.AggregateException
    "One or more errors occurred."
KERNELBASE!RaiseException+0x6c:
00007ff8`8294567c 0f1f440000      nop     dword ptr [rax+rax]
"""
RPC = """0:002> ~1k
ChildEBP RetAddr
0068fba0 77e9e8eb ntdll!ZwWaitForSingleObject+0xb
0068fbe8 4eff0012 RPCRT4!UTIL_WaitForSyncIO+0x21
0068fc68 4ef98d5a RPCRT4!OSF_CCONNECTION__TransSendReceive+0xcb
0068fdf0 4efd56b3 RPCRT4!I_RpcSendReceive+0xc4
0068fe08 01002850 RPCRT4!NdrSendReceive+0x4f
0068ff40 01001f32 billing!fetch_rates+0x50
0:001> !rpcexts.rpcreadstack 68fba0
    CallID: 1
    IfStart: 19bb5061
    ProcNum: 0
            Protocol Sequence:      "ncacn_ip_tcp"  (Address: 00692ED8)
            Endpoint:       "1120"  (Address: 00693988)
0:001> !rpcexts.getendpointinfo 1120
PID  CELL ID   ST PROTSEQ        ENDPOINT
--------------------------------------------
0278 0000.0001 01            TCP 1120
0:001> !rpcexts.getcallinfo 1 19bb5061 0 278
PID  CELL ID   ST PNO IFSTART  TIDNUMBER CALLFLAG CALLID   LASTTIME CONN/CLN
----------------------------------------------------------------------------
0278 0000.0004 02 000 19bb5061 0000.0002 00000001 00000001 00072c09 0000.0003
0:001> !rpcexts.getdbgcell 278 0.4
Call
Status: Dispatched
Procedure Number: 0
Call ID: 0x1 (1)
Servicing thread identifier: 0x0.2
0:001> !rpcexts.getdbgcell 278 0.2
Thread
Status: Dispatched
Thread ID: 0x1A4 (420)
"""
TEXTS = (
    ANALYZE, OLD_ANALYZE, *(text for text, _ in STACKS.values()), THREADS, LOCKS, VERIFIER,
    PAGE_HEAP, FREED_ACCESS, BUGCHECK, MANAGED, RPC,
)  # fmt: skip
