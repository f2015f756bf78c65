# What weft links to; used by the build and by the installed package alike.
find_package(Threads REQUIRED)
if(NOT DEFINED WEFT_OPENMP OR WEFT_OPENMP)
  find_package(OpenMP QUIET COMPONENTS CXX)
endif()
