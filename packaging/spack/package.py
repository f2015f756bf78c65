"""weft for Spack."""
from spack.package import *


class Weft(CMakePackage):
    """Expression-template tensors for C++20, on the CPU and on NVIDIA GPUs; headers only."""

    homepage = "https://example.invalid/weft"
    url = "https://example.invalid/weft/weft-0.2.0.tar.gz"  # the release's address
    license("Apache-2.0")

    version("0.2.0", sha256="0" * 64)  # the archive's checksum

    depends_on("cxx", type="build")
    depends_on("cmake@3.23:", type="build")
    conflicts("%gcc@:11", msg="weft needs g++ 12 or newer")
    conflicts("%clang@:13", msg="weft needs clang 14 or newer")

    def cmake_args(self):
        return ["-DWEFT_DEVELOP=OFF", "-DWEFT_CUDA=OFF", "-DWEFT_BLAS=OFF", "-DWEFT_LAPACK=OFF"]
