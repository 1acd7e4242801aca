#include "engine/gpu/l2_flush.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tilescope {
namespace {

constexpr unsigned int kThreads = 512;
constexpr unsigned int kBlocksPerMultiprocessor = 4;

/// read_all(data, chunks): every thread ORs chunks of 16 bytes, one grid apart. The buffer contains one repeated byte,
/// so the result is never the value that would be stored; the store only keeps the loads from being removed.
constexpr const char* kReadAll = R"(
.version 7.0
.target sm_50
.address_size 64
.visible .entry read_all(.param .u64 data, .param .u64 chunks)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<8>;
  ld.param.u64 %d0, [data];
  ld.param.u64 %d1, [chunks];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %r4, %r0, %r1, %r2;
  mul.lo.s32 %r5, %r3, %r1;
  cvt.u64.u32 %d2, %r4;
  cvt.u64.u32 %d3, %r5;
  mov.u32 %r6, 0;
next:
  setp.ge.u64 %p0, %d2, %d1;
  @%p0 bra done;
  shl.b64 %d4, %d2, 4;
  add.u64 %d5, %d0, %d4;
  ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%d5];
  or.b32 %r7, %r7, %r8;
  or.b32 %r9, %r9, %r10;
  or.b32 %r7, %r7, %r9;
  or.b32 %r6, %r6, %r7;
  add.u64 %d2, %d2, %d3;
  bra next;
done:
  setp.ne.u32 %p1, %r6, 0x12345678;
  @%p1 bra end;
  st.global.u32 [%d0], %r6;
end:
  ret;
}
)";

int attribute(const GpuContext& context, CUdevice_attribute name) {
  int value = 0;
  context.driver().device_get_attribute(&value, name, context.device());
  return value;
}

/// At least four times the L2, so that none of its contents survive; and at least 256 MiB, whose writing takes long
/// enough for the host to queue the timed work behind it: the GPU then never waits for the host within a sample.
size_t flush_size(const GpuContext& context) {
  const int l2 = attribute(context, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return std::max(static_cast<size_t>(l2) * 4, size_t{256} << 20);
}

}  // namespace

Result<std::unique_ptr<L2Flush>> L2Flush::open(std::shared_ptr<GpuContext> context) {
  std::unique_ptr<L2Flush> flush(new L2Flush(std::move(context)));
  GpuContext& gpu = *flush->context_;
  auto buffer = GpuMemory::allocate(flush->context_, flush_size(gpu));
  if (!buffer) return forward(buffer);
  flush->buffer_ = *buffer;
  CurrentContext current(gpu);
  if (!current) return tl::unexpected(gpu.error(Phrase("flushing the L2"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  CUresult status = gpu.driver().module_load_data_ex(&flush->module_, kReadAll, 0, nullptr, nullptr);
  if (status == CUDA_SUCCESS) status = gpu.driver().module_get_function(&flush->read_, flush->module_, "read_all");
  if (status != CUDA_SUCCESS) return tl::unexpected(gpu.error(Phrase("loading the flush kernel"), status));
  const int multiprocessors = attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  flush->blocks_ = kBlocksPerMultiprocessor * static_cast<unsigned int>(std::max(multiprocessors, 1));
  return flush;
}

L2Flush::~L2Flush() {
  CurrentContext current(*context_);
  if (current && module_ != nullptr) context_->driver().module_unload(module_);
}

CUresult L2Flush::enqueue(unsigned char value) const {
  const Driver& driver = context_->driver();
  const CUresult status = driver.memset_d8_async(buffer_->address(), value, buffer_->bytes(), context_->stream());
  if (status != CUDA_SUCCESS) return status;
  CUdeviceptr data = buffer_->address();
  unsigned long long chunks = buffer_->bytes() / 16;
  std::array<void*, 2> parameters{&data, &chunks};
  return driver.launch_kernel(read_, blocks_, 1, 1, kThreads, 1, 1, 0, context_->stream(), parameters.data(), nullptr);
}

}  // namespace tilescope
