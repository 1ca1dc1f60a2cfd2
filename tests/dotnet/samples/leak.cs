using System;
using System.Collections.Generic;
using System.Threading;

class Subscriber
{
    public byte[] Buffer = new byte[2048];
    public void OnTick(object sender, EventArgs e) { Buffer[0]++; }
}

class Clock
{
    public static event EventHandler Tick;
    public static int Count { get { return Tick == null ? 0 : Tick.GetInvocationList().Length; } }
    public static void Fire() { if (Tick != null) Tick(null, EventArgs.Empty); }
}

class Program
{
    static readonly List<Subscriber> Cache = new List<Subscriber>();

    static void Main(string[] args)
    {
        for (int i = 0; i < 9000; i++)
        {
            var one = new Subscriber();
            Cache.Add(one);
            if (i % 100 == 0) Clock.Tick += one.OnTick;
        }
        GC.Collect();
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
    }
}
