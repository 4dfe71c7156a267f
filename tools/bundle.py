#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a shared object and all libraries that it needs, but those of glibc and gcc's, into a folder where they find each other.

    tools/bundle.py FILE.so FOLDER          needs patchelf

Each library has a name of its own (liblapack-torsor.so.3): a program that has loaded another one of the usual name would else give
us that.  Each has the search path $ORIGIN: that of the first object does not reach the libraries of libraries.  Debian's texts of
their licences are put beside them, and libraries.txt says what was taken from where.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys

# Part of every system that can load the object at all.
OF_THE_SYSTEM = re.compile(r"^(linux-vdso|ld-linux-|lib(c|m|dl|rt|pthread|gcc_s)\.so)")


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def needed(file):
    return [name for name in run("patchelf", "--print-needed", file).split() if not OF_THE_SYSTEM.match(name)]


def places(file):
    """Paths of all libraries of a file by their names."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", file), re.M))


def own(name):
    stem, so, rest = name.partition(".so")
    return f"{stem}-torsor{so}{rest}"


class Elf:
    """A shared object for x86-64 in memory, by the names of its sections."""

    def __init__(self, file):
        self.file, self.data = file, bytearray(file.read_bytes())
        start, = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        heads = [struct.unpack_from("<IIQQQQ", self.data, start + i * size) for i in range(count)]
        self.place = {self.text(heads[names][4] + head[0]): head[4] for head in heads}

    def text(self, offset):
        return self.data[offset:self.data.index(0, offset)].decode()

    def rename_versions(self, names):
        """Versions of symbols are asked of libraries by name, too, which patchelf leaves as it was: the loader would stop there."""
        strings, at = self.place[".dynstr"], self.place.get(".gnu.version_r")
        dynamic, new = self.place[".dynamic"], {}
        while (entry := struct.unpack_from("<QQ", self.data, dynamic))[0]:
            if entry[0] == 1:  # DT_NEEDED
                new[self.text(strings + entry[1])] = entry[1]
            dynamic += 16
        step = 1 if at else 0
        while step:
            file, _, step = struct.unpack_from("<III", self.data, at + 4)
            name = names.get(self.text(strings + file))
            if name:
                struct.pack_into("<I", self.data, at + 4, new[name])
            at += step
        self.file.write_bytes(self.data)


def licence(path, folder):
    """The text that Debian has of the licence of a library, where it has one."""
    for place in (path, str(pathlib.Path(path).resolve()), path.replace("/usr/lib", "/lib", 1), "/usr" + path):
        found = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True)
        package = found.stdout.split(":")[0] if found.returncode == 0 else ""
        text = pathlib.Path("/usr/share/doc") / package / "copyright"
        if package and text.is_file():
            shutil.copyfile(text, folder / f"{package}.copyright")
            return


def bundle(file, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    where, todo, names = places(file), [pathlib.Path(file)], {}
    while todo:
        source = todo.pop()
        name = pathlib.Path(file).name if source == pathlib.Path(file) else own(names[source])
        copy = folder / name
        shutil.copyfile(source.resolve(), copy)
        copy.chmod(0o755)
        if source == pathlib.Path(file):
            run("strip", "--strip-unneeded", copy)
        renamed = {library: own(library) for library in needed(source)}
        for library, new in renamed.items():
            run("patchelf", "--replace-needed", library, new, copy)
            path = pathlib.Path(where[library])
            if path not in names:
                names[path] = library
                todo.append(path)
                licence(where[library], folder)
        # One change at a time: patchelf 0.14 mixes the strings of several.
        run("patchelf", "--set-soname", name, copy)
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", copy)
        Elf(copy).rename_versions(renamed)
    (folder / "libraries.txt").write_text("".join(sorted(f"{own(name)} {path}\n" for path, name in names.items())))


if __name__ == "__main__":
    bundle(*sys.argv[1:3])
