using System;
class Ledger { public static void Check(int total) { if (total != 0) Environment.FailFast("the ledger does not balance"); } }
class Program { static void Main(string[] args) { Ledger.Check(args.Length + 3); } }
