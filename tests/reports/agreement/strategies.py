"""What samples the properties are tested on."""

from hypothesis import strategies as st

shapes = st.fixed_dictionaries(
    {
        "n_items": st.integers(1, 30),
        "n_raters": st.integers(1, 8),
        "n_categories": st.integers(1, 6),
        "share": st.sampled_from([0.3, 0.7, 1.0]),
    }
)
seeds = st.integers(0, 2**32)
levels = st.sampled_from(["nominal", "ordinal", "interval"])
