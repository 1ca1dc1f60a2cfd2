using System;
using System.Threading;
using System.Threading.Tasks;

class Backend
{
    public static async Task<int> FetchAsync(int id)
    {
        await Task.Delay(50);
        return id;
    }
}

class Program
{
    static int Entered;

    static int Handle(int id)
    {
        Interlocked.Increment(ref Entered);
        return Backend.FetchAsync(id).Result;
    }

    static void Main(string[] args)
    {
        ThreadPool.SetMinThreads(4, 4);
        ThreadPool.SetMaxThreads(6, 6);
        for (int i = 0; i < 40; i++) { int id = i; Task.Run(() => Handle(id)); }
        while (Volatile.Read(ref Entered) < 6) Thread.Sleep(20);
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
    }
}
