# CUDA_INCLUDE: the folder of cuda.h and nvrtc.h. Headers only: the CUDA libraries are opened at run time, never linked.
# An installed toolkit comes before what launcher/nvrtc.sh has downloaded; newer ones come before older ones.
function(is_new_enough result folder)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS "${folder}/nvrtc.h")
    file(STRINGS "${folder}/cuda.h" version REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX REPLACE "[^0-9]" "" version "${version}")
    if(version GREATER_EQUAL 12000)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(data_folder "$ENV{XDG_DATA_HOME}")
if(NOT data_folder)
  set(data_folder "$ENV{HOME}/.local/share")
endif()
file(GLOB numbered_toolkits /usr/local/cuda-*)
file(GLOB downloaded_toolkits "${data_folder}/tilescope/cuda-*")
list(SORT numbered_toolkits COMPARE NATURAL ORDER DESCENDING)
list(SORT downloaded_toolkits COMPARE NATURAL ORDER DESCENDING)
find_path(CUDA_INCLUDE cuda.h HINTS ENV CUDA_PATH PATHS /usr/local/cuda ${numbered_toolkits} ${downloaded_toolkits}
  PATH_SUFFIXES include VALIDATOR is_new_enough)
if(NOT CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h and nvrtc.h of CUDA 12 or later were not found: run ./tilescope, which downloads them, or "
    "set CUDA_PATH to where a CUDA Toolkit is")
endif()
