"""Libraries of specs and models, generated, compiled and loaded in this process."""
import importlib.util
import subprocess


def run(*command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise AssertionError(f"{result.returncode} of {command}:\n{result.stdout}")
    return result.stdout


def module_of_text(kgen, work, text, name, *options):
    """The Python module of a spec's text, whose library is called `sized`, loaded."""
    spec = work / f"{name}.yaml"
    spec.write_text(text)
    return module_of(kgen, spec, work / name, "sized", *options)


def module_of(kgen, spec, folder, library, *options):
    """The Python module of the library that a spec with `python: true` is."""
    run(kgen, "generate", spec, "-o", folder / "folder", "--quiet", *options)
    run("cmake", "-G", "Ninja", "-S", folder / "folder", "-B", folder / "build", "-DBUILD_SHARED_LIBS=ON")
    run("cmake", "--build", folder / "build")
    found = importlib.util.spec_from_file_location(library, folder / f"build/{library}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def variants(module):
    """The names of a library's variants that this CPU runs."""
    return [name for name, isSupported in dict(module.load().variants).items() if isSupported]
