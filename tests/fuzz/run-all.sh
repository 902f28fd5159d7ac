#!/bin/sh
# Runs every fuzz target for so many seconds each (default 60), from its seeds; ends at the first find.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")"
for target in $(cargo +nightly fuzz list --fuzz-dir .); do
    mkdir -p "corpus/$target"
    cargo +nightly fuzz run "$target" --fuzz-dir . "corpus/$target" "seeds/$target" -- \
        -max_total_time="$seconds" -timeout=10
done
