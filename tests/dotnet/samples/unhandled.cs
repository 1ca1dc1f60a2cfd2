using System;

class OrderException : Exception
{
    public OrderException(string message, Exception inner) : base(message, inner) { }
}

class Orders
{
    static int Parse(string text)
    {
        return int.Parse(text);
    }

    public static int Load(string text)
    {
        try { return Parse(text); }
        catch (FormatException error) { throw new OrderException("order 17 cannot be read", error); }
    }
}

class Program
{
    static void Main(string[] args)
    {
        Console.WriteLine(Orders.Load(args.Length > 0 ? args[0] : "seventeen"));
    }
}
