"""Unpacks NVIDIA's wheels into one tree that looks like a CUDA Toolkit: include/, lib/ and licenses/. Prints how many
bytes it wrote.

    python3 unpack.py TREE WHEEL…
"""

import pathlib
import shutil
import sys
import zipfile


def target_of(member):
    """Where a file of a wheel belongs in the tree, or None for what is not needed."""
    parts = pathlib.PurePosixPath(member).parts
    if ".." in parts or member.endswith("/"):
        return None
    if parts[-2:] == ("licenses", "License.txt"):  # PACKAGE-VERSION.dist-info/licenses/License.txt
        return pathlib.Path("licenses", parts[0].removesuffix(".dist-info") + ".txt")
    if len(parts) < 4 or parts[0] != "nvidia" or parts[2] not in ("include", "lib"):  # nvidia/cu13/include/…
        return None
    # The second build of NVRTC, for programs that set its allocator, would double the tree.
    return None if ".alt." in parts[-1] else pathlib.Path(*parts[2:])


def main(tree, wheels):
    written = 0
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                target = target_of(member)
                if target is None:
                    continue
                path = pathlib.Path(tree, target)
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, open(path, "wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
                    written += file.tell()
    print(written)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except (OSError, zipfile.BadZipFile) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
