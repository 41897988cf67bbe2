#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_darwin.py ARCHIVE: inspects the program for macOS, which cannot be run here: its libraries, the oldest macOS,
its flags, and its ad-hoc signature, whose hashes are all recomputed."""

import hashlib
import struct
import sys
import tarfile

CPUS = {"arm64": 0x0100000C, "amd64": 0x01000007}
LC_SEGMENT_64, LC_LOAD_DYLIB, LC_CODE_SIGNATURE, LC_BUILD_VERSION, LC_SYMTAB, LC_RPATH = 0x19, 0xC, 0x1D, 0x32, 0x2, 0x8000001C
MH_EXECUTE, MH_PIE = 2, 0x200000
MACOS = 1
MOST_BYTES = 9_000_000
failures = []


def check(what, holds, found=""):
    print(f"{'ok' if holds else 'FAILED'}: {what} {found}".rstrip())
    if not holds:
        failures.append(what)


def load_commands(image):
    count = struct.unpack_from("<I", image, 16)[0]
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", image, at)
        yield command, image[at:at + size]
        at += size


def text_of(command, offset):
    return command[struct.unpack_from("<I", command, offset)[0]:].split(b"\0")[0].decode()


def check_signature(image, at, size):
    """Checks the code directory (Apple's cs_blobs.h), whose numbers are big-endian."""
    magic, _, count = struct.unpack_from(">III", image, at)
    check("the signature is a set of blobs", magic == 0xFADE0CC0)
    blobs = dict(struct.unpack_from(">II", image, at + 12 + 8 * i) for i in range(count))
    check("it has a code directory", 0 in blobs)
    directory = at + blobs[0]
    (magic, length, _, flags, hashes, identifier, _, slots, limit, hash_size, hash_type, _, page
     ) = struct.unpack_from(">IIIIIIIIIBBBB", image, directory)
    check("of the known form", magic == 0xFADE0C02 and directory + length <= at + size)
    check("signed ad hoc", flags & 2 == 2)
    name = image[directory + identifier:].split(b"\0")[0].decode()
    check("names the program", name != "", name)
    check("covers all before it", limit == at)
    check("by SHA-256", (hash_type, hash_size) == (2, 32))
    page = 1 << page
    good = all(hashlib.sha256(image[i * page:min((i + 1) * page, limit)]).digest()
               == image[directory + hashes + 32 * i:directory + hashes + 32 * (i + 1)] for i in range(slots))
    check("the hash of every page", good and slots == -(-limit // page), f"{slots} pages")


def inspect(image, architecture):
    magic, cpu, _, kind, _, _, flags = struct.unpack_from("<IIIIIII", image, 0)
    check("a 64-bit Mach-O program", magic == 0xFEEDFACF and kind == MH_EXECUTE)
    check(f"for {architecture}", cpu == CPUS[architecture])
    check("position independent", flags & MH_PIE != 0)
    commands = list(load_commands(image))
    libraries = [text_of(c, 8) for kind, c in commands if kind == LC_LOAD_DYLIB]
    check("loads the system's library alone", libraries == ["/usr/lib/libSystem.B.dylib"], ", ".join(libraries))
    check("looks for none elsewhere", not [c for kind, c in commands if kind == LC_RPATH])
    built = [struct.unpack_from("<II", c, 8) for kind, c in commands if kind == LC_BUILD_VERSION]
    check("macOS 11.0 is the oldest", built == [(MACOS, 11 << 16)], str(built))
    writable = [c[8:24] for kind, c in commands if kind == LC_SEGMENT_64 and struct.unpack_from("<I", c, 60)[0] & 6 == 6]
    check("nothing is writable and executable", not writable)
    check(f"not above {MOST_BYTES} bytes", len(image) <= MOST_BYTES, f"{len(image)} bytes")
    check("names no folder of the machine that built it", b"dsdoctor-package" not in image and b"/ziglang/" not in image)
    signatures = [struct.unpack_from("<II", c, 8) for kind, c in commands if kind == LC_CODE_SIGNATURE]
    if architecture == "arm64":  # only arm64 requires a signature
        check("signed", len(signatures) == 1)
    for at, size in signatures:
        check_signature(image, at, size)


def main():
    archive = sys.argv[1]
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        image = packed.extractfile("kubectl-dsdoctor").read()
    check("program, helper and licences", {"kubectl-dsdoctor", "kubectl_complete-dsdoctor", "LICENSE",
                                           "THIRD_PARTY_LICENSES"} <= set(names), " ".join(names))
    inspect(image, "arm64" if "arm64" in archive else "amd64")
    if failures:
        print(f"{len(failures)} of the checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
