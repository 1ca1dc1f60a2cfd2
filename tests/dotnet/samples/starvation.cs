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
    static int Handle(int id)
    {
        return Backend.FetchAsync(id).Result;
    }

    static void Main(string[] args)
    {
        ThreadPool.SetMinThreads(4, 4);
        ThreadPool.SetMaxThreads(6, 6);
        for (int i = 0; i < 40; i++) { int id = i; Task.Run(() => Handle(id)); }
        Thread.Sleep(1500);
        Console.WriteLine("ready");
        Thread.Sleep(Timeout.Infinite);
    }
}
