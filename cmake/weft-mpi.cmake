# Defines weft::mpi, for groups of processes on the CPU, where an MPI (Open MPI, MPICH) is found; used
# by the build and by the installed package alike.
if((DEFINED WEFT_MPI AND NOT WEFT_MPI) OR TARGET weft::mpi)
  return()
endif()

set(MPI_CXX_SKIP_MPICXX TRUE) # MPI's own C++ classes, which the standard dropped
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  add_library(weft::mpi INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::mpi INTERFACE weft::weft MPI::MPI_CXX)
  target_compile_definitions(weft::mpi INTERFACE WEFT_MPI)
endif()
