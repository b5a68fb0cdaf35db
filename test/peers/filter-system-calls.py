"""Runs a program that can use only some system calls, as SystemCallFilter= of systemd does.

Usage: filter-system-calls.py <error> <name>,<name>... <program> [<argument>]...

<error> is the name of the error with which other system calls fail. If <error> is "kill", they end the process.
"""

import ctypes
import errno
import os
import sys

ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000

error, names, *program = sys.argv[1:]
seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
seccomp.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
seccomp.seccomp_load.argtypes = [ctypes.c_void_p]

rules = seccomp.seccomp_init(KILL if error == "kill" else FAIL | getattr(errno, error))
for name in names.split(","):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    # A negative number is a system call of another architecture.
    if number >= 0 and seccomp.seccomp_rule_add(rules, ALLOW, number, 0) != 0:
        sys.exit(f"no rule for {name}")
if seccomp.seccomp_load(rules) != 0:
    sys.exit("the filter cannot be loaded")
os.execvp(program[0], program)
