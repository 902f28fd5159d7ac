/* Asks for every form in the file given, in every way, and prints those that are not the same function of the preloaded
 * library in each way, or the function of another form too. */
#define WAY 0
#include "ways.h"

static int wrong;
static void *expected, *seen[256];
static int forms;

static void check(const char *way, const char *name, void *found) {
    Dl_info info = {0};
    if (found) dladdr(found, &info);
    if (!found || !strstr(info.dli_fname, "libmigfit_runtime") || (expected && found != expected)) {
        printf("%s %s: in %s\n", way, name, found ? info.dli_fname : "nothing");
        wrong = 1;
    }
    expected = found;
}

static void check_new(const char *name) {
    for (int i = 0; i < forms; i++)
        if (seen[i] == expected) { printf("%s: the function of another form\n", name); wrong = 1; }
    seen[forms++] = expected;
    expected = 0;
}

int main(int count, char **arguments) {
    char line[256], name[64], base[64], stream[16];
    int since, status;
    void *found, *library = fake_driver();
    proc_1 first = dlsym(library, "cuGetProcAddress");
    proc_2 second = dlsym(library, "cuGetProcAddress_v2");
    FILE *forms = fopen(arguments[count - 1], "r");
    while (fgets(line, sizeof line, forms)) {
        if (line[0] == '#' || sscanf(line, "%63s %63s %d %15s", name, base, &since, stream) != 4) continue;
        unsigned long long flags = !strcmp(stream, "thread") ? 2 : 0;
        check("dlsym", name, dlsym(library, name));
        check("dlvsym", name, dlvsym(library, name, "FAKE_1"));
        found = 0;
        first(base, &found, since, flags);
        check("cuGetProcAddress", name, found);
        found = 0;
        second(base, &found, since, flags, &status);
        check("cuGetProcAddress_v2", name, found);
        check_new(name);
    }
    dlsym(library, "cuInit");
    if (dlerror()) { puts("a found name left an error behind"); wrong = 1; }
    if (dlsym(library, "cuNoSuchCall") || !dlerror()) { puts("an unknown name was found"); wrong = 1; }
    if (dlsym(library, "fake_allocations") == 0) { puts("a name that is not hooked was lost"); wrong = 1; }
    found = &found;
    if (second("cuNoSuchCall", &found, 13000, 0, &status) != 500 || status != 1) { puts("the driver's refusal was changed"); wrong = 1; }
    return wrong;
}
