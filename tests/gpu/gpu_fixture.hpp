// Tests that need a GPU: they compile a small source with NVRTC and skip, with the reason, where either is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/gpu/gpu_executor.hpp"

namespace tilescope {

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    auto gpu = open_gpu();
    if (!gpu) GTEST_SKIP() << gpu.error().message;
    auto compiler = Compiler::open({});
    if (!compiler) GTEST_SKIP() << compiler.error().message;
    gpu_ = *gpu;
    compiler_ = *compiler;
  }

  CompiledModule compile(const std::string& source, const std::string& target = {}) {
    CompileRequest request{.text = source, .file = "test.cu", .defines = {}};
    request.cubin_target = target.empty() ? gpu_->device().architecture : target;
    request.want_cubin = true;
    auto module = compiler_->compile(request, {});
    EXPECT_TRUE(module) << module.error().message;
    return module ? *module : CompiledModule{};
  }

  std::shared_ptr<DeviceBuffer> buffer_of(const std::vector<float>& values) {
    auto buffer = gpu_->allocate({.name = "x", .type = DType::f32, .count = values.size()});
    EXPECT_TRUE(buffer) << buffer.error().message;
    if (!buffer) return nullptr;
    EXPECT_TRUE(gpu_->upload(**buffer, std::as_bytes(std::span(values)), false));
    return *buffer;
  }

  std::vector<float> contents_of(const DeviceBuffer& buffer) {
    std::vector<float> values(buffer.bytes() / sizeof(float));
    EXPECT_TRUE(gpu_->download(buffer, std::as_writable_bytes(std::span(values))));
    return values;
  }

  static Launch make_launch(const std::string& kernel, uint32_t grid, uint32_t block, std::vector<Argument> arguments,
                            uint32_t shared_bytes = 0) {
    return {.kernel = kernel,
            .grid = {grid, 1, 1},
            .block = {block, 1, 1},
            .shared_bytes = shared_bytes,
            .arguments = std::move(arguments)};
  }

  std::shared_ptr<Executor> gpu_;
  std::shared_ptr<Compiler> compiler_;
};

}  // namespace tilescope
