#include <cstdio>
#include <string>

struct Column {
    std::string name;
    int width;
};

__attribute__((noinline)) static Column *read_columns(int count)
{
    Column *columns = new Column[count];
    for (int at = 0; at < count; at++)
        columns[at].width = 8 * at;
    return columns;
}

__attribute__((noinline)) static void drop(Column *columns)
{
    delete columns;
}

int main()
{
    Column *columns = read_columns(5);
    std::printf("%d\n", columns[4].width);
    drop(columns);
    return 0;
}
