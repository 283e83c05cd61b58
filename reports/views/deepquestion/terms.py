"""What the terms of DeepQuestion's tables mean."""

from .labels import FEW

OTHER_TASK = (
    "Q2I is another task, a question to be written: its distance is over problems with both marks, with an interval of"
    " two independent shares"
)
MCNEMAR = "p: McNemar's exact test of the drop, two-sided"
WIDE = f"an interval over fewer than {FEW} problems is wide: so few say little of what others would show"
