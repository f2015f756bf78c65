# Defines weft::cuda where a CUDA toolkit is found, and weft::cublas where it has cuBLASLt; used by the build and by the installed package
# alike, so a weft installed on a machine without CUDA serves one that has it.
if(NOT DEFINED WEFT_CUDA OR WEFT_CUDA)
  find_package(CUDAToolkit 12.6 QUIET)
endif()

if(CUDAToolkit_FOUND AND NOT TARGET weft::cuda)
  add_library(weft::cuda INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::cuda INTERFACE weft::weft CUDA::cudart)
  if(cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    target_compile_features(weft::cuda INTERFACE cuda_std_20)
  else() # CMake before 3.25.2 does not know that nvcc has C++20
    target_compile_options(weft::cuda INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  endif()
endif()

if(TARGET weft::cuda AND TARGET CUDA::cublasLt AND NOT TARGET weft::cublas)
  add_library(weft::cublas INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::cublas INTERFACE weft::cuda CUDA::cublasLt)
endif()
