#!/usr/bin/env python3
"""Random statements: what weft takes for formulas that nobody tuned it for, beside PyTorch.

From a seed it draws statements as programs have them, in families (element-wise, reductions, row
programs, image norms, scans, gathers, several outputs, broadcast products, copies; where asked for:
places), over shapes that move 64 MiB to 2 GiB. Each is written in weft and in PyTorch from one
description, checked against double precision, and timed in turns on one device. The summary gives
weft's time over the best rival's by family, what failed, and the worst with what explain() says;
OUT/random-<machine>.csv has every statement. Returns 77 without a GPU, and 1 where a statement of
weft's failed or was wrong.
"""
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if __name__ != "__main__":
    # A script beside this one that imports Python's random module finds this file first.
    path = list(sys.path)
    sys.path[:] = [folder for folder in path if os.path.abspath(folder) != HERE]
    del sys.modules[__name__]
    importlib.import_module(__name__)
    sys.path[:] = path
else:
    sys.path[0] = os.path.join(HERE, "random")
    import program
    sys.exit(program.main(__doc__))
