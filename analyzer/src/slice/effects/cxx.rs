//! Rows of libstdc++'s functions whose bodies are in the library: strings, trees, lists, hash tables, streams.

use super::letters::{DROPPED, Effect, Returns, State, plain};
use crate::outside::TO_TEXT;

const STRING: &str = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

/// The effect of a function, when it is one of these.
pub fn effect(name: &str) -> Option<Effect> {
    if let Some(member) = name
        .strip_prefix("_ZNK")
        .and_then(|rest| member_of(rest, STRING))
    {
        return looks_at_string(member);
    }
    if let Some(member) = name
        .strip_prefix("_ZN")
        .and_then(|rest| member_of(rest, STRING))
    {
        return changes_string(member);
    }
    container(name)
        .or_else(|| stream(name))
        .or_else(|| filesystem(name))
}

/// What is at a path; the path's own members have no rows, since its parts lead to each other.
fn filesystem(name: &str) -> Option<Effect> {
    let asked = name.strip_prefix("_ZNSt10filesystem");
    Some(match asked {
        Some("6statusERKNS_7__cxx114pathE" | "9file_sizeERKNS_7__cxx114pathE") => {
            plain("t", Returns::Value)
        }
        Some(
            "6statusERKNS_7__cxx114pathERSt10error_code"
            | "9file_sizeERKNS_7__cxx114pathERSt10error_code",
        ) => plain("tw", Returns::Value),
        _ if matches!(
            name,
            "_ZNSt3_V215system_categoryEv" | "_ZNSt3_V216generic_categoryEv"
        ) =>
        {
            plain("-", Returns::Hidden)
        }
        _ => return None,
    })
}

/// What follows a class's name, which begins with an `N` that the prefix took.
fn member_of<'n>(rest: &'n str, class: &str) -> Option<&'n str> {
    rest.strip_prefix(class.strip_prefix('N')?)
}

/// Members that do not change the string.
fn looks_at_string(member: &str) -> Option<Effect> {
    Some(match member {
        "5c_strEv" | "4dataEv" | "5beginEv" | "6cbeginEv" | "3endEv" | "4cendEv" | "7_M_dataEv"
        | "5frontEv" | "4backEv" | "ixEm" | "2atEm" => plain("r-", Returns::Behind(0)),
        "13_M_local_dataEv" | "16_M_get_allocatorEv" => plain("-", Returns::Into(0)),
        // A length and, as second result, the pointer.
        "cvSt17basic_string_viewIcS2_EEv" => return None,
        "6substrEmm" => plain("st-", Returns::Value),
        "4copyEPcmm" => plain("tw-", Returns::Value),
        _ if member.ends_with("RKS4_") || member.ends_with("RKS4_m") => {
            plain("tttt-", Returns::Value)
        }
        _ => plain("trrr-", Returns::Value),
    })
}

fn changes_string(member: &str) -> Option<Effect> {
    Some(match member {
        "5beginEv" | "3endEv" | "5frontEv" | "4backEv" | "ixEm" | "2atEm" => {
            plain("r-", Returns::Behind(0))
        }
        "13_M_local_dataEv" | "16_M_get_allocatorEv" => plain("-", Returns::Into(0)),
        "10_S_compareEmm" => plain("-", Returns::Value),
        "7_M_dataEPc" => plain("w1", Returns::Value),
        "9_M_lengthEm" | "11_M_capacityEm" => plain("w-", Returns::Value),
        "13_M_set_lengthEm" => plain("s-", Returns::Value),
        "10_M_destroyEm" | "13shrink_to_fitEv" => DROPPED,
        "9_S_assignEPcmc" => plain("w-", Returns::Value),
        "7_S_copyEPcPKcm" | "7_S_moveEPcPKcm" => plain("wr-", Returns::Value),
        "aSEOS4_" | "6assignEOS4_" | "C1EOS4_" | "C2EOS4_" | "C1EOS4_RKS3_" | "C2EOS4_RKS3_" => {
            plain("ss-", Returns::Into(0))
        }
        "C1ERKS4_RKS3_" | "C2ERKS4_RKS3_" | "C1ERKS4_mRKS3_" | "C2ERKS4_mRKS3_"
        | "C1ERKS4_mmRKS3_" | "C2ERKS4_mmRKS3_" | "6assignERKS4_mm" | "6appendERKS4_mm" => {
            plain("st-", Returns::Into(0))
        }
        "C1EPKcmRKS3_" | "C2EPKcmRKS3_" | "C1EPKcRKS3_" | "C2EPKcRKS3_" | "6assignEPKcm" => {
            plain("sr-", Returns::Into(0))
        }
        "C1ERKS3_" | "C2ERKS3_" | "C1EmcRKS3_" | "C2EmcRKS3_" | "aSEc" | "6assignEmc"
        | "6appendEmc" | "6resizeEm" | "8pop_backEv" | "6insertEmmc" | "7replaceEmmmc" => {
            plain("s-", Returns::Into(0))
        }
        "6insertEmPKc" | "6insertEmPKcm" => plain("s-r-", Returns::Into(0)),
        "6insertEmRKS4_" => plain("s-t-", Returns::Into(0)),
        "7replaceEmmPKc" => plain("s--r-", Returns::Into(0)),
        "7replaceEmmRKS4_" => plain("s--t-", Returns::Into(0)),
        _ if member.starts_with("12_M_constructI") && member.contains("forward_iterator_tag") => {
            plain("srr-", Returns::Value)
        }
        _ if (member.starts_with("C1I") || member.starts_with("C2I"))
            && member.contains("cvEET_") =>
        {
            plain("srr-", Returns::Value)
        }
        "9_M_createERmm" => plain("-b-", Returns::Fresh),
        "D1Ev" | "D2Ev" | "10_M_disposeEv" => DROPPED,
        "4swapERS4_" => plain("ss", Returns::Value),
        // Another string, a text, numbers: what is read lies one step behind a string, or is the text itself.
        "9_M_assignERKS4_" | "6assignERKS4_" | "aSERKS4_" | "6appendERKS4_" | "pLERKS4_"
        | "C1ERKS4_" | "C2ERKS4_" | "C1ERKS4_mm" | "C2ERKS4_mm" => plain("st-", Returns::Into(0)),
        "9_M_appendEPKcm" | "6appendEPKcm" | "6appendEPKc" | "pLEPKc" | "6assignEPKc"
        | "aSEPKc" | "C1IS3_EEPKcRKS3_" | "C2IS3_EEPKcRKS3_" => plain("sr-", Returns::Into(0)),
        "10_M_replaceEmmPKcm" | "7replaceEmmPKcm" | "9_M_mutateEmmPKcm" => {
            plain("s--r-", Returns::Into(0))
        }
        "14_M_replace_auxEmmmc"
        | "8_M_eraseEmm"
        | "5eraseEmm"
        | "7reserveEm"
        | "7reserveEv"
        | "6resizeEmc"
        | "12_M_constructEmc"
        | "5clearEv"
        | "9push_backEc"
        | "pLEc"
        | "C1Ev"
        | "C2Ev" => plain("s-", Returns::Into(0)),
        _ => return None,
    })
}

fn container(name: &str) -> Option<Effect> {
    Some(match name {
        TO_TEXT => plain("s--r-", Returns::Value),
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_" => {
            plain("-lll", Returns::Value)
        }
        "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_" => {
            plain("ll", Returns::Reached)
        }
        "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base"
        | "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base"
        | "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base"
        | "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base" => plain("n", Returns::Reached),
        "_ZNSt8__detail15_List_node_base7_M_hookEPS0_" => plain("ll", Returns::Value),
        "_ZNSt8__detail15_List_node_base9_M_unhookEv" => plain("l", Returns::Value),
        "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_" => plain("lll", Returns::Value),
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm"
        | "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm" => plain("b-", Returns::Value),
        "_ZSt11_Hash_bytesPKvmm" => plain("r-", Returns::Value),
        _ => return None,
    })
}

/// A stream is one object with its buffer and state in it.
fn stream(name: &str) -> Option<Effect> {
    const FILES: [&str; 4] = [
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE",
        "_ZNSt14basic_ofstreamIcSt11char_traitsIcEE",
        "_ZNSt13basic_fstreamIcSt11char_traitsIcEE",
    ];
    const TEXTS: [&str; 3] = [
        "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE",
        "_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE",
        "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE",
    ];
    if let Some(member) = FILES.iter().find_map(|class| name.strip_prefix(class)) {
        let names_a_file = ["C1EPKc", "C2EPKc", "C1ERKNSt", "C2ERKNSt", "4openE"];
        let opens = names_a_file.iter().any(|start| member.starts_with(start));
        let mut effect = made_or_gone(member)?;
        effect.state = opens.then_some(State::Descriptors);
        return Some(effect);
    }
    if let Some(member) = TEXTS.iter().find_map(|class| name.strip_prefix(class)) {
        return made_or_gone(member);
    }
    if let Some(member) = name.strip_prefix("_ZNKSt9basic_iosIcSt11char_traitsIcEE") {
        return Some(match member {
            "5widenEc" => plain("-", Returns::Value),
            "cvbEv" | "ntEv" | "4failEv" | "4goodEv" | "3eofEv" | "3badEv" | "7rdstateEv" => {
                plain("r", Returns::Value)
            }
            _ => return None,
        });
    }
    extraction(name).or_else(|| output(name))
}

/// Output changes the stream: of one that collects characters the text may be asked for.
fn output(name: &str) -> Option<Effect> {
    Some(match name {
        "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l"
        | "_ZNSo5writeEPKcl"
        | "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc" => {
            plain("br-", Returns::Into(0))
        }
        _ if name.starts_with("_ZStlsIcSt11char_traitsIcESaIcE") => plain("bt-", Returns::Into(0)),
        _ if name.starts_with("_ZNSolsE")
            || name.starts_with("_ZNSo9_M_insertI")
            || name.starts_with("_ZNSo3putE")
            || name.starts_with("_ZNSo5flushE")
            || name.starts_with("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_")
            || name.starts_with("_ZSt4endlIc")
            || name.starts_with("_ZSt5flushIc") =>
        {
            plain("b-", Returns::Into(0))
        }
        _ => return None,
    })
}

fn made_or_gone(member: &str) -> Option<Effect> {
    Some(match member {
        "D1Ev" | "D2Ev" | "D0Ev" => DROPPED,
        _ if member.starts_with("C1ERK") || member.starts_with("C2ERK") => {
            plain("bt-", Returns::Value)
        }
        "7is_openEv" => plain("r", Returns::Value),
        "4openEPKcSt13_Ios_Openmode" => plain("br-", Returns::Into(0)),
        "5closeEv" => plain("b", Returns::Into(0)),
        _ if member.starts_with("C1E") || member.starts_with("C2E") => plain("br-", Returns::Value),
        _ => return None,
    })
}

fn extraction(name: &str) -> Option<Effect> {
    Some(match name {
        "_ZNSt8ios_baseC1Ev"
        | "_ZNSt8ios_baseC2Ev"
        | "_ZNSt6localeC1Ev"
        | "_ZNSt6localeC2Ev"
        | "_ZNSt8ios_baseD1Ev"
        | "_ZNSt8ios_baseD2Ev"
        | "_ZNSt6localeD1Ev"
        | "_ZNSt6localeD2Ev"
        | "_ZNKSt5ctypeIcE13_M_widen_initEv"
        | "_ZNSt12__basic_fileIcED1Ev" => DROPPED,
        "_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E" => {
            plain("b1", Returns::Value)
        }
        "_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate"
        | "_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate" => {
            plain("b-", Returns::Value)
        }
        "_ZNKSt12__basic_fileIcE7is_openEv" => plain("r", Returns::Value),
        "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE7_M_syncEPcmm" => {
            plain("br-", Returns::Value)
        }
        "_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv" => {
            plain("sr", Returns::Value)
        }
        "_ZNSi3getEv" | "_ZNSi4peekEv" | "_ZNSi5tellgEv" => plain("b", Returns::Value),
        "_ZNKSi6gcountEv" => plain("r", Returns::Value),
        "_ZNSi3getERc"
        | "_ZNSi4readEPcl"
        | "_ZNSi7getlineEPclc"
        | "_ZNSi7getlineEPcl"
        | "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_" => {
            plain("bw-", Returns::Into(0))
        }
        _ if name.starts_with("_ZNSi6ignoreE")
            || name.starts_with("_ZNSi5seekgE")
            || name.starts_with("_ZSt2wsIcSt11char_traitsIcE") =>
        {
            plain("b-", Returns::Into(0))
        }
        _ if name.starts_with("_ZNSirsER") || name.starts_with("_ZNSi10_M_extractI") => {
            plain("bw", Returns::Into(0))
        }
        "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE"
        | "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_"
        | "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE" => {
            plain("bs-", Returns::Into(0))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::effects::Use;

    #[test]
    fn strings_are_read_behind_their_pointer_and_written_with_new_memory() {
        let find = effect("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm");
        assert_eq!(find.unwrap().of_argument(0), Use::Text);
        let assign =
            effect("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_");
        assert_eq!(assign.unwrap().of_argument(0), Use::TextBoth);
        assert_eq!(assign.unwrap().of_argument(1), Use::Text);
        assert!(
            effect("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7unknownEv").is_none()
        );
    }

    #[test]
    fn streams_are_read_and_changed_by_one_call() {
        let number = effect("_ZNSirsERi").unwrap();
        assert_eq!(
            (number.of_argument(0), number.of_argument(1)),
            (Use::Both, Use::Writes)
        );
        let open = effect("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode");
        assert_eq!(open.unwrap().of_argument(1), Use::Reads);
    }
}
