"""Executes a user's file of Triton kernels, so far as its kernels need it: imports, definitions and constants.

    module = Module("/home/me/kernels.py", text).execute()
    module.namespace["add"]     the function, with its decorators
    module.skipped              the statements that raised, each with its line
    module.imported             the files beside it that it imported, with their times of change

Statements that only run the host side are passed over. A statement that raises is noted and passed over; a name that a
failed import would have bound becomes a stand-in, so that `@libentry()` above a kernel does no harm. The files beside it
that it imports are executed in the same way. A file in a package is imported as a part of it, without the packages' own
__init__.py, unless a name of theirs is asked for.
"""

import ast
import dataclasses
import importlib
import importlib.machinery
import linecache
import os
import re
import signal
import sys
import types

import triton_stand_ins
from triton_refusal import Refused, first_line, line_in

LONGEST = 20  # seconds that a file may take to execute
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


class TookTooLong(BaseException):
    pass


class Ended(BaseException):
    """The file asked for the process's end."""


class PackageModule(types.ModuleType):
    """A package. Its __init__.py is executed with the first name that is asked of it, and if it is a package above the
    user's file, with the first that is no module of it."""

    is_above = False

    def __getattr__(self, name):
        if name == "__version__":
            self.__version__ = self.version()
            return self.__version__
        if (name.startswith("__") and name != "__all__") or self.__dict__.get("is_executed"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if self.is_above:
            try:
                return importlib.import_module(f"{self.__name__}.{name}")
            except ImportError:
                pass
        self.__dict__["is_executed"] = True
        for statement in self.statements():
            execute(statement, self.__file__, self.__dict__, getattr(self.__loader__, "skipped", []))
        if name not in self.__dict__:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return self.__dict__[name]

    def statements(self):
        with open(self.__file__, encoding="utf-8") as source:
            return ast.parse(source.read(), self.__file__).body

    def version(self):
        """`__version__ = "1.2"` or `from .version import __version__`: nothing else has to be executed for it."""
        for one in self.statements():
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
                if any(isinstance(target, ast.Name) and target.id == "__version__" for target in one.targets):
                    return one.value.value
            if isinstance(one, ast.ImportFrom) and one.level == 1 and one.module:
                if any(alias.name == "__version__" for alias in one.names):
                    return importlib.import_module(f"{self.__name__}.{one.module}").__version__
        raise AttributeError(f"module '{self.__name__}' has no attribute '__version__'")


def is_installed(file):
    """Whether a file belongs to Python's own packages or to Tilescope."""
    folders = {os.path.realpath(one) + os.sep for one in (sys.prefix, sys.base_prefix, OWN_FOLDER)}
    return os.path.realpath(file).startswith(tuple(folders))


class HelperLoader(importlib.machinery.SourceFileLoader):
    """Loads a file that the user's file imports: a statement that raises does not stop the others."""

    def __init__(self, name, path):
        super().__init__(name, path)
        self.skipped = []

    def create_module(self, spec):
        return PackageModule(spec.name) if self.is_package(spec.name) else None

    def exec_module(self, module):
        if isinstance(module, PackageModule):
            return
        for statement in ast.parse(self.get_source(self.name), self.path).body:
            execute(statement, self.path, module.__dict__, self.skipped)


class HelperFinder(importlib.machinery.PathFinder):
    """Finds the files below the folder from which the user's file imports."""

    def __init__(self, root):
        self.root = os.path.join(os.path.realpath(root), "")

    def find_spec(self, name, path=None, target=None):
        spec = super().find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        if not os.path.realpath(spec.origin).startswith(self.root) or is_installed(spec.origin):
            return None
        spec.loader = HelperLoader(name, spec.origin)
        return spec


def execute(statement, file, namespace, skipped):
    """One that raises is noted. Names that it would have imported become stand-ins."""
    try:
        exec(compile(ast.Module([statement], []), file, "exec"), namespace)
        return
    except (KeyboardInterrupt, MemoryError, TookTooLong):
        raise
    except BaseException as error:  # a file may call sys.exit
        line = line_in(file, error) or statement.lineno
        sentence = "it ends the process" if isinstance(error, (Ended, SystemExit)) else (
            f"{type(error).__name__}: {first_line(error)}{why_of_helper(error)}")
        is_kernel = isinstance(statement, ast.FunctionDef) and bool(statement.decorator_list)
        skipped.append(Skipped(line, sentence, frozenset(bound_by(statement)), is_kernel))
    for name, path in bound_by_import(statement):
        namespace.setdefault(name, triton_stand_ins.StandIn(path, f"line {line} raised {sentence}"))


def cause_of(name, skipped):
    """The statement that raised and would have bound the name; where that one only missed a name that a different one
    would have bound, that one. None: the name is missing for no such reason."""
    cause = None
    for _ in range(len(skipped)):
        found = next((one for one in skipped if name in one.names and one is not cause), None)
        if found is None:
            break
        cause = found
        missed = re.match(r"NameError: name '(\w+)' is not defined", cause.why)
        if not missed:
            break
        name = missed[1]
    return cause


def why_of_helper(error):
    """A name may be missing in an imported file because a statement raised there."""
    helper = sys.modules.get(error.name) if isinstance(error, ImportError) and error.name else None
    skipped = getattr(getattr(helper, "__loader__", None), "skipped", [])
    missed = re.match(r"cannot import name '(\w+)'", str(error))
    cause = cause_of(missed[1], skipped) if missed else None
    return f"; line {cause.line} of that file raised {cause.why}" if cause else ""


def packages_above(folder):
    """(name, folder) of the packages that hold it, outermost first."""
    found = []
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.basename(folder).isidentifier():
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    names = [os.path.basename(one) for one in found]
    return [(".".join(names[:i + 1]), one) for i, one in enumerate(found)]


def is_host_side(statement):
    """Calls at the top of a file run the host side: tests, prints, benchmarks. So does `if __name__ == …`."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If):
        return "__name__" in ast.dump(statement.test)
    return isinstance(statement, (ast.For, ast.While, ast.With, ast.Assert, ast.Delete))


def bound_by(statement):
    """The names that a statement binds at the top of its file, also below try, if, with and for."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    names = {name for name, _ in bound_by_import(statement)}
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            names |= bound_by(node)
        elif isinstance(node, ast.ExceptHandler):
            for inner in node.body:
                names |= bound_by(inner)
        else:
            names |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return names


def bound_by_import(statement):
    """The names that an import statement binds, also in try or if, with the module that each comes from."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.asname or one.name.split(".")[0], one.name
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                if one.name != "*":
                    yield one.asname or one.name, f"{node.module or '.'}.{one.name}"


@dataclasses.dataclass
class Skipped:
    """A statement that raised."""
    line: int
    why: str  # "ZeroDivisionError: division by zero"
    names: frozenset  # which it would have bound
    is_kernel: bool  # it defines a function with decorators


class Module:
    """An executed file."""

    def __init__(self, file, text):
        self.file, self.text = file, text
        self.skipped = []
        self.imported = {}
        self.compiled = {}  # what was answered for a specialization of one of its kernels
        self.namespace = None
        self.tree = None

    def execute(self):
        if "\0" in self.text:
            line = self.text[:self.text.index("\0")].count("\n") + 1
            raise Refused("syntax", "the file holds a null byte, so it is not Python", line)
        try:
            self.tree = ast.parse(self.text, self.file)
        except SyntaxError as error:
            raise Refused("syntax", f"{error.msg}", error.lineno or 0) from None
        triton_stand_ins.install()
        # inspect.getsource, which Triton calls, reads the text from here. Without a time of change it is never reread.
        linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(True), self.file)
        folder = os.path.dirname(os.path.abspath(self.file))
        packages = packages_above(folder)
        name = re.sub(r"\W", "_", os.path.splitext(os.path.basename(self.file))[0]) or "kernels"
        if packages:
            name = f"{packages[-1][0]}.{name}"
        module = types.ModuleType(name)
        module.__file__ = self.file
        module.__package__ = packages[-1][0] if packages else ""
        self.namespace = module.__dict__
        root = os.path.dirname(packages[0][1]) if packages else folder
        before = set(sys.modules)
        kept = sys.modules.get(name)
        sys.path.insert(0, root)
        finder = HelperFinder(root)
        sys.meta_path.insert(1, finder)
        importlib.invalidate_caches()
        try:
            for package, at in packages:
                made = sys.modules[package] = PackageModule(package)
                made.__path__, made.__package__, made.is_above = [at], package, True
                made.__file__ = os.path.join(at, "__init__.py")
            sys.modules[name] = module
            self.run_all()
        finally:
            sys.path.remove(root)
            sys.meta_path.remove(finder)
            sys.modules.pop(name, None)
            if kept is not None:
                sys.modules[name] = kept
            self.forget_imports(before)
        return self

    def run_all(self):
        def stop(*_):
            raise TookTooLong()

        def end(*_):
            raise Ended()

        leave, os._exit = os._exit, end
        previous = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            for statement in self.tree.body:
                if not is_host_side(statement):
                    self.run(statement)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
            os._exit = leave

    def run(self, statement):
        # The last line of standard error is the reason that is given if the process dies here.
        os.write(2, f"it was executing line {statement.lineno} of the file\n".encode())
        try:
            execute(statement, self.file, self.namespace, self.skipped)
        except TookTooLong as error:
            line = line_in(self.file, error) or statement.lineno
            raise Refused("slow", f"the file runs for more than {LONGEST} s here", line,
                          "importing it must only define kernels: put the rest below if __name__ == '__main__'.") from None

    def forget_imports(self, before):
        """Files beside this one may change: the next execution imports them anew."""
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if not file or is_installed(file):
                continue
            if file != self.file and os.path.isfile(file):
                self.imported[file] = os.stat(file).st_mtime_ns
            del sys.modules[name]

    def is_current(self):
        try:
            return all(os.stat(file).st_mtime_ns == time for file, time in self.imported.items())
        except OSError:
            return False

    def causes(self):
        """The statements that raised, those first for which kernels are missing."""
        first = [cause_of(name, self.skipped) for one in self.skipped if one.is_kernel for name in one.names]
        return first + [one for one in self.skipped if one not in first]

    def why_missing(self, name):
        """The sentence for a kernel that the file lacks because a statement raised; None: not for this reason."""
        cause = cause_of(name, self.skipped)
        return Refused("raised", f"the file raised {cause.why}", cause.line) if cause else None
