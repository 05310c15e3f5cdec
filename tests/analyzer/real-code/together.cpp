// One translation unit: LibTorch's headers take over ten seconds to parse.
#include "disk_tag.cpp"
#include "expected_errors.cpp"
#include "guarded_reads.cpp"
#include "meta_kernels.cpp"
#include "optional_arguments.cpp"
#include "shape_inference.cpp"
#include "streamed_model.cpp"
#include "unpickler.cpp"
