#!/usr/bin/env python3
"""Writes tests/ptx/forms.txt: every form of every PTX instruction that ptxas accepts, with the first target that does;
and tests/ptx/orders.txt: in which other orders it accepts the qualifiers.

    tools/list_ptx_forms.py > tests/ptx/forms.txt
    tools/list_ptx_forms.py orders > tests/ptx/orders.txt
    tools/list_ptx_forms.py check tests/ptx/forms.txt tests/ptx/orders.txt     asks ptxas about both again

The candidates are the syntax lines of the PTX ISA, chapter "Instruction Set", multiplied out; ptxas decides which of
them exist. A candidate is an opcode with {x,y} for alternatives, a blank, and its operands:

    2 4 8 q    a register of 2, 4, 8, 16 bytes     h f d      the same as .b16, .f32, .f64
    p P        a predicate, a pair p|q             a          an address in a 64-bit register
    s k l      a shared, constant, local variable  w W        {two} or {four} elements of the type's width
    0 … 9 in brackets, quotes: anything as it stands
"""
import itertools
import re
import subprocess
import sys
import tempfile

import ptx_forms_matrix
import ptx_forms_orders
import ptx_forms_plain

TARGETS = ["sm_80", "sm_90"]

def expand(pattern):
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [[p] if i % 2 == 0 else p.split(",") for i, p in enumerate(parts)]
    for combination in itertools.product(*choices):
        text = "".join(combination)
        yield re.sub(r"\.+", ".", text)


STEMS = {"2": "%rs", "h": "%h", "4": "%r", "8": "%rd", "f": "%f", "d": "%fd", "q": "%q", "p": "%p"}


def operand(letter, number):
    if letter.startswith("'"):
        return letter[1:-1]
    if letter == "P":
        return "%p1|%p2"
    if letter == "a":
        return "[%rd9]"
    if letter in "skl":
        return {"s": "[shared_variable]", "k": "[constant_variable]", "l": "[local_variable]"}[letter]
    if letter[0] in "wW" and len(letter) == 2:
        count = 2 if letter[0] == "w" else 4
        return "{" + ", ".join(f"{STEMS[letter[1]]}{i + 1}" for i in range(count)) + "}"
    return f"{STEMS[letter]}{number}"


HEADER = """.version 8.8
.target TARGET
.address_size 64
.global .align 16 .b8 global_variable[256];
.const .align 16 .b8 constant_variable[256];
"""
DECLARATIONS = """{
.reg .pred %p<9>;
.reg .b16 %rs<9>;
.reg .b16 %h<9>;
.reg .b32 %r<10>;
.reg .b64 %rd<10>;
.reg .f32 %f<9>;
.reg .f64 %fd<9>;
.reg .b128 %q<9>;
.shared .align 16 .b8 shared_variable[256];
.local .align 16 .b8 local_variable[256];
"""


def accepted(forms, target):
    """Those of the forms that ptxas takes for a target."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write(HEADER.replace("TARGET", target))
        line = HEADER.count("\n") + 1
        lines = {}
        for index, form in enumerate(forms):
            text = f".visible .entry k{index}(.param .align 16 .b8 parameter[64])\n{DECLARATIONS}{form};\nret;\n}}\n"
            lines[line + 1 + DECLARATIONS.count("\n")] = form
            file.write(text)
            line += text.count("\n")
    result = subprocess.run(["ptxas", "-arch", target, "-O0", "--compile-only", "-o", "/dev/null", file.name],
                            capture_output=True, text=True)
    if result.returncode not in (0, 255):  # it broke off: no answer about what it had not come to
        half = len(forms) // 2
        return [] if half == 0 else accepted(forms[:half], target) + accepted(forms[half:], target)
    bad = set()
    for message in result.stderr.splitlines():
        found = re.search(r"line (\d+); (error|fatal)", message)
        if found and int(found.group(1)) in lines:
            bad.add(lines[int(found.group(1))])
    return [form for form in forms if form not in bad]


def all_accepted(forms, target):
    """The same, of any number of forms: some faults end a whole file, or only show once the others are gone."""
    accepted_forms = []
    for begin in range(0, len(forms), 400):
        good = accepted(forms[begin:begin + 400], target)
        for _ in range(100):
            again = accepted(good, target)
            if len(again) == len(good):
                break
            good = again
        accepted_forms += good
    return accepted_forms


def candidates():
    forms = {}
    for pattern, operands in ptx_forms_plain.candidates() + ptx_forms_matrix.candidates():
        for opcode in expand(pattern):
            forms[(opcode + " " + ", ".join(operand(o, i + 1) for i, o in enumerate(operands))).strip()] = None
    return list(forms)


def first_targets(forms):
    print(f"{len(forms)} candidates", file=sys.stderr)
    first = {}
    for target in TARGETS:
        for form in all_accepted([form for form in forms if form not in first], target):
            first[form] = target
    return first


def print_rows(forms, first, head_of):
    rows = {}
    for form in forms:
        if form in first:
            opcode, _, operands = form.partition(" ")
            rows.setdefault(head_of(form, operands), []).append(opcode)
    for head, opcodes in rows.items():
        line = head
        for opcode in opcodes:
            if len(line) + len(opcode) > 118 and line != head:
                print(line)
                line = head
            line += " " + opcode
        print(line)


def version():
    return subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.splitlines()[-2]


def list_forms():
    forms = candidates()
    first = first_targets(forms)
    print(f"# The {len(first)} forms that ptxas accepts ({version()}): first target of {', '.join(TARGETS)} | operands |\n"
          "# opcodes. Written by tools/list_ptx_forms.py.")
    print_rows(forms, first, lambda form, operands: f"{first[form]} | {operands} |")


def list_orders():
    original = ptx_forms_orders.candidates()
    first = first_targets(list(original))
    print(f"# {len(first)} orders of qualifiers that ptxas accepts ({version()}): first target of {', '.join(TARGETS)} |\n"
          "# operands | the order of the PTX ISA | its others. Written by tools/list_ptx_forms.py orders.")
    print_rows([form for form in original if form.split(" ")[0] != original[form]], first,
               lambda form, operands: f"{first[form]} | {operands} | {original[form]} |")


def check(paths):
    """How many of the forms ptxas does not take; a different version than wrote them is not asked."""
    wrong = 0
    for path in paths:
        if version() not in open(path, encoding="utf-8").readline():
            print(f"{path}: written by a different version of ptxas than {version()}, so it is not checked")
            continue
        of_target = {}
        for line in open(path, encoding="utf-8"):
            if line.startswith("#"):
                continue
            fields = line.rstrip("\n").split(" |")
            for opcode in fields[-1].split():
                of_target.setdefault(fields[0], []).append((opcode + " " + fields[1].strip()).strip())
        for target, forms in of_target.items():
            good = set(all_accepted(forms, target))
            for form in forms:
                if form not in good:
                    wrong += 1
                    print(f"{path}: ptxas does not take for {target}: {form}")
    return wrong


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["check"]:
        sys.exit(1 if check(arguments[1:]) else 0)
    if arguments == ["orders"]:
        list_orders()
    else:
        list_forms()


main()
