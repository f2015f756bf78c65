# Defines weft::cufft, for Fourier transforms on CUDA, where the toolkit has cuFFT; used by the build and
# by the installed package alike.
if(TARGET weft::cuda AND TARGET CUDA::cufft AND NOT TARGET weft::cufft)
  add_library(weft::cufft INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::cufft INTERFACE weft::cuda CUDA::cufft)
endif()
