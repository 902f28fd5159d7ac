//! Texts, their trees, and errors with their places.

use super::ast::{Item, Operand, Statement};
use super::parse;
use proptest::prelude::*;

const TEXT: &str = include_str!("../../tests/fixtures/forms.ptx");

#[test]
fn what_is_printed_is_the_same_tree() {
    let module = parse(TEXT).unwrap();
    let printed = module.to_string();
    let again = parse(&printed).unwrap();
    assert_eq!(again.to_string(), printed);
    assert_eq!(again.items.len(), module.items.len());
    assert!(module.items.len() > 10 && module.functions().count() > 3);
}

#[test]
fn errors_say_where_and_what() {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for (text, message) in [
        ("ld.global", "PTX 1:1: expected '.version', found 'ld'"),
        (
            &format!("{head}.entry k()\n{{\n  add.s32 %r1 %r2;\n}}"),
            "PTX 6:15: expected ',', found '%r2'",
        ),
        (
            &format!("{head}.entry k()\n{{\n  ret;\n"),
            "PTX 7:1: expected a statement, found the end of the text",
        ),
        (
            &format!("{head}.global .f31 x;"),
            "PTX 4:9: expected a type, found '.f31'",
        ),
        (
            &format!("{head}.global .f32 x[99999999999999999999];"),
            "PTX 4:16: expected an integer in its range, found '99999999999999999999'",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn operands_are_what_they_look_like() {
    let text = ".version 8.0 .target sm_80 .entry k() {
        @!%p1 tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];
        shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1;
        st.shared.f32 [tile+-4], 0f3F800000;
    }";
    let module = parse(text).unwrap();
    let Item::Function(kernel) = &module.items[0] else {
        panic!("no function")
    };
    let instructions = kernel
        .body
        .as_ref()
        .unwrap()
        .iter()
        .filter_map(|one| match one {
            Statement::Instruction(instruction) => Some(instruction),
            _ => None,
        });
    let instructions: Vec<_> = instructions.collect();
    assert_eq!(instructions[0].guard, Some(("%p1".to_owned(), true)));
    assert_eq!(instructions[0].name(), "tex.2d.v4.f32.f32");
    assert!(matches!(&instructions[0].operands[1], Operand::Memory(parts) if parts.len() == 2));
    assert!(matches!(&instructions[1].operands[0], Operand::Pair(..)));
    let offset = Operand::Offset("tile".to_owned(), -4);
    assert_eq!(instructions[2].operands[0], Operand::Memory(vec![offset]));
}

#[test]
fn braces_without_end_are_refused_and_no_stack_runs_over() {
    let head = ".version 8.0 .target sm_80 ";
    let deep = [
        format!("{head}.global .b8 a = {}", "{".repeat(1 << 16)),
        format!("{head}.entry k() {}", "{".repeat(1 << 16)),
        format!("{head}.entry k() {{ mov {}", "[".repeat(1 << 16)),
    ];
    for text in deep {
        assert!(parse(&text).is_err());
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_damage_makes_it_panic(at in any::<prop::sample::Index>(), with in "[ -~\\n]{0,3}", cut in 0_usize..9) {
        let start = at.index(TEXT.len());
        let end = (start + cut).min(TEXT.len());
        let damaged = format!("{}{with}{}", &TEXT[..start], &TEXT[end..]);
        let _ = parse(&damaged);
    }
}
