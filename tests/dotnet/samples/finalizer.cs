using System;
using System.Threading;

class Connection
{
    static readonly object Gate = new object();
    public static readonly ManualResetEvent Entered = new ManualResetEvent(false);

    ~Connection()
    {
        Entered.Set();
        lock (Gate) { Console.WriteLine("closed"); }
    }

    public static void Hold()
    {
        Monitor.Enter(Gate);
    }
}

class Program
{
    static void Make()
    {
        for (int i = 0; i < 100; i++) new Connection();
    }

    static void Main(string[] args)
    {
        Connection.Hold();
        Make();
        GC.Collect();
        Connection.Entered.WaitOne();
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
    }
}
