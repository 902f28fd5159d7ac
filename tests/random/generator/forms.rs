//! Functions in shapes that plain statements do not make: virtual calls, tables of functions, lists, rows, growing
//! arrays, structures by value, counters that last, unions, `goto`, templates, tables of words.

use super::text::{Function, Text};
use super::types::Type;

impl Text {
    /// One function of a random shape; it takes a long and gives one.
    pub fn form(&mut self) {
        let name = self.fresh("f");
        self.cost = 1;
        self.turns = 10;
        self.scopes.push(Vec::new());
        let body = match self.below(11) {
            0 => self.virtual_call(&name),
            1 => self.function_table(&name),
            2 => self.list(&name),
            3 => self.growing_array(&name),
            4 => self.by_value(&name),
            5 => self.counter(&name),
            6 => self.union_and_bits(&name),
            7 => self.cleanup(&name),
            8 => self.rows(&name),
            9 => self.template(&name),
            _ => self.words(&name),
        };
        self.scopes.pop();
        self.turns = 1;
        self.out.push_str(&body);
        let cost = self.cost + 20;
        self.functions.push(Function {
            name,
            gives: Some(Type::I64),
            takes: vec![Type::I64],
            cost,
        });
    }

    /// Expressions of type long over the parameter `x`.
    fn over_x<const N: usize>(&mut self) -> [String; N] {
        self.declare("x".to_owned(), Type::I64, true);
        std::array::from_fn(|_| self.integer(2))
    }

    fn virtual_call(&mut self, f: &str) -> String {
        let [base, derived, given] = self.over_x();
        let condition = self.condition(1);
        format!(
            "struct Base_{f} {{ virtual long size(long x) {{ return {base}; }} virtual ~Base_{f}() {{}} }};
struct Wide_{f} : Base_{f} {{
    long k;
    explicit Wide_{f}(long k) : k(k) {{}}
    long size(long x) override {{ return x * k + {derived}; }}
    ~Wide_{f}() override {{ table[1] += (int)k; }}
}};
static long {f}(long x) {{
    Base_{f} *one = ({condition}) ? new Wide_{f}({given}) : new Base_{f};
    long size = one->size(x) + one->size(3);
    delete one;
    return size;
}}
"
        )
    }

    fn function_table(&mut self, f: &str) -> String {
        let [first, second, third, which] = self.over_x();
        format!(
            "static long one_{f}(long x) {{ return {first}; }}
static long two_{f}(long x) {{ return {second}; }}
static long three_{f}(long x) {{ table[2] ^= 1; return {third}; }}
typedef long (*Kind_{f})(long);
static Kind_{f} const kinds_{f}[4] = {{one_{f}, two_{f}, three_{f}, one_{f}}};
static long {f}(long x) {{ return kinds_{f}[({which}) & 3](x - 1) + 1; }}
"
        )
    }

    fn list(&mut self, f: &str) -> String {
        let [value, length] = self.over_x();
        format!(
            "struct Node_{f} {{ long value; Node_{f} *next; }};
static long {f}(long x) {{
    Node_{f} *head = nullptr;
    size_t length = within({length}, 7);
    for (size_t i = 0; i < length; ++i) {{
        Node_{f} *one = (Node_{f} *)malloc(sizeof(Node_{f}));
        one->value = (long)i * 5 + {value};
        one->next = head;
        head = one;
    }}
    long sum = 0;
    while (head) {{
        Node_{f} *next = head->next;
        sum = sum * 3 + head->value;
        free(head);
        head = next;
    }}
    return sum;
}}
"
        )
    }

    fn growing_array(&mut self, f: &str) -> String {
        let [value, until, index] = self.over_x();
        format!(
            "static long {f}(long x) {{
    int room = 2, used = 0;
    int *all = (int *)malloc(room * sizeof(int));
    for (size_t i = 0; i < within({until}, 9); ++i) {{
        if (used == room)
            all = (int *)realloc(all, (room *= 2) * sizeof(int));
        all[used++] = (int)({value}) + (int)i;
    }}
    long chosen = all[({index} & 0xff) % used] + room;
    free(all);
    return chosen;
}}
"
        )
    }

    fn by_value(&mut self, f: &str) -> String {
        let [n, m, more] = self.over_x();
        let real = self.expression(Type::F64, 2);
        let field = ["char", "short", "int", "long"][self.random.usize(..4)];
        format!(
            "struct Shape_{f} {{ int n; {field} m; double real; long extra[{}]; }};
static Shape_{f} make_{f}(long x) {{ Shape_{f} s = {{}}; s.n = (int)({n}); s.m = ({field})({m}); s.real = {real}; s.extra[0] = x; return s; }}
static long measure_{f}(Shape_{f} s, long x) {{ s.n += 2; return s.n + s.m * 2 + whole(s.real) + s.extra[0] + {more}; }}
static long {f}(long x) {{ Shape_{f} s = make_{f}(x), t = s; t.n -= 1; return measure_{f}(s, 1) - measure_{f}(t, x) + s.n; }}
",
            1 + self.below(4)
        )
    }

    fn counter(&mut self, f: &str) -> String {
        let [first, later] = self.over_x();
        format!(
            "static long {f}(long x) {{
    static int calls;
    static long first = {first};
    if (calls++ == 0)
        cudaMalloc(&pool_of_forms, within(first, 700) * 4);
    return calls * 3 + {later};
}}
"
        )
    }

    fn union_and_bits(&mut self, f: &str) -> String {
        let [n, bits] = self.over_x();
        format!(
            "union Both_{f} {{ unsigned whole; unsigned char part[4]; float real; }};
struct Bits_{f} {{ unsigned low : 5; int middle : 9; unsigned long high : 20; }};
static long {f}(long x) {{
    Both_{f} both; both.whole = (unsigned)({n}); both.part[1] ^= 3;
    Bits_{f} b = {{}}; b.low = (unsigned)({bits}); b.middle = (int)x; b.high = (unsigned long)(x * 77);
    return both.part[0] + both.part[3] * 4 + (long)(both.whole >> 20) + b.low + b.middle + (long)b.high;
}}
"
        )
    }

    fn cleanup(&mut self, f: &str) -> String {
        let [a, b, grid, result] = self.over_x();
        let condition = self.condition(1);
        format!(
            "static long {f}(long x) {{
    void *a = nullptr, *b = nullptr;
    long result = -1;
    if (cudaMalloc(&a, within({a}, 500) * 4) != cudaSuccess)
        goto done;
    if ({condition})
        goto done;
    if (cudaMalloc(&b, within({b}, 900) * 8) != cudaSuccess)
        goto done;
    kernel1<<<within({grid}, 90), 64>>>((int *)a, 1);
    if (cudaGetLastError() != cudaSuccess)
        exit(9);
    result = {result};
done:
    cudaFree(b);
    cudaFree(a);
    return result;
}}
"
        )
    }

    fn rows(&mut self, f: &str) -> String {
        let [n, value, at] = self.over_x();
        format!(
            "static long {f}(long x) {{
    size_t n = within({n}, 5);
    long **rows = (long **)malloc(n * sizeof(long *));
    for (size_t r = 0; r < n; ++r) {{
        rows[r] = (long *)calloc(r + 1, sizeof(long));
        for (size_t c = 0; c <= r; ++c)
            rows[r][c] = (long)(r * 10 + c) + {value};
    }}
    size_t r = within({at}, (long)n) - 1;
    long found = rows[r][r / 2] - rows[n - 1][0];
    for (size_t k = 0; k < n; ++k)
        free(rows[k]);
    free(rows);
    return found;
}}
"
        )
    }

    fn template(&mut self, f: &str) -> String {
        let [value] = self.over_x();
        let (many, few) = (2 + self.below(6), 1 + self.below(3));
        let kinds = [Type::any(&mut self.random), Type::any(&mut self.random)];
        let [one, two] = kinds.map(|kind| self.cast(kind, Type::I64, "x"));
        let [first, second] = kinds.map(Type::name);
        format!(
            "template <class T, int N> static long work_{f}(T x) {{
    T all[N];
    for (int i = 0; i < N; ++i)
        all[i] = (T)(i ? all[i - 1] / 2 + x : x);
    return whole((double)all[N - 1]) + {value} * (long)sizeof(T);
}}
static long {f}(long x) {{ return work_{f}<{first}, {many}>({one}) + work_{f}<{second}, {few}>({two}); }}
"
        )
        .replace(&format!("+ {value} *"), &format!("+ [](long x) {{ return {value}; }}((long)sizeof(T)) *"))
    }

    fn words(&mut self, f: &str) -> String {
        let [number, otherwise] = self.over_x();
        format!(
            "static const struct {{ const char *name; long size; }} words_{f}[] = {{{{\"tiny\", 8}}, {{\"small\", 64}}, {{\"7\", {}}}, {{\"large\", 4096}}}};
static long {f}(long x) {{
    snprintf(buffer, sizeof buffer, \"%ld\", ({number}) & 7);
    if (x & 1)
        strcpy(buffer, words_{f}[x >> 1 & 3].name);
    for (const auto &word : words_{f})
        if (!strcmp(word.name, buffer))
            return word.size;
    return buffer[0] + {otherwise};
}}
",
            self.below(500)
        )
    }
}
