#include "engine/reference/cub.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "engine/child_process.hpp"
#include "engine/program_path.hpp"
#include "engine/reference/library_reference.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "CUB";
constexpr std::chrono::minutes kCompileTimeout{5};

tl::unexpected<Error> unavailable(const Phrase& reason) { return fail(ErrorId::reference_unavailable, kName, reason); }

/// Distinguishes two compilers without starting them.
std::string identity_of(const fs::path& program) {
  std::error_code error;
  const fs::path file = fs::canonical(program, error);
  if (error) return program.string();
  const auto written = fs::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, error), written);
}

/// Runs the compiler; if it fails, its last line of errors is the reason.
Result<void> compile(const std::vector<std::string>& command, std::stop_token stop) {
  std::vector<std::string> arguments{"sh", "-c", "\"$@\" >&2 </dev/null && echo compiled", "sh"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  auto child = ChildProcess::start(arguments);
  if (!child) return unavailable(phrase("nvcc does not start: {}", child.error().reason));
  const auto answer = (*child)->ask("", kCompileTimeout, std::move(stop));
  if (answer) return {};
  if (answer.error().cancelled) return fail(ErrorId::cancelled);
  return unavailable(phrase("nvcc does not compile it: {}", answer.error().reason));
}

Result<std::string> architecture_of(const GpuContext& context) {
  const Driver& driver = context.driver();
  int major = 0, minor = 0;
  const bool known = driver.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                                 context.device()) == CUDA_SUCCESS &&
                     driver.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                                 context.device()) == CUDA_SUCCESS;
  if (!known) return unavailable(Phrase("the GPU does not report its model"));
  return fmt::format("sm_{}{}", major, minor);
}

}  // namespace

fs::path find_nvcc() {
  std::vector<fs::path> folders;
  if (const char* toolkit = std::getenv("CUDA_PATH"); toolkit != nullptr && *toolkit != '\0')
    folders.push_back(fs::path(toolkit) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return find_program("nvcc", std::move(folders));
}

Result<fs::path> build_cub_library(const CubSource& source, const std::string& architecture, std::stop_token stop) {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) return unavailable(Phrase("the CUDA toolkit's nvcc was not found"));
  if (source.cache_folder.empty()) return unavailable(Phrase("there is no cache folder to compile it into"));
  auto text = read_text(source.source);
  if (!text) return unavailable(phrase("{} cannot be read", source.source.string()));

  const fs::path folder = source.cache_folder / "libraries";
  std::vector<std::string> command{nvcc.string(),           "-shared",    "-O3",   "-std=c++17",
                                   "-arch=" + architecture, "-Xcompiler", "-fPIC", source.source.string()};
  const std::string key = sha256_of(fmt::format("{}\n{}\n{}", *text, fmt::join(command, " "), identity_of(nvcc)));
  const fs::path library = folder / ("cub-" + key.substr(0, 32) + ".so");
  std::error_code error;
  if (fs::exists(library, error)) return library;
  fs::create_directories(folder, error);
  // Written under a temporary name first: a different process sees the whole library or none.
  const fs::path unfinished = folder / fmt::format("cub-{}.{}.tmp.so", key.substr(0, 32), getpid());
  command.insert(command.end(), {"-o", unfinished.string()});
  auto compiled = compile(command, std::move(stop));
  if (compiled) {
    fs::rename(unfinished, library, error);
    if (error) compiled = unavailable(phrase("{} cannot be written", folder.string()));
  }
  fs::remove(unfinished, error);
  if (!compiled) return forward(compiled);
  return library;
}

Result<std::shared_ptr<CubReference>> CubReference::open(std::shared_ptr<GpuContext> context, const CubSource& source,
                                                         std::stop_token stop) {
  if (is_hidden("cub")) return unavailable(Phrase("TILESCOPE_HIDE hides it"));
  const auto architecture = architecture_of(*context);
  if (!architecture) return forward(architecture);
  const auto library = build_cub_library(source, *architecture, std::move(stop));
  if (!library) return forward(library);
  void* file = dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return unavailable(phrase("its library does not open: {}", dlerror()));
  auto* const sum = reinterpret_cast<SumFunction>(dlsym(file, "tilescope_cub_sum"));
  if (sum == nullptr) return unavailable(Phrase("its library lacks tilescope_cub_sum"));
  return std::shared_ptr<CubReference>(new CubReference(std::move(context), sum));
}

Result<EnqueueCall> CubReference::call(const std::shared_ptr<CubReference>& cub, const std::string& operation,
                                       const std::map<std::string, int64_t>& sizes) {
  if (operation != "sum") return unavailable(phrase("there is no operation {}", operation));
  const auto n = static_cast<long long>(sizes.at("n"));
  CurrentContext current(*cub->context_);
  if (!current) return unavailable(Phrase("the GPU was lost"));
  size_t bytes = 0;
  if (const int status = cub->sum_(nullptr, nullptr, n, nullptr, &bytes, cub->context_->stream()); status != 0)
    return unavailable(phrase("it does not start (status {})", status));
  auto scratch = GpuMemory::allocate(cub->context_, std::max<size_t>(bytes, 1));
  if (!scratch) return forward(scratch);
  return EnqueueCall([cub, n, bytes, memory = std::move(*scratch)](const AddressSet& addresses) {
    size_t scratch_bytes = bytes;
    const int status =
        cub->sum_(reinterpret_cast<const float*>(addresses[0]), reinterpret_cast<float*>(addresses[1]), n,
                  reinterpret_cast<void*>(memory->address()), &scratch_bytes, cub->context_->stream());
    return status == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  });
}

namespace {

class Cub final : public LibraryReference {
 public:
  explicit Cub(const ReferenceFolders& folders)
      : source_{.source = folders.assets / "cub" / "device_sum.cu", .cache_folder = folders.cache} {}

 private:
  Result<std::vector<LibraryCall>> calls(const ReferenceTask& task, const std::shared_ptr<GpuContext>& context,
                                         const std::stop_token& stop) override {
    const auto library = keep_open(library_, context, [&] { return CubReference::open(context, source_, stop); });
    if (!library) return forward(library);
    auto call = CubReference::call(*library, task.operation, task.config.sizes);
    if (!call) return forward(call);
    return std::vector<LibraryCall>{{.call = std::move(*call)}};
  }

  CubSource source_;
  std::shared_ptr<CubReference> library_;
};

const bool registered = register_reference(
    {.names = {"cub"}, .make = [](const ReferenceFolders& folders) { return std::make_unique<Cub>(folders); }});

}  // namespace
}  // namespace tilescope
