"""Prints every selection between x and a constant as a function, and a caller of it for every special value of x.

Once calls are inlined, the callers fold to constants, so the bits before and after a rewrite can be compared.
"""
import itertools

SPECIAL = ["0x7FC00000", "0x7F800000", "0xFF800000", "0.0", "-0.0", "1.0", "-1.0", "2.0", "1.0e-40", "-1.0e-40"]
PREDICATES = ["ogt", "oge", "olt", "ole", "ugt", "uge", "ult", "ule", "one", "ueq"]
CONSTANTS = ["0.0", "-0.0", "1.0", "1.0e-40", "0x7F800000", "0x7FC00000"]

forms = itertools.product(PREDICATES, CONSTANTS, [True, False], [True, False])
for form, (predicate, constant, constant_right, straight) in enumerate(forms):
    a, b = ("%x", "%c") if constant_right else ("%c", "%x")
    yes, no = (a, b) if straight else (b, a)
    print(f"""func.func private @form{form}(%x: f32) -> f32 {{
  %c = arith.constant {constant} : f32
  %p = arith.cmpf {predicate}, {a}, {b} : f32
  %r = arith.select %p, {yes}, {no} : f32
  return %r : f32
}}""")
    for case, x in enumerate(SPECIAL):
        print(f"""func.func @form{form}_case{case}() -> f32 {{
  %x = arith.constant {x} : f32
  %r = call @form{form}(%x) : (f32) -> f32
  return %r : f32
}}""")
