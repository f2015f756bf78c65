# Defines weft::cusolver where the CUDA toolkit has cuSOLVER and cuBLAS. Used by the build and by the
# installed package alike.
if((DEFINED WEFT_CUSOLVER AND NOT WEFT_CUSOLVER) OR NOT TARGET weft::cublas OR TARGET weft::cusolver)
  return()
endif()

if(TARGET CUDA::cusolver AND TARGET CUDA::cublas)
  add_library(weft::cusolver INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::cusolver INTERFACE weft::cublas CUDA::cusolver CUDA::cublas)
  target_compile_definitions(weft::cusolver INTERFACE WEFT_CUSOLVER)
endif()
