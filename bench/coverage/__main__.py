"""How often the 95% intervals hold the truth, by simulation without a model. Prints, asserts
nothing.

    python -m bench.coverage METHOD [--runs 1000] [--workers 2]

METHOD: drill, depthqa, deepquestion, corrected, or comparison and decide, which are about two models and more.
"""

import argparse
from importlib import import_module

METHODS = ("drill", "depthqa", "deepquestion", "comparison", "decide", "corrected")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    import_module(f"bench.coverage.{options.method}").main(options.runs, options.workers)
