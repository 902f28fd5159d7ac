/* Allocates, then becomes itself once more by exec: the same pid and start time, a second life. */
#include "ways.h"

int main(int count, char **arguments) {
    ptr_t p;
    find_driver();
    if (cuMemAlloc_v2(&p, count > 1 ? 2000 : 1000)) return 90;
    if (count == 1) execl(arguments[0], arguments[0], "again", (char *)0);
    return 0;
}
