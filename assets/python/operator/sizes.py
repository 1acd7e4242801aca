"""The functions in which grids and arguments are computed from sizes."""


def cdiv(value, by):
    return (value + by - 1) // by


def next_power_of_2(value):
    # int(): under torch.compile a size may be symbolic, and this one becomes a constant of the compiled code.
    return 1 << max(int(value) - 1, 0).bit_length()
