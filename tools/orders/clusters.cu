// Prints which SMs of a GPU belong to one graphics processing cluster (GPC): a line of SM numbers for each.
//
//     nvcc -std=c++17 -arch=native clusters.cu -o clusters && ./clusters
//
// The CTAs of a thread block cluster run in one GPC. Launches of clusters of many sizes join SMs until nothing changes;
// SMs of a GPC that no launch joins are printed apart.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

namespace {

constexpr int kSharedBytes = 200 << 10;  // one CTA per SM

__global__ void note_sm(unsigned* sms) {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  if (threadIdx.x == 0) sms[blockIdx.x] = sm;
  for (const long long begin = clock64(); clock64() - begin < 200'000;) continue;
  cooperative_groups::this_cluster().sync();
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

class Groups {
 public:
  explicit Groups(int count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0); }
  int of(int sm) const {
    while (parents_[sm] != sm) sm = parents_[sm];
    return sm;
  }
  void join(int a, int b) { parents_[of(a)] = of(b); }

 private:
  std::vector<int> parents_;
};

/// Launches clusters of `size` CTAs, as many as may run at a time.
void join_by(int size, int sms, unsigned* noted, Groups& groups) {
  const int ctas = sms / size * size;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = ctas;
  config.blockDim = 32;
  config.dynamicSmemBytes = kSharedBytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, note_sm, noted));
  std::vector<unsigned> host(ctas);
  check(cudaMemcpy(host.data(), noted, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (int i = 0; i < ctas; ++i) groups.join(host[i], host[i / size * size]);
}

}  // namespace

int main() {
  int sms = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  check(cudaFuncSetAttribute(note_sm, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  check(cudaFuncSetAttribute(note_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  unsigned* noted = nullptr;
  check(cudaMalloc(&noted, sms * sizeof(unsigned)));
  Groups groups(sms);
  for (const int size : {16, 12, 10, 8, 6, 5, 4, 3, 2})
    for (int again = 0; again < 6; ++again) join_by(size, sms, noted, groups);
  std::map<int, std::vector<int>> members;
  for (int sm = 0; sm < sms; ++sm) members[groups.of(sm)].push_back(sm);
  for (const auto& [group, numbers] : members) {
    for (const int sm : numbers) std::printf("%d ", sm);
    std::printf("\n");
  }
}
