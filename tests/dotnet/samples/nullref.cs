using System;
class Customer { public string Name; }
class Program { static int Length(Customer c) { return c.Name.Length; }
 static void Main(string[] args) { Console.WriteLine(Length(args.Length > 5 ? new Customer() : null)); } }
