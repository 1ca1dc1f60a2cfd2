#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    int rows;
    int columns;
    int *heights;
    int *marks;
};

struct survey {
    struct grid *grid;
    char *title;
    long peak;
};

static struct grid *grid_new(int rows, int columns)
{
    struct grid *grid = malloc(sizeof *grid);
    if (grid == NULL)
        abort();
    grid->rows = rows;
    grid->columns = columns;
    grid->heights = calloc((size_t)rows * (size_t)columns, sizeof *grid->heights);
    grid->marks = calloc((size_t)rows, sizeof *grid->marks);
    if (grid->heights == NULL || grid->marks == NULL)
        abort();
    return grid;
}

static void grid_mark(struct grid *grid, int row, int value)
{
    grid->marks[row] = value;
}

static struct survey *survey_new(const char *title, int width, int height)
{
    struct survey *survey = calloc(1, sizeof *survey);
    if (survey == NULL)
        abort();
    survey->grid = grid_new(width, height);
    survey->title = strdup(title);
    return survey;
}

static void survey_fill(struct survey *survey, int width, int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            survey->grid->heights[y * width + x] = (x * 7 + y * 3) % 100;
        grid_mark(survey->grid, y, 0x50505050 + y);
    }
}

static long survey_peak(struct survey *survey)
{
    long peak = 0;
    for (const char *at = survey->title; *at != '\0'; at++)
        peak += *at;
    for (int i = 0; i < survey->grid->rows * survey->grid->columns; i++)
        if (survey->grid->heights[i] > peak)
            peak = survey->grid->heights[i];
    survey->peak = peak;
    return peak;
}

int main(void)
{
    struct survey *flat = survey_new("flat", 8, 8);
    survey_fill(flat, 8, 8);
    printf("%ld\n", survey_peak(flat));
    struct survey *tall = survey_new("tall", 6, 40);
    struct survey *last = survey_new("last", 4, 4);
    survey_fill(tall, 6, 40);
    survey_fill(last, 4, 4);
    printf("%ld\n", survey_peak(tall));
    printf("%ld\n", survey_peak(last));
    return 0;
}
