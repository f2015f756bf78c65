"""weft for Conan 2: headers only. In a checkout the recipe takes the sources that it lies in."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy
from conan.tools.layout import basic_layout


class Weft(ConanFile):
    name = "weft"
    description = "Expression-template tensors for C++20, on the CPU and on NVIDIA GPUs"
    license = "Apache-2.0"
    topics = ("tensor", "cuda", "expression-templates", "autograd", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def layout(self):
        basic_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "tools/*", "include/*", "lib/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({"WEFT_DEVELOP": False, "WEFT_CUDA": False, "WEFT_BLAS": False, "WEFT_LAPACK": False})
        toolchain.generate()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        cmake = CMake(self)
        cmake.configure()
        cmake.install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # weft's own CMake files: they define weft::cuda, weft::blas and weft::zlib where these are found.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "weft")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.system_libs = ["pthread"]
