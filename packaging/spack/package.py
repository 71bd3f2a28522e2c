# package.py: a recipe for Spack; its name there is tau-tools, because tau is another project.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class TauTools(MakefilePackage):
    """Records parallel programs without rebuilding them, reports what is slow,
    who waits, what does not scale and which object types make memory grow."""

    homepage = "https://tau-tools.invalid/"
    url = "https://tau-tools.invalid/tau-tools-0.1.0.tar.gz"

    license("BSD-3-Clause", checked_by="tau-tools")

    # The first release adds its version() with the sha256 of its archive.

    variant("mpi", default=True, description="Record MPI, and read in parallel")
    variant("otf2", default=True, description="Read and write OTF2 archives")
    variant("papi", default=False, description="Count hardware events")
    variant("http", default=True, description="Serve live profiles (tau-monitor --serve)")

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("gawk", type="build")
    depends_on("elfutils")
    depends_on("binutils+libiberty", type="build")
    depends_on("libxml2")
    depends_on("ncurses")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("isa-l", when="target=x86_64:")
    depends_on("libmicrohttpd", when="+http")
    depends_on("mpi", when="+mpi")
    depends_on("otf2", when="+otf2")
    depends_on("papi", when="+papi")

    build_targets = ["tools"]

    @property
    def install_targets(self):
        return [f"PREFIX={self.prefix}", "install"]

    def setup_run_environment(self, env):
        env.prepend_path("PATH", self.prefix.bin)
        env.prepend_path("MANPATH", self.prefix.share.man)
