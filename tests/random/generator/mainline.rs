//! `main`: arguments read in one of the usual ways, then statements, then what is freed.

use super::statement::May;
use super::text::{SLOTS, Text};
use super::types::Type;

impl Text {
    /// The function `main`.
    pub fn mainline(&mut self) {
        self.cost = 1;
        self.open("int main(int argc, char **argv)");
        self.line(
            "heap = (long *)calloc(8, sizeof(long)); setup = (Setup *)malloc(sizeof(Setup));",
        );
        self.line("setup->n = argc; setup->m = 5; srand(7);");
        self.arguments();
        self.statements(4, May::CallCuda);
        if self.chance(15) {
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) return 2;"));
        }
        self.statements(8, May::CallCuda);
        self.statements(8, May::CallCuda);
        if self.chance(15) {
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) exit(3);"));
        }
        self.statements(5, May::CallCuda);
        if self.chance(60) {
            self.line(&format!(
                "for (int i = 0; i < {SLOTS}; ++i) if (pool[i]) cudaFree(pool[i]);"
            ));
        }
        self.line("free(heap); free(setup); return 0;");
        self.close("");
    }

    fn arguments(&mut self) {
        for at in 1..4 {
            let kind = Type::any(&mut self.random);
            let (name, fallback) = (self.fresh("a"), self.below(300));
            let reads = [
                format!("argc > {at} ? atoi(argv[{at}]) : {fallback}"),
                format!(
                    "argc > {at} ? strtol(argv[{at}], nullptr, {}) : {fallback}",
                    [0, 10, 16][self.random.usize(..3)]
                ),
                format!(
                    "argc > {at} ? whole(atof(argv[{at}]) * {}) : {fallback}",
                    1 + self.below(20)
                ),
                format!("argc > {at} ? (long)strlen(argv[{at}]) : {fallback}"),
                format!("argc > {at} && !strcmp(argv[{at}], \"-x\") ? 11 : {fallback}"),
                format!("number(argc, argv, \"-n\", {fallback})"),
            ];
            let read = &reads[self.random.usize(..reads.len())];
            self.line(&format!(
                "{} {name} = ({})({read});",
                kind.name(),
                kind.name()
            ));
            self.declare(name, kind, false);
        }
    }
}
