// tilescope-worker: launches kernels for the program that started it. See engine/gpu/launch_worker.hpp.
#include "engine/gpu/launch_worker.hpp"

int main() { return tilescope::serve_launches(); }
