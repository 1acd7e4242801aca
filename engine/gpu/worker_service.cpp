// The worker's side of launch_worker.hpp.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "engine/gpu/launch_protocol.hpp"
#include "engine/gpu/launch_worker.hpp"
#include "engine/gpu/module.hpp"
#include "engine/gpu/output_capture.hpp"
#include "engine/json_text.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

/// Ends this process when its parent is gone, even while a kernel runs that never ends.
void end_with_parent() {
  std::thread([] {
    pollfd parent{STDIN_FILENO, POLLRDHUP, 0};
    while (poll(&parent, 1, -1) <= 0 || (parent.revents & (POLLHUP | POLLRDHUP | POLLERR)) == 0) {
    }
    _exit(0);
  }).detach();
}

class Worker {
 public:
  explicit Worker(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}

  json answer(const json& question) {
    LaunchRequest request;
    if (!from_json(question, request)) {
      return answer_of(make_error(ErrorId::cuda_failed, "the launch", "the worker cannot read the request"));
    }
    auto buffers = map(request);
    auto done = buffers ? carry_out(request, *buffers) : forward(buffers);
    if (done) return answer_of(*done);
    json answer = answer_of(done.error());
    answer["lost"] = context_->lost();
    answer["unmapped"] = !buffers;
    return answer;
  }
  bool lost() const { return context_->lost(); }

 private:
  using Buffers = std::vector<std::shared_ptr<DeviceBuffer>>;

  Result<Buffers> map(const LaunchRequest& request) const {
    Buffers buffers;
    for (size_t i = 0; i < request.handles.size(); ++i) {
      auto memory = GpuMemory::map(context_, request.handles[i], request.bytes[i]);
      if (!memory) return forward(memory);
      buffers.push_back(std::move(*memory));
    }
    return buffers;
  }

  Result<LaunchAnswer> carry_out(const LaunchRequest& request, const Buffers& buffers) {
    if (request.kind == LaunchRequest::Kind::time) {
      if (buffers.empty()) return fail(ErrorId::cuda_failed, "the timed run", "it has no buffers");
      const OutputCapture unwanted;  // the run itself has already shown it
      auto timing = quick_timing(request.module, request.launches, buffers, request.spare_contents);
      if (!timing) return forward(timing);
      return LaunchAnswer{std::move(*timing), {}};
    }
    auto module = modules_.get(context_, request.module);
    if (!module) return forward(module);
    std::vector<uint64_t> addresses;
    for (const auto& buffer : buffers) addresses.push_back(buffer->address());
    auto prepared = prepare_launch(*module, request.module, request.launches.at(0), addresses);
    if (!prepared) return forward(prepared);
    const OutputCapture capture;
    auto milliseconds = run_launch(*context_, *prepared, {});
    if (!milliseconds) return tl::unexpected(error_of_launch(milliseconds.error(), capture.messages()));
    return LaunchAnswer{QuickTiming{{*milliseconds}, {}}, capture.output()};
  }

  std::shared_ptr<GpuContext> context_;
  GpuModules modules_;
};

Result<std::shared_ptr<GpuContext>> open_context() {
  auto driver = open_driver();
  if (!driver) return forward(driver);
  CUdevice device = 0;
  CUresult status = (*driver)->device_get(&device, 0);
  if (status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, (*driver)->describe(status));
  return GpuContext::create(**driver, device);
}

}  // namespace

int serve_launches() {
  end_with_parent();
  // Answers go to the real standard output; anything printed outside a launch goes to standard error.
  std::FILE* answers = fdopen(dup(STDOUT_FILENO), "w");
  if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  const auto send = [answers](const json& answer) {
    std::fputs((json_text(answer) + '\n').c_str(), answers);
    std::fflush(answers);
  };
  auto context = open_context();
  std::string line;
  if (!std::getline(std::cin, line)) return 0;
  if (!context) {
    send(answer_of(context.error()));
    return 1;
  }
  send({{"ready", true}});
  Worker worker(std::move(*context));
  while (std::getline(std::cin, line)) {
    send(worker.answer(json_from(line)));
    if (worker.lost()) _exit(0);  // this process cannot be recovered
  }
  return 0;
}

}  // namespace tilescope
