# SPDX-License-Identifier: Apache-2.0
"""check.py FOLDER: checks that the SBOMs of every archive in FOLDER are valid, agree with each other and
with the output of the program, and that the archive has the licence of each library in them."""
import hashlib
import json
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

HERE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())


# The licences of libraries under another name: the packages that contain them.
LICENSED_AS = {"glibc": "libc6-dev", "libstdc++": "gcc-12-base", "llvm-libcxx": "libcxx", "xz": "liblzma-dev|xz-utils",
               "zlib": "zlib(1g-dev|-)", "mingw-w64": "mingw-w64"}


def file_in(archive, name):
    if archive.suffix == ".zip":
        return zipfile.ZipFile(archive).read(name)
    return tarfile.open(archive).extractfile(name).read()


def program_in(archive):
    return file_in(archive, "kubectl-dsdoctor.exe" if archive.suffix == ".zip" else "kubectl-dsdoctor")


def unlicensed(archive, libraries):
    """The libraries whose licence is missing in the archive."""
    text = file_in(archive, "THIRD_PARTY_LICENSES").decode()
    sections = re.split(r"^======== (.*) ========$", text, flags=re.M)[1:]
    whole = [name for name, body in zip(sections[::2], sections[1::2]) if len(body.strip()) > 200]
    return [library for library in libraries
            if not any(re.search(LICENSED_AS.get(library, re.escape(library)), name) for name in whole)]


def said_by(program):
    """The bundled libraries in the output of the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kubectl-dsdoctor")
        path.write_bytes(program)
        path.chmod(0o755)
        return json.loads(subprocess.check_output([path, "version", "-o", "json"]))["bundledLibraries"]


def without_epoch(version):
    return version.rpartition(":")[2]


def check(archive, name):
    complaints = []
    cdx_file, spdx_file = (archive.parent / f"{name}.{kind}.json" for kind in ("cdx", "spdx"))
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(cdx_file.read_text())
    if error:
        complaints.append(f"{cdx_file.name}: {error}")
    document = parse_file(str(spdx_file))
    for message in validate_full_spdx_document(document, "SPDX-2.3"):
        complaints.append(f"{spdx_file.name}: {message.validation_message}")

    cdx = json.loads(cdx_file.read_text())
    listed = {part["name"]: (part["version"], part["purl"]) for part in cdx["components"]}
    packages = {p.name: p for p in document.packages}
    main = packages.pop("kubectl-dsdoctor")
    other = {p.name: (p.version, p.external_references[0].locator) for p in packages.values()}
    if listed != other or len(listed) < 10:
        complaints.append(f"{name}: CycloneDX has {listed}, SPDX has {other}")
    for version, purl in listed.values():
        if PackageURL.from_string(purl).version != version:
            complaints.append(f"{name}: {purl} is not of version {version}")

    if missing := unlicensed(archive, listed):
        complaints.append(f"{name}: THIRD_PARTY_LICENSES has nothing of {', '.join(missing)}")
    if b"Apache License" not in file_in(archive, "LICENSE"):
        complaints.append(f"{name}: LICENSE is not ours")

    program = program_in(archive)
    sha = hashlib.sha256(program).hexdigest()
    if [sha, sha] != [main.checksums[0].value, cdx["metadata"]["component"]["hashes"][0]["content"]]:
        complaints.append(f"{name}: the checksum is not the program's")
    if name.endswith(f"_linux_{HERE}"):
        said = {library: version.removesuffix("-upstream") for library, version in said_by(program).items()}
        unsaid = {library: without_epoch(version) for library, (version, _) in listed.items() if library != "libstdc++"}
        if said != unsaid:
            complaints.append(f"{name}: the program says {said}, its SBOM {unsaid}")
    return complaints


folder = pathlib.Path(sys.argv[1])
archives = sorted([*folder.glob("*.tar.gz"), *folder.glob("*.zip")])
found = [c for a in archives for c in check(a, a.name.removesuffix(".tar.gz").removesuffix(".zip"))]
print("\n".join(found) or f"SBOMs of {len(archives)} archives: valid, and of these programs; all licences are there")
sys.exit(bool(found) or not archives)
