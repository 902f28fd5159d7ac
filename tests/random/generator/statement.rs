//! Statements: plain ones, branches and loops, and calls of CUDA.

use super::text::{ELEMENTS, KERNELS, SLOTS, Text};
use super::types::Type;

/// What a statement may do where it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Compute only.
    Compute,
    /// Call CUDA as well.
    CallCuda,
}

impl Text {
    /// Some statements.
    pub fn statements(&mut self, most: u32, may: May) {
        for _ in 0..1 + self.below(most) {
            self.statement(may);
        }
    }

    fn statement(&mut self, may: May) {
        self.pay(1);
        if may == May::CallCuda && self.chance(35) {
            return self.cuda();
        }
        let deep = self.depth > 4;
        match self.below(16) {
            0..3 => self.declaration(),
            3..6 => self.assignment(),
            6 | 7 => self.store(),
            8 | 9 if !deep => self.branch(may),
            10 if !deep => self.switch(may),
            11 | 12 if !deep && self.loops < 2 => self.counted_loop(may),
            13 if !deep && self.loops < 2 => self.conditional_loop(may),
            14 => self.library(),
            15 => self.procedure(),
            _ => self.assignment(),
        }
    }

    pub fn declaration(&mut self) {
        let kind = Type::any(&mut self.random);
        let value = self.expression(kind, 3);
        let name = self.fresh("v");
        self.line(&format!("{} {name} = {value};", kind.name()));
        self.declare(name, kind, false);
    }

    fn assignment(&mut self) {
        let Some(variable) = self.writable() else {
            return self.declaration();
        };
        let value = self.expression(variable.kind, 3);
        let how = if variable.kind.is_float() || self.chance(60) {
            "="
        } else {
            ["+=", "-=", "^=", "|="][self.random.usize(..4)]
        };
        self.line(&format!("{} {how} {value};", variable.name));
    }

    fn store(&mut self) {
        let (place, kind) = self.place(2);
        let value = self.expression(kind, 2);
        self.line(&format!("{place} = {value};"));
    }

    fn branch(&mut self, may: May) {
        let condition = self.condition(2);
        self.open(&format!("if ({condition})"));
        self.statements(3, may);
        if self.chance(50) {
            self.close(" else {");
            self.depth += 1;
            self.scopes.push(Vec::new());
            self.statements(3, may);
        }
        self.close("");
    }

    fn switch(&mut self, may: May) {
        let value = self.integer(2);
        self.open(&format!("switch ({value} & 7)"));
        for case in 0..2 + self.below(3) {
            self.open(&format!("case {}:", case * 2));
            self.statements(2, may);
            if self.chance(75) {
                self.line("break;");
            }
            self.close("");
        }
        if self.chance(60) {
            self.open("default:");
            self.statements(2, may);
            self.close("");
        }
        self.close("");
    }

    fn body(&mut self, turns: u64, may: May, condition_to_leave: bool) {
        self.turns *= turns;
        self.loops += 1;
        self.statements(3, may);
        if condition_to_leave {
            let condition = self.condition(1);
            let leave = ["break", "continue"][self.random.usize(..2)];
            self.line(&format!("if ({condition}) {leave};"));
            self.statements(2, may);
        }
        self.loops -= 1;
        self.turns /= turns;
    }

    fn counted_loop(&mut self, may: May) {
        let counter = self.fresh("i");
        let most = 2 + self.below(6);
        let kind = [Type::I32, Type::U32, Type::I64, Type::U64][self.random.usize(..4)];
        let turns = if self.chance(50) {
            format!("{most}")
        } else {
            format!("within({}, {most})", self.integer(2))
        };
        let step = 1 + self.below(2);
        let (begin, test, next) = if kind != Type::U64 && self.chance(30) {
            (
                format!("({}){turns}", kind.name()),
                format!("{counter} > 0"),
                format!("{counter} -= {}", if kind == Type::U32 { 1 } else { step }),
            )
        } else {
            (
                "0".to_owned(),
                format!("{counter} < ({}){turns}", kind.name()),
                format!("{counter} += {step}"),
            )
        };
        self.open(&format!(
            "for ({} {counter} = {begin}; {test}; {next})",
            kind.name()
        ));
        self.declare(counter, kind, true);
        let leaves = self.chance(30);
        self.body(u64::from(most), may, leaves);
        self.close("");
    }

    /// A loop that ends by its own condition, or after eight turns.
    fn conditional_loop(&mut self, may: May) {
        let (guard, size) = (self.fresh("g"), self.fresh("s"));
        let text = format!("int {guard} = 0; long {size} = {};", self.integer(2));
        self.line(&text);
        let condition = self.condition(1);
        let shrink = ["/= 2", ">>= 1", "-= 3", "/= 3"][self.random.usize(..4)];
        if self.chance(50) {
            let least = self.below(9);
            self.open(&format!("while ({guard}++ < 8 && {size} > {least})"));
            self.declare(size.clone(), Type::I64, true);
            self.body(8, may, false);
            self.line(&format!("{size} {shrink};"));
            self.close("");
        } else {
            self.open("do");
            self.declare(size.clone(), Type::I64, true);
            self.line(&format!("{size} {shrink};"));
            self.body(8, may, false);
            self.close(&format!(
                " while ({guard}++ < 7 && ({size} > 5 || ({condition})));"
            ));
        }
        self.declare(size, Type::I64, false);
    }

    fn library(&mut self) {
        match self.below(7) {
            0 => {
                let value = self.expression(Type::I32, 2);
                let Some(variable) = self.writable() else {
                    return;
                };
                let read = self.cast(variable.kind, Type::I32, "atoi(buffer)");
                self.line(&format!(
                    "snprintf(buffer, sizeof buffer, \"%d\", {value}); {} = {read};",
                    variable.name
                ));
            }
            1 => {
                let (n, value) = (self.fresh("n"), self.expression(Type::U32, 2));
                self.line(&format!("unsigned {n} = 0; snprintf(buffer, sizeof buffer, \"k=%u;\", {value}); if (sscanf(buffer, \"k=%u\", &{n}) != 1) {n} = 3;"));
                self.declare(n, Type::U32, false);
            }
            2 => {
                let value = self.integer(1);
                let text = format!(
                    "memset(heap, (int)({value} & 3), {} * sizeof(long));",
                    1 + self.below(ELEMENTS)
                );
                self.line(&text);
            }
            3 => {
                let text = format!(
                    "memcpy(table + {}, table, {} * sizeof(int));",
                    ELEMENTS / 2,
                    1 + self.below(ELEMENTS / 2)
                );
                self.line(&text);
            }
            4 => {
                let text = format!(
                    "qsort(table, {}, sizeof(int), ascending);",
                    2 + self.below(ELEMENTS - 1)
                );
                self.line(&text);
            }
            5 => {
                let value = self.expression(Type::F64, 2);
                let name = self.fresh("x");
                let precision = self.below(6);
                self.line(&format!("double {name} = {value}; snprintf(buffer, sizeof buffer, \"%.{precision}f\", {name}); {name} = atof(buffer);"));
                self.declare(name, Type::F64, false);
            }
            _ => {
                let name = self.fresh("r");
                let text = format!("int {name} = rand() % {};", 2 + self.below(100));
                self.line(&text);
                self.declare(name, Type::I32, false);
            }
        }
    }

    fn procedure(&mut self) {
        let able: Vec<usize> = (0..self.functions.len())
            .filter(|&at| self.can_pay(self.functions[at].cost))
            .collect();
        if able.is_empty() {
            return self.assignment();
        }
        let function = self.functions[able[self.random.usize(..able.len())]].clone();
        self.pay(function.cost);
        let given: Vec<String> = function
            .takes
            .iter()
            .map(|&takes| self.expression(takes, 2))
            .collect();
        self.line(&format!("{}({});", function.name, given.join(", ")));
    }

    fn cuda(&mut self) {
        let slot = self.slot();
        match self.below(20) {
            0..7 => {
                let bytes = self.bytes();
                let call = match self.below(8) {
                    0 => format!("cudaMallocManaged(&{slot}, {bytes}, 1)"),
                    1 => format!("take(&{slot}, {bytes})"),
                    _ => format!("cudaMalloc(&{slot}, {bytes})"),
                };
                self.line(&format!("if (!{slot}) {call};"));
            }
            7..10 => self.line(&format!(
                "if ({slot}) {{ cudaFree({slot}); {slot} = nullptr; }}"
            )),
            10..15 => self.launch(),
            15 => {
                let value = self.integer(2);
                self.line(&format!("{{ Buffer held({value}); launch_on(held); }}"));
            }
            16 | 17 => {
                let name = self.fresh("d");
                self.line(&format!("int {name} = 4; if ({slot}) cudaMemcpy(&{name}, {slot}, sizeof(int), cudaMemcpyDeviceToHost);"));
                if self.chance(50) {
                    self.declare(name, Type::I32, false);
                }
            }
            18 => self.line(&format!("if ({slot}) cudaMemset({slot}, 0, 16);")),
            _ => {
                let name = self.fresh("q");
                let which = [
                    "MultiProcessorCount",
                    "MaxThreadsPerBlock",
                    "ComputeCapabilityMajor",
                ][self.random.usize(..3)];
                self.line(&format!(
                    "int {name} = 0; cudaDeviceGetAttribute(&{name}, cudaDevAttr{which}, 0);"
                ));
                self.declare(name, Type::I32, false);
            }
        }
    }

    /// A place for a device pointer, by number or by an index computed once.
    fn slot(&mut self) -> String {
        if self.chance(70) {
            return format!("pool[{}]", self.below(SLOTS));
        }
        let (index, value) = (self.fresh("k"), self.integer(1));
        self.line(&format!("size_t {index} = within({value}, {SLOTS}) - 1;"));
        format!("pool[{index}]")
    }

    fn bytes(&mut self) -> String {
        let value = self.integer(2);
        match self.below(4) {
            0 => format!("within({value}, 1000) * sizeof(float)"),
            1 => format!("4096 + (size_t)({value} & 0xffff)"),
            2 => format!("256 * within({value}, {})", 1 + self.below(5000)),
            _ => format!("within({value}, 1 << 20)"),
        }
    }

    fn launch(&mut self) {
        let (x, y) = (self.integer(2), self.integer(1));
        let (bx, shared) = (self.integer(1), self.integer(1));
        let kernel = self.below(KERNELS);
        let grid = match self.below(3) {
            0 => format!("dim3(within({x}, 300), within({y}, 9))"),
            1 => format!("dim3(within({x}, 30), within({y}, 9), 2)"),
            _ => format!("within({x}, 70000)"),
        };
        let block = if self.chance(60) {
            format!("{}", 32 << self.below(5))
        } else {
            format!("dim3(within({bx}, 32), {})", 1 + self.below(8))
        };
        let shared = if self.chance(70) {
            "0".to_owned()
        } else {
            format!("within({shared}, 4096)")
        };
        let text = format!(
            "kernel{kernel}<<<{grid}, {block}, {shared}>>>((int *)pool[{}], {});",
            self.below(SLOTS),
            self.below(9)
        );
        self.line(&text);
    }
}
