using System;
using System.Threading;
using System.Threading.Tasks;

class Account
{
    public string Name;
    public Account(string name) { Name = name; }
}

class Program
{
    static readonly Account First = new Account("first");
    static readonly Account Second = new Account("second");
    static readonly ManualResetEventSlim FirstTaken = new ManualResetEventSlim();
    static readonly ManualResetEventSlim SecondTaken = new ManualResetEventSlim();

    static void Transfer(Account from, Account to, ManualResetEventSlim mine, ManualResetEventSlim other)
    {
        lock (from)
        {
            mine.Set();
            other.Wait();
            lock (to)
            {
                Console.WriteLine("transferred");
            }
        }
    }

    static int Entered;

    static void Query()
    {
        Interlocked.Increment(ref Entered);
        lock (First) { Console.WriteLine(First.Name); }
    }

    static void Main(string[] args)
    {
        var there = new Thread(() => Transfer(First, Second, FirstTaken, SecondTaken));
        var back = new Thread(() => Transfer(Second, First, SecondTaken, FirstTaken));
        there.Start();
        back.Start();
        FirstTaken.Wait();
        SecondTaken.Wait();
        for (int i = 0; i < 3; i++) Task.Run(() => Query());
        while (Volatile.Read(ref Entered) < 3) Thread.Sleep(20);
        Console.WriteLine("ready");
        there.Join();
    }
}
