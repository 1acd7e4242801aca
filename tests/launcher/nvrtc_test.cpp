// What the launcher does without an installed CUDA Toolkit: with small made-up wheels instead of NVIDIA's, and a
// stand-in for pip that copies them, or fails as pip does.
#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/launcher/launcher_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Writes the four wheels into index/ and their rows into launcher/wheels.txt. The largest has 1.2 MB.
const char* const kMakeWheels = R"(
import hashlib, os, platform, zipfile
rows = []
def make(package, version, files):
    name = package.replace("-", "_") + "-" + version
    files[f"{name}.dist-info/licenses/License.txt"] = b"licence"
    files[f"{name}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n".encode()
    files[f"{name}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{name}.dist-info/RECORD"] = b""
    path = f"index/{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, data in files.items():
            wheel.writestr(file, data)
    data = open(path, "rb").read()
    kept = sum(len(data) for file, data in files.items()
               if ".alt." not in file and ".metadata" not in file and (file.startswith("nvidia/") or file.endswith("License.txt")))
    rows.append(f"{platform.machine()} {package} {version} {len(data)} {kept} {hashlib.sha256(data).hexdigest()}")
os.makedirs("index", exist_ok=True)
make("nvidia-cuda-crt", "13.0.88", {"nvidia/cu13/include/crt/mma.h": b"mma"})
make("nvidia-cuda-runtime", "13.0.88", {"nvidia/cu13/include/cuda.h": b"#define CUDA_VERSION 13000\n"})
make("nvidia-cuda-cccl", "13.0.85", {"nvidia/cu13/include/cccl/cub/cub.cuh": b"cub", "nvidia/cu13/.metadata/x": b"x"})
make("nvidia-cuda-nvrtc", "13.0.88", {
    "nvidia/cu13/include/nvrtc.h": b"nvrtc", "nvidia/cu13/lib/libnvrtc.so.13": os.urandom(1200000),
    "nvidia/cu13/lib/libnvrtc.alt.so.13": b"a second build"})
open("launcher/wheels.txt", "w").write("# a comment\n" + "\n".join(rows) + "\n")
)";

// Records the requested packages. Checks nothing itself, so that the launcher's own checks are tested.
const char* const kPython = R"bash([[ "$1 $2" == "-m pip" ]] || exec /usr/bin/python3 "$@"
[[ $3 != --version ]] || exit 0
while (($#)); do
  case $1 in --requirement) list=$2 ;; --dest) folder=$2 ;; esac
  shift
done
IFS='= ' read -r package _ <"$list"
echo "pip $package" >>"$TREE/calls"
if [[ -e $TREE/offline ]]; then
  echo "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<HTTPSConnection object>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')'" >&2
  echo "ERROR: Could not find a version that satisfies the requirement $package==13.0.88 (from versions: none)" >&2
  exit 1
fi
if [[ $package == "$(cat "$TREE/interrupted" 2>/dev/null)" ]]; then
  rm "$TREE/interrupted"
  printf half >"$folder/$package.whl"
  kill -INT $PPID
  exit 130
fi
cp "$TREE/index/${package//-/_}"-*.whl "$folder/"
)bash";

const std::string kAllWheels =
    "pip nvidia-cuda-crt\npip nvidia-cuda-runtime\npip nvidia-cuda-cccl\npip nvidia-cuda-nvrtc\n";

class WithoutToolkit : public Launcher {
 protected:
  void SetUp() override {
    if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "/usr/bin/python3 is not installed";
    write("make_wheels.py", kMakeWheels);
    ASSERT_EQ(std::system(("cd '" + tree_.string() + "' && /usr/bin/python3 make_wheels.py").c_str()), 0);
    stand_in("python3", kPython);
  }

  std::string environment(const std::string& more = "") const {
    return "DISPLAY=:1 CUDA_PATH= XDG_DATA_HOME='" + data().string() + "' " + more;
  }
  Outcome start(const std::string& more = "") { return launch("", environment(more)); }

  /// On its own terminal, where `answer` is typed.
  Outcome start_on_terminal(const std::string& answer) {
    fs::remove(tree_ / "calls");
    const std::string command = command_of("", environment());
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    const std::string typed = answer + '\x04';  // Ctrl+D, so that an unexpected question does not block
    EXPECT_EQ(::write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    Outcome outcome;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(terminal, buffer, sizeof buffer)) > 0;)
      outcome.output.append(buffer, static_cast<size_t>(count));
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.calls = text_of("calls");
    return outcome;
  }
  fs::path data() const { return tree_ / "data home"; }
  fs::path toolkit() const { return data() / "tilescope/cuda-13.0.88"; }
  bool is_complete() const {
    return fs::exists(toolkit() / "lib/libnvrtc.so.13") && fs::exists(toolkit() / "include/nvrtc.h") &&
           fs::exists(toolkit() / "include/cuda.h") && fs::exists(toolkit() / "include/crt/mma.h") &&
           fs::exists(toolkit() / "include/cccl/cub/cub.cuh");
  }
};

TEST_F(WithoutToolkit, ItSaysWhatIsDownloadedHowBigItIsAndWhereItGoes) {
  const Outcome first = start();
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output,
              HasSubstr("no CUDA Toolkit is installed, so NVRTC 13.0.88, NVIDIA's compiler for kernels, is "
                        "downloaded as Python packages:\n"));
  uintmax_t bytes = 0;
  for (const auto& wheel : fs::directory_iterator(tree_ / "index")) bytes += fs::file_size(wheel);
  EXPECT_GE(bytes, 1200000U);
  EXPECT_LT(bytes, 1250000U);
  EXPECT_THAT(first.output, HasSubstr("  1.2 MB, into " + toolkit().string() + " (1.2 MB there)\n"));
  EXPECT_THAT(first.output, HasSubstr("downloading nvidia-cuda-nvrtc (1.2 MB, 4 of 4)\n"));
  EXPECT_EQ(first.calls, kAllWheels + "cmake --preset release\nninja tilescope\nprogram\n");
  EXPECT_THAT(first.calls, Not(HasSubstr("sudo")));
}

TEST_F(WithoutToolkit, WhatIsUnpackedLooksLikeAToolkit) {
  start();
  EXPECT_TRUE(is_complete());
  EXPECT_TRUE(fs::exists(toolkit() / "licenses/nvidia_cuda_nvrtc-13.0.88.txt"));
  EXPECT_FALSE(fs::exists(toolkit() / "lib/libnvrtc.alt.so.13")) << "as large as NVRTC, and never opened";
  EXPECT_FALSE(fs::exists(data() / "tilescope/download")) << "the wheels are of no use any more";
}

TEST_F(WithoutToolkit, TheSecondStartDownloadsNothingAndSaysNothing) {
  start();
  const Outcome second = start();
  EXPECT_EQ(second.calls, "program\n");
  EXPECT_EQ(second.output, "");
}

TEST_F(WithoutToolkit, AToolkitOfCudaPathOrAnInstalledOneTakesPrecedence) {
  EXPECT_THAT(launch("", "DISPLAY=:1 XDG_DATA_HOME='" + data().string() + "'").calls, Not(HasSubstr("pip")));
  put_toolkit("installed", "12040");
  EXPECT_THAT(start().calls, Not(HasSubstr("pip")));
  EXPECT_FALSE(fs::exists(data()));
}

TEST_F(WithoutToolkit, AToolkitThatIsTooOldIsNotTaken) {
  put_toolkit("installed", "11080");  // Debian 12 has it
  EXPECT_THAT(start().calls, HasSubstr(kAllWheels));
}

TEST_F(WithoutToolkit, ACudaPathWithoutAToolkitIsNamed) {
  fs::create_directory(tree_ / "empty");
  const Outcome first = start("CUDA_PATH='" + (tree_ / "empty").string() + "'");
  EXPECT_THAT(first.output,
              HasSubstr("CUDA_PATH is " + (tree_ / "empty").string() + ", where no CUDA Toolkit 12 or later"));
  EXPECT_THAT(first.calls, HasSubstr(kAllWheels));
}

TEST_F(WithoutToolkit, AToolkitThatIsRemovedAfterTheBuildIsReplaced) {
  put_toolkit("installed", "13000");
  start();
  fs::remove_all(tree_ / "installed");
  const Outcome next = start();
  EXPECT_EQ(next.calls, kAllWheels + "program\n") << next.output;
}

TEST_F(WithoutToolkit, ItAsksOnceWhereThereIsATerminal) {
  const Outcome refused = start_on_terminal("n\n");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.output, HasSubstr("1.2 MB, into " + toolkit().string()));
  EXPECT_THAT(refused.output, HasSubstr("Continue? [Y/n] "));
  EXPECT_THAT(refused.output, HasSubstr("nothing was downloaded; run ./tilescope again, or install the CUDA Toolkit"));
  EXPECT_EQ(refused.calls, "") << "it went on";
  EXPECT_FALSE(fs::exists(data()));

  const Outcome agreed = start_on_terminal("\n");
  EXPECT_EQ(agreed.status, 0) << agreed.output;
  EXPECT_EQ(agreed.calls, kAllWheels + "cmake --preset release\nninja tilescope\nprogram\n");
  EXPECT_EQ(agreed.output.find("Continue?"), agreed.output.rfind("Continue?"));

  EXPECT_THAT(start_on_terminal("").output, Not(HasSubstr("Continue?"))) << "there is nothing to download any more";
}

TEST_F(WithoutToolkit, WhoAgreedIsNotAskedAgainWhenTheDownloadContinues) {
  write("interrupted", "nvidia-cuda-nvrtc");
  EXPECT_THAT(start_on_terminal("y\n").output, HasSubstr("Continue? [Y/n] "));
  const Outcome next = start_on_terminal("");
  EXPECT_EQ(next.status, 0) << next.output;
  EXPECT_THAT(next.output, Not(HasSubstr("Continue?")));
  EXPECT_TRUE(is_complete());
}

TEST_F(WithoutToolkit, OfflineItIsOneSentenceWithTheNextStep) {
  write("offline", "");
  const Outcome first = start();
  EXPECT_EQ(first.status, 3);
  EXPECT_THAT(first.output, EndsWith("tilescope: NVRTC could not be downloaded because the network does not answer; "
                                     "connect and run ./tilescope again, which keeps what is already here\n"));
  EXPECT_THAT(first.output, Not(HasSubstr("Retrying")));
  EXPECT_EQ(first.calls, "pip nvidia-cuda-crt\n") << "it went on";
}

TEST_F(WithoutToolkit, AnInterruptedDownloadIsResumedWithWhatIsThere) {
  write("interrupted", "nvidia-cuda-nvrtc");
  const Outcome stopped = start();
  EXPECT_EQ(stopped.status, 130);
  EXPECT_THAT(stopped.output, EndsWith("tilescope: stopped; the next ./tilescope continues from here\n"));
  EXPECT_EQ(stopped.calls, kAllWheels);
  EXPECT_FALSE(fs::exists(toolkit()));

  const Outcome next = start();
  EXPECT_EQ(next.status, 0) << next.output;
  EXPECT_THAT(next.output, HasSubstr("1.2 MB, of which 0.0 MB are already here, into "));
  EXPECT_EQ(next.calls, "pip nvidia-cuda-nvrtc\ncmake --preset release\nninja tilescope\nprogram\n");
  EXPECT_TRUE(is_complete());
}

TEST_F(WithoutToolkit, AHalfUnpackedTreeIsNeverTakenForWhole) {
  write("interrupted", "nvidia-cuda-nvrtc");
  start();
  // As if it had been killed while unpacking.
  const fs::path half = data() / "tilescope/download/tree/include";
  fs::create_directories(half);
  std::ofstream(half / "nvrtc.h") << "half";
  std::ofstream(half / "foreign.h") << "half";
  const Outcome next = start();
  EXPECT_EQ(next.status, 0) << next.output;
  EXPECT_TRUE(is_complete());
  EXPECT_EQ(fs::file_size(toolkit() / "include/nvrtc.h"), 5U);
  EXPECT_FALSE(fs::exists(toolkit() / "include/foreign.h"));
}

TEST_F(WithoutToolkit, ATreeThatLostAFileIsMadeAgain) {
  start();
  fs::remove(toolkit() / "lib/libnvrtc.so.13");
  EXPECT_THAT(start().calls, HasSubstr(kAllWheels));
  EXPECT_TRUE(is_complete());
}

TEST_F(WithoutToolkit, ADownloadThatIsNotThePinnedFileIsRefused) {
  for (const auto& wheel : fs::directory_iterator(tree_ / "index"))
    if (wheel.path().filename().string().starts_with("nvidia_cuda_nvrtc")) {
      std::fstream file(wheel.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(600000);
      file.put('x').put('y').put('z');
    }
  const Outcome first = start();
  EXPECT_EQ(first.status, 3);
  EXPECT_THAT(first.output, EndsWith("tilescope: the download of nvidia-cuda-nvrtc is not the file that "
                                     "launcher/wheels.txt pins and was thrown away; run ./tilescope again\n"));
  EXPECT_THAT(first.calls, Not(HasSubstr("program")));
  EXPECT_FALSE(fs::exists(toolkit()));
}

TEST_F(WithoutToolkit, AKeptWheelThatWentBadIsDownloadedAgain) {
  write("interrupted", "nvidia-cuda-nvrtc");
  start();
  const fs::path wheel = data() / "tilescope/download/nvidia-cuda-cccl.whl";
  ASSERT_TRUE(fs::exists(wheel));
  std::fstream(wheel, std::ios::in | std::ios::out | std::ios::binary).seekp(10).put('x');
  EXPECT_THAT(start().calls, testing::StartsWith("pip nvidia-cuda-cccl\npip nvidia-cuda-nvrtc\ncmake"));
  EXPECT_TRUE(is_complete());
}

TEST_F(WithoutToolkit, PipIsInstalledWhereItIsMissing) {
  write("absent", "python3-pip\n");
  stand_in("python3", "[[ \"$1 $2 $3\" != '-m pip --version' ]] || ! grep -qxs python3-pip $TREE/absent || exit 1\n" +
                          std::string(kPython));
  stand_in("apt-get", "echo apt-get $* >> $TREE/calls; [[ \"$1 $2\" != 'install --yes' ]] || rm $TREE/absent");
  const Outcome first = start();
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.calls, HasSubstr("install --yes --no-install-recommends python3-pip\n"));
  EXPECT_THAT(first.calls, HasSubstr(kAllWheels));
}

// The stand-in accepts any arguments; here pip itself gets them, with a folder instead of the network.
TEST_F(WithoutToolkit, PipTakesWhatItIsAskedAndChecksTheSums) {
  if (std::system("/usr/bin/python3 -m pip --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "pip is not installed";
  fs::remove(tree_ / "stand-ins/python3");
  const std::string from_folder = "PIP_NO_INDEX=1 PIP_FIND_LINKS='" + (tree_ / "index").string() + "'";
  const Outcome first = start(from_folder);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_TRUE(is_complete());

  fs::remove_all(data());
  const std::string pinned = text_of("launcher/wheels.txt");
  const size_t sum = pinned.find('\n', pinned.find("nvidia-cuda-crt")) - 1;
  write("launcher/wheels.txt", std::string(pinned).replace(sum, 1, pinned[sum] == '0' ? "1" : "0"));
  const Outcome changed = start(from_folder);
  EXPECT_EQ(changed.status, 3);
  EXPECT_THAT(changed.output, HasSubstr("the download of nvidia-cuda-crt does not have the checksum that "
                                        "launcher/wheels.txt pins and was thrown away"));
}

TEST(PinnedWheels, AreThoseOfBothArchitecturesAndTheReadmeNamesTheirSize) {
  std::ifstream file(fs::path(TILESCOPE_SOURCE) / "launcher/wheels.txt");
  std::map<std::string, std::set<std::string>> packages;
  std::map<std::string, uint64_t> bytes;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    static const std::regex row(R"((\S+) +(nvidia-cuda-\S+) +(13\.0\.\d+) +(\d+) +(\d+) +([0-9a-f]{64}))");
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, row)) << line;
    packages[match[1]].insert(match[2]);
    bytes[match[1]] += std::stoull(match[4]);
  }
  const std::set<std::string> all = {"nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime"};
  EXPECT_EQ(packages, (std::map<std::string, std::set<std::string>>{{"aarch64", all}, {"x86_64", all}}));
  std::ostringstream readme;
  readme << std::ifstream(fs::path(TILESCOPE_SOURCE) / "README.md").rdbuf();
  EXPECT_THAT(readme.str(), HasSubstr(std::to_string((bytes["x86_64"] + 500000) / 1000000) + " MB"));
}

}  // namespace
}  // namespace tilescope
