/* A row that was dropped, and moved by a swap since. flags: -g -O0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct matrix { int rows, cols; double **row; };
static struct matrix *matrix_new(int rows, int cols) {
    struct matrix *m = malloc(sizeof *m);
    m->rows = rows; m->cols = cols;
    m->row = malloc((size_t)rows * sizeof *m->row);
    for (int i = 0; i < rows; i++) m->row[i] = calloc((size_t)cols, sizeof(double));
    return m;
}
static void matrix_swap(struct matrix *m, int a, int b) { double *t = m->row[a]; m->row[a] = m->row[b]; m->row[b] = t; }
static void matrix_drop_row(struct matrix *m, int at) {
    free(m->row[at]);
    m->row[at] = NULL; /* origin matrix_drop_row */
}
static double trace(const struct matrix *m) { double s = 0; for (int i = 0; i < m->rows && i < m->cols; i++) s += m->row[i][i]; return s; }
int main(void) {
    struct matrix *m = matrix_new(6, 6);
    double s = trace(m);
    matrix_drop_row(m, 4);
    matrix_swap(m, 4, 1);
    m->rows = 4;
    s += trace(m);
    printf("%f\n", s);
    return 0;
}
