#!/usr/bin/env python3
"""Fails if an object file of a network that links weft::lib defines what the library holds.

usage: compiled_parts.py NM OBJECT...
"""
import re
import subprocess
import sys

# Loops over elements and kernels, with the functions behind them, of layers, losses and optimizers.
HELD = (r"ElementKernel<|MultiOutputKernel<|cpu::detail::Run<|ColumnRun<|RowKernel<|__device_stub__|"
        r"conv::detail::compute<|ByMatmul<|Depthwise\w*<|autograd::(Function|Statement|Movement|Backward)<|"
        r"Optimizer<.*::(step|state_dict)\(|AdamRule<.*::(update|advance)")

wrong = []
for path in sys.argv[2:]:
    symbols = subprocess.run([sys.argv[1], "-C", "--defined-only", path], check=True,
                             capture_output=True, text=True).stdout
    names = [line[19:] for line in symbols.splitlines() if line[17:18] in "tTwWu"]
    if not any("main" == name for name in names):
        sys.exit(f"{path}: no main among {len(names)} functions")
    wrong += [name for name in names if re.search(HELD, name)]
for name in wrong:
    print("compiled here though weft::lib holds it:", name[:300])
sys.exit(bool(wrong))
