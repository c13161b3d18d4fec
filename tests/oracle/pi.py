"""pi by integers (J. Machin, 1706). Needs nothing."""


def pi_in_units(unit):
    """pi times `unit`, an integer, less some thousand at most: have more digits than are needed."""

    def arctan_of_inverse(n):
        power = total = unit // n
        k, sign = 3, -1
        while power:
            power //= n * n
            total += sign * (power // k)
            k, sign = k + 2, -sign
        return total

    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)
