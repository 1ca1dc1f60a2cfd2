"""What is private by what stands around it: options, sentences, markup, headers, hosts of any
name; and what must stay as it is, because the analysis needs it."""

import re

import pytest

from tests.llm.redacting import goes_and_comes_back, read_soon, stays
from workbench.llm.redaction.redactor import Redactor
from workbench.llm.redaction.secrets import secrets_in

GONE = [
    ("mysql -uroot -phunter2 shop", "hunter2"),
    ("mysqldump --user=root -phunter2xx db", "hunter2xx"),
    ("/usr/bin/mysql -h db -psecr3t!", "secr3t!"),
    ("sshpass -p hunter2 ssh x", "hunter2"),
    ("curl -u joe:hunter2 http://x", "hunter2"),
    ("smbclient -U joe%hunter2 //x", "hunter2"),
    ("redis-cli -a hunter2 ping", "hunter2"),
    ("till --user marvin:Par4noid -x", "Par4noid"),
    ('password = L"M4gr4thea!"', "M4gr4thea!"),
    ('otp = "918273"', "918273"),
    ("http://h/pay?card=4111111111111111&x", "4111111111111111"),
    ("{pin = 492177, n = 5}", "492177"),
    ("till --pin 771199 -x", "771199"),
    ('aes_key = "RawAesBytes16"', "RawAes"),
    ('key32 = U"Key32xyz"', "Key32xyz"),
    ('12\twcscpy(a->wide_secret, L"Wid3Secret");', "Wid3"),
    ('memcpy(a->key32, U"Key32xyz", 32);', "Key32xyz"),
    # the bytes of what is hidden, as memory shows them
    ('pwd = "Vogon-Po", _M_allocated_capacity = 8020960888685555542', "8020960888685555542"),
    ('pwd = "Vogon-Po" and 0x7ffc10: 0x6f502d6e6f676f56 0x0', "6f502d6e6f676f56"),
    ('secret = "zzq7K!pp" word 0x7ffc10: 0x214b37717a7a text "zzq7K!"', "214b37717a7a"),
    ('secret = "zzq7K!pp" word 0x7ffc10: 0x5 text "zzq7K!"', '"zzq7K!"'),
    # slashes as JSON may write them
    ('"procPath" : "\\/Users\\/zaphodb42\\/app"', "zaphodb42"),
    ('"url": "https:\\/\\/ci7.acme.example\\/x"', "ci7"),
    ('"db": "postgres:\\/\\/svc:pw9long@db01\\/x"', "pw9long"),
    ('{"password": "a/b9longer"} {"url": "?p=a\\/b9longer"}', "a\\/b9longer"),
    # where a secret goes over several rows: the characters beside its bytes
    ('pwd = "Vogon-Poem9x"\n0x10: 56 6f 67 6f 6e 2d 50 6f  Vogon-Po\n', "Vogon-Po\n"),
    ('pwd = "Vogon-Poem9x"\n0x18: 65 6d 39 78 00 00 00 01  em9x....', "em9x"),
    ('pwd = "Vogon-Poem9x"\n1`10  6f676f56 6f502d6e  Vogon-Po', "Vogon-Po\n"),
    ('pwd = "Vog", \'g\' <repeats 12 times>, "on-Poem"', "on-Poem"),
    ('n = 3, passwd = 0x10 "Vog", \'g\' <repeats 12 times>, "on-Poem"', "on-Poem"),
    ("secret_key = std::vector of length 3, capacity 4 = {86 'V', 111 'o', 103 'g'}", "111 'o'"),
    ("client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo=", "UFJJVkFUR"),
    ("the password is hunter2.", "hunter2"),
    ("Password is: hunter2", "hunter2"),
    ("pwd: hunter2", "hunter2"),
    ("pass: hunter2", "hunter2"),
    ("password=hunter(it);Server=x", "hunter"),
    (
        'password = {_M_dataplus = {<std::allocator<char>> = {}, _M_p = 0x4e10 "rosebud"}}',
        "rosebud",
    ),
    ('api_token = {data_ptr = 0x55e3 "rosebud", length = 7}', "rosebud"),
    ('passwords = {0x4e10 "Alpha1", 0x4e20 "rosebud", 0x4e30 "Gamma3"}', "rosebud"),
    ('credentials = {first = "usr1", second = {_M_p = 0x4e10 "rosebud"}}', "rosebud"),
    ("secret = {<_Optional_base> = {" + "x" * 600 + ' = 0x4e10 "rosebud"}}', "rosebud"),
    ("my password was `hunter2`", "hunter2"),
    ("with password hunter2", "hunter2"),
    ("passphrase 'correct horse'", "correct horse"),
    ("<password>hunter2</password>", "hunter2"),
    ('<add key="Password" value="hunter2"/>', "hunter2"),
    ("<ApiKey type='x'>abcd9</ApiKey>", "abcd9"),
    ('"apiKey": "abc12"', "abc12"),
    ("{'apiKey': 'abc12'}", "abc12"),
    ('{\\"password\\":\\"hunter2\\"}', "hunter2"),
    ('"password":"a\\"bcdefg"', "bcdefg"),
    ('"client_secret" : "xy12z"', "xy12z"),
    ("<secret><![CDATA[hunter2]]></secret>", "hunter2"),
    ("apikey=abc12&x=1", "abc12"),
    ("?access_token=abcdef&x", "abcdef"),
    ("\\\\fileserver01\\share\\x", "fileserver01"),
    ("\\\\\\\\fileserver01\\\\share\\\\x", "fileserver01"),
    ("/mnt/c/Users/Jane/x", "Jane"),
    ("/mnt/c/Users/Jane Roe/x.c:3", "Roe"),
    ("/c/Users/Jane/x", "Jane"),
    ("/Users/jane/src/a.c:12", "jane"),
    ("C:\\Users\\Jane\\a.c", "Jane"),
    ("C:\\\\Users\\\\Jane\\\\a.c", "Jane"),
    ("C:/Users/Jane/a.c", "Jane"),
    ("c:\\users\\jane roe\\a.c", "jane roe"),
    ("file:///C:/Users/Jane/a.c", "Jane"),
    ("\\\\?\\C:\\Users\\Jane\\a.c", "Jane"),
    ("D:\\Users\\Jane", "Jane"),
    ("/cygdrive/c/Users/Jane/x", "Jane"),
    ("/home/janeroe/x", "janeroe"),
    ("/export/home/jane2/x", "jane2"),
    ("C%3A%5CUsers%5CJane%5Cx", "Jane"),
    ("http://buildbox17:8080/x", "buildbox17"),
    ("connect to db07.prod.acme:5432", "db07.prod.acme"),
    ("host=db07.prod.acme port=5432", "db07.prod.acme"),
    ("Host: shop.acme.zz", "shop.acme.zz"),
    ("server=tcp:db07,1433", "db07"),
    ("could not connect to buildbox17:8080", "buildbox17"),
    ("ssh jane@buildbox17", "buildbox17"),
    ("jane@buildbox17:~$ ls", "buildbox17"),
    ("jane@buildbox17:~$ ls", "jane"),
    ("rsync deploy@web3.acme.zz:/srv", "web3.acme.zz"),
    ("hostname: buildbox17", "buildbox17"),
    ("resolving host 'db7.acme'", "db7.acme"),
    ("git@code.acme.zz:team/x.git", "code.acme.zz"),
    ("Data Source=sql07;Initial Catalog=x", "sql07"),
    ("connecting to host buildbox17 failed", "buildbox17"),
    ("Connection refused: kafka-3/10.0.0.4:9092", "kafka-3"),
    ("amqp://mq7/", "mq7"),
    ("getaddrinfo ENOTFOUND api.acme.zz", "api.acme.zz"),
    ("bootstrap.servers=kafka-3:9092", "kafka-3"),
    ("Connection to db07.acme.zz closed", "db07.acme.zz"),
    ("--host db07", "db07"),
    ("Authorization: Token 0123abcd", "0123abcd"),
    ("Authorization: Basic am9lOmh1bnRlcjI=", "am9lOmh1bnRlcjI"),
    ("authorization: ApiKey zzyyxx", "zzyyxx"),
    ('"Authorization", "Token 0123abcd"', "0123abcd"),
    ("Proxy-Authorization: NTLM TlRMTVNT", "TlRMTVNT"),
    ("X-Api-Key: abcd9", "abcd9"),
    ("Cookie: sid=abcd; theme=dark", "abcd"),
    ("Set-Cookie: sid=abcd; Path=/", "abcd"),
    ("Cookie: a=bcdef; JSESSIONID=9A8B7C", "9A8B7C"),
    ("X-Auth-Token: q1w2e3", "q1w2e3"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_d", "eyJzdWIiOiIxIn0"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
    (
        "AccountKey=Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYg==;",
        "Zm9vYmFyYmF6",
    ),
    ("xoxb-123456789012-abcdefghij", "xoxb-123456789012"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcd"),
    ("glpat-abcdefghij1234567890", "glpat-abc"),
    ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "npm_abcd"),
    ("sk_live_abcdefghijklmnop", "sk_live_abc"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "AIzaSyA"),
    ("sig=abcdefghijklmnopqrstuvwxyz012345%3D&se=2030", "abcdefghijklmnopqrst"),
    ("SG.abcdefghijklmnop.qrstuvwxyz0123456789ABCDEF", "qrstuvwxyz"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----\nx", "IBAAKC"),
    (
        "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNz\\nAAAA\\n-----END OPENSSH PRIVATE KEY-----",
        "b3BlbnNz",
    ),
    (
        "E3:4| -----BEGIN PRIVATE KEY-----\nE3:5| MIIEvQ\nE3:6| -----END PRIVATE KEY-----",
        "MIIEvQ",
    ),
    ("-----BEGIN PRIVATE KEY-----\nMIIEvQtruncated\nmore", "more"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----", "lQOY"),
    ("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAAhidden\nPrivate-MAC: ff", "AAAAhidden"),
    ("fe80::1%eth0", "fe80"),
    ("fe80::1%eth0", "eth0"),
    ("[fe80::1%25eth0]:80", "fe80"),
    ("2001:db8::1", "2001:db8"),
    ("[2001:db8::1]:443", "2001:db8"),
    ("::ffff:10.1.2.3", "10.1.2.3"),
    ("10.1.2.3:80", "10.1.2.3"),
    ("ether 52:54:00:12:34:56", "52:54:00:12:34:56"),
    ("52-54-00-12-34-56", "52-54-00"),
    ("jane+crash@acme.example", "jane+crash"),
    ("jane.roe+x@acme.co.uk", "acme.co"),
    ("mailto:jane@acme.zz", "jane"),
    ("jane%40acme.com", "jane"),
    ('"Jane" <jane@acme.zz>', "jane@"),
    ("postgres://u:pw'x@h7/db", "pw'x"),
    ("https://joe:s3cr3t@x.zz/", "s3cr3t"),
    ("redis://:p%40ss@cache:6379/0", "p%40ss"),
    ("mongodb+srv://u:hunter2@c0.acme.zz/", "hunter2"),
    ("Server=db01;User Id=sa;Password=p@ss w0rd;", "w0rd"),
    ("jdbc:sqlserver://db01;password=hunter2", "hunter2"),
    ("Target: x86_64-pc-linux-gnu, peer=web-7", "web-7"),
    ("mysql -h db07 -u x", "db07"),
    ("10.1.2.3-10.1.2.9", "10.1.2.3"),
    # What debuggers print between a name and its string.
    ('E37:1| 0x55e79871f020 <g_password>: "rosebud"', "rosebud"),
    ('0x55e79871f020 <g_pass>:\t"rosebud"', "rosebud"),
    ('password: core::option::Option<alloc::string::String>::Some("rosebud")', "rosebud"),
    ('password: Some("rosebud")', "rosebud"),
    ('userPassword: string = len: 7, ptr: 0xc000 "rosebud"', "rosebud"),
    ('Password:(string) (len=7) "rosebud"', "rosebud"),
    ('   +0x010 password         : 0x00000000`0040 "rosebud"', "rosebud"),
    ('   +0x010 Password : _UNICODE_STRING "rosebud"', "rosebud"),
    ('print g_password: g_password = "rosebud"', "rosebud"),
    ("0x55e7 <g_password>: 0x72 0x6f 0x73 0x65 0x62", "0x73 0x65"),
    ("0x55e7 <g_password+4>: 101 'e' 98 'b' 117 'u'", "'b'"),
    # What a debugger answers to a command that names it.
    ('x/s a->passphrase\n0x55e79871d01a:\t"rose bud"', "rose bud"),
    ('(lldb) x/s g_password\n0x1000: "rosebud"', "rosebud"),
    ('0:000> da till!g_password\n00007ff6`1234abcd  "rosebud"', "rosebud"),
    ('p *credentials\n$1 = {user = 0x0, value = 0x4e10 "rosebud"}', "rosebud"),
    ("00007ff8 4000001 8 System.String 0 instance 000001 password\nString: rose bud", "rose bud"),
    ('connect (host=0x1 "h", password=password@entry=0x2 "rosebud")', "rosebud"),
    ('0:000> ?? cfg->password\nchar * 0x00007ff6`1234\n "rosebud"', "rosebud"),
    ('(gdb) output secret\n"rosebud"', "rosebud"),
    ('["password"] = "rosebud"', "rosebud"),
    ('{first = "password", second = "rosebud"}', "rosebud"),
    ('{"name":"DB_PASSWORD","value":"rosebud"}', "rosebud"),
    # Arguments.
    ('argv = {0x1 "./a", 0x2 "--pass", 0x3 "rosebud"}', "rosebud"),
    ('E4:1| 0x7ffe10: "--db-password"\nE4:2| 0x7ffe20: "rosebud"', "rosebud"),
    ('[1] = 0x7ffe10 "--token"\n  [2] = 0x7ffe20 "rosebud"', "rosebud"),
    # Shapes.
    ('"hvs.CAESIJ1234567890abcdefghij"', "CAESIJ"),
    ('"110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx"', "AAHdqTcv"),
    ("https://discord.com/api/webhooks/123456789/AbCdEfGhIjKl-MnOp", "AbCdEfGh"),
    ("ops:$6$abc$Q9x72mPqLongHash:18000:0:99999:7:::", "Q9x72mPq"),
    ("ops:$y$j9T$abc$Q9x72mPqLongHash:18000:", "Q9x72mPq"),
    (
        "ops:1001:aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0:::",
        "31d6cfe0",
    ),
    ("GET /cb?code=4/0AX4XfWhQ9xyz HTTP/1.1", "0AX4XfWh"),
    ("password            =            rosebud7", "rosebud7"),
    ("sin_addr = {s_addr = 319236618}", "319236618"),
    ("sin_addr = {s_addr = 0x13072a0a}", "13072a0a"),
    ("/nfs/home/jane2/x", "jane2"),
    ("/net/fs1/home/jane2/x", "jane2"),
    ("/net/fs1/export/home/jane2/x", "jane2"),
    ("/afs/acme.zz/user/j/jane2/x", "jane2"),
    ("/data/users/jane2/x", "jane2"),
    ("/mnt/big/home/jane2/x", "jane2"),
    ("/lustre/users/jane2/x", "jane2"),
    (
        r'strdup("Authorization: Basic bXF1aWxsOkhlcm9u\r\nCookie: sid=fjord-kestrel-8812\r\n");',
        "fjord-kestrel-8812",
    ),
    (r'text = 0x4e10 "host: a\npassword: teal-quarry-318\nport: 2"', "teal-quarry-318"),
    ("(gdb) x/8xb l->master_key\n0x4e10:\t0x9e\t0x11\t0xc4\t0x7b", "0x9e\t0x11\t0xc4\t0x7b"),
    ("(gdb) p/x l->session_key\n$1 = {0x9e, 0x11, 0xc4, 0x7b}", "0x9e, 0x11, 0xc4, 0x7b"),
    ("x/2gx &l->api_key\n0x4e10:\t0x88fe3a5a7bc4119e\t0xe53fab17906cd241", "0xe53fab17906cd241"),
]
STAYS = [
    "14\tchar *password = NULL;",
    '15\tconst char *api_key = getenv("API_KEY");',
    "std::string secret = read_all(in);",
    "auth = handler->auth",
    "password_ok = false",
    "#3  std::vector<int>::at (this=0x7ffe1234, n=4) at /usr/include/c++/12/bits/stl_vector.h:1154",
    "0x7ffe:0x10  0x00007ffe: mov",
    "glibc version 2.36.0.1 and 1.2.3.4-5",
    "libssl.so.1.1.1.2 in main.c:12",
    "main.c:12: error",
    "#0  0x00005620b6e69179 in heat_at (m=m@entry=0x5620eb0da2a0, x=x@entry=0) at c/tiles.c:13",
    "foo@plt foo@@GLIBC_2.2.5 _ZNSt6vectorIiE2atEm",
    "00000000`00401000 ntdll!RtlpWaitOnCriticalSection+0x1d",
    "kernel32!BaseThreadInitThunk+0x14",
    "std::map<std::string, std::pair<int,int>>::operator[]",
    "Thread 0x7f8ee3b3d6c0 (LWP 17826)",
    "std::__1::basic_string<char>::at",
    "a::b::c d::e::f abcd::ef",
    "pc=0x401196 sp=0x7ffc r8=0x10",
    "x/8gx $rsp: 0x1 0x2",
    "pin_changes = 492177, pin = 0x4052a0, aes_key = 0x4052a0, key32 = 492177, monkey32 = 'abcd'",
    '12\tstrcpy(name, "till");',
    "boost::asio::detail::socket_ops::connect",
    "java.net.SocketInputStream.read(SocketInputStream.java:171)",
    "at com.acme.shop.Main.main(Main.java:12)",
    "System.Net.Http.HttpClient.SendAsync",
    "token_length = 12",
    "key = 0x5625f59f70c8",
    "pthread_mutex_lock (mutex=0x4052a0)",
    "[Current thread is 1 (Thread 0x7f8ee40a7740 (LWP 17825))]",
    "goroutine 1 [running]: main.(*Server).connect(0xc000010000)",
    "password_check (p=0x0) at auth.c:3",
    "connect to database failed: timeout",
    "host_id = 4",
    "the password was wrong",
    "password is empty",
    "password is not set",
    "token is invalid",
    "src/net/host.c:44: host=NULL",
    "-pthread -pipe -pedantic -p",
    "gcc -O2 -pthread -print-search-dirs",
    "Exception: secret not found",
    "user=root uid=0",
    "file.py:12 in connect",
    "rip 0x557f2b5ac2f3 <_Z11sum_weightsPK6Parcel+30>",
    "panicked at src/main.rs:4:5",
    "12:34:56.789 INFO started",
    "2026-11-22 09:35:11 INFO main: done",
    "drwxr-xr-x 2 at 12:30",
    "session 4: opened",
    "at Namespace.Class.Method() in C:\\src\\App\\a.cs:line 12",
    "10.0.19041.1 10.0.19041.1 (WinBuild.160101.0800)",
    "cookie = 0x1234",
    "auth failed for request 17",
    "\\??\\pipe",
    "1:234:567",
    "Target: x86_64-pc-linux-gnu",
    '-p"..." -pipe -pedantic-errors -p0x7ffc1234',
    "signature=sum_weights_of_the_morning_list",
    r'"\\Device\\HarddiskVolume3\\Windows\\System32\\ntdll.dll"',
    "7ff0f29ba000-7ff0f31bf000 r--s /var/lib/sss/mc/passwd\n7ff0f31bf000-7ff0f31c7000 r-xp /x.so",
    '"ajp-/hostname:8109-16" resolve(0x1) resolved',
    "unexpected token `std::vector<int>` at main.c:12:4",
    '#1  check_password (file=0x4e10 "till.conf", line=3) at auth.c:7',
    '#2  TokenStore::open (this=0x4e10, path=0x4e20 "till.conf") at store.cc:7',
    '(gdb) p *token\n$1 = {type = 3, text = 0x4e10 "function"}',
    'syntax error near token "function"',
    'answer_tokens = {"lower": 1000, "medium": 2000}',
    'p tokens[3]\n$1 = {text = 0x1 "do", kind = 0x2 "while", file = 0x3 "a.c"}',
    '(gdb) x/i verify_token\n0x55 <verify_token>:\tlea 0x1(%rip),%rdi  # 0x56 "abc9"',
    '{password = 0x0, name = 0x4e10 "till"}',
    'what = 0x4e10 "no password", where = 0x4e20 "till.conf"',
    'password = ask_for(terminal, "Name of the till");',
    'password store of the till opened "till.conf"',
    "0x55e7 <check_password+4>: 0x0000000000000001 0x0000000000000002",
    "author: Someone",
    "GET /help?code=NOT_FOUND HTTP/1.1",
    "sin_addr = {s_addr = 0}",
    "/data/user/0/com.acme.till/files",
]


@pytest.mark.parametrize(("text", "private"), GONE)
def test_private_things_go_and_come_back(text: str, private: str) -> None:
    goes_and_comes_back(text, private)


@pytest.mark.parametrize("text", STAYS)
def test_what_the_analysis_needs_stays(text: str) -> None:
    stays(text)


def test_a_host_that_was_found_once_is_looked_for_everywhere() -> None:
    redactor = Redactor()
    first = redactor.redact("could not connect to buildbox17:8080")
    assert first == "could not connect to <host-1>:8080"
    assert (
        redactor.redact("trace of BUILDBOX17, on buildbox17.") == "trace of <host-2>, on <host-1>."
    )


@pytest.mark.parametrize(
    "text",
    [
        r'cursor = 0x4e10 "Otter-63\",\"amount\":12}"',
        '0x4e10:\t"Otter-63&port=2"',
        '"=Basalt/Otter-63;"',
    ],
)
def test_the_end_of_a_secret_is_hidden_whatever_follows_it(text: str) -> None:
    redactor = Redactor()
    redactor.redact('password = "Basalt/Otter-63"')
    assert "tter-63" not in redactor.redact(text)


def test_bytes_of_a_secret_are_hidden_however_they_are_printed() -> None:
    redactor = Redactor()
    redactor.redact("x/8xb l->master_key\n0x4e10:\t0x9e\t0x11\t0xc4\t0x7b\t0x5a\t0xfe\t0x03\t0x88")
    for text in ("E5 `x/8xb 0x4e10`: 0x9e 0x11 0xc4 0x7b 0x5a", "0x4e10: 0x7bc4119e 0x8803fe5a"):
        assert not re.search("(?i)0x9e|0x7bc4", redactor.redact(text))


def test_bytes_of_a_persons_name_are_hidden_where_all_of_it_stands() -> None:
    redactor = Redactor()
    redactor.redact("login=mheinema")
    text = "memory from 0x4e10: 0x616d656e6965686d 0x6e6e\n0x4e10: 0x6d 0x68 0x65 0x69 0x6e 0x65"
    hidden = redactor.redact(text)
    assert "0x616d" not in hidden
    assert "0x6d 0x68 0x65 0x69 0x6e 0x65" in hidden
    assert redactor.restore(hidden) == text


def test_hostile_lengths_are_no_trouble() -> None:
    read_soon("mysql -p" * 750, "connect to a-" * 1000, "a1:22," * 1250, "password is " * 1000,
              "<password>" * 1000, "cookie=" * 1250, "a-" * 7500, "host=" * 2250,
              "ssh x@y:" * 1250, "\\\\a\\" * 2250, "server=a;" * 1500, 'key="password" ' * 1000,
              "Private-Lines: 1\n" * 250, "aa:" * 5000, "-p1a" * 2250,
              'password ="' * 750, "p token\n" * 1250, 'x/s secret\n$1 = ""\n' * 500,
              "<token>: 0x11 " * 750, '"--pass", ' * 1250, "secret a b " * 750)  # fmt: skip


@pytest.mark.parametrize("opened", ['pwd={"a1b"', 'token={"a1b"', 'token={pwd={"a1b"'])
def test_what_a_secret_holds_is_read_once(opened: str) -> None:
    """And not once for each of those that begin in another: a text may be made of them."""
    found = [span for span in secrets_in(opened * 500) if span.end - span.start == 3]
    assert 500 <= len(found) <= 2_000
