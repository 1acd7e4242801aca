// `tilescope exec` for Triton kernels and for PTX: the program itself, its exit status, and its messages.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/program_path.hpp"
#include "tests/cli/exec_program.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwice =
    "import triton\n"
    "import triton.language as tl\n"
    "\n"
    "\n"
    "@triton.jit\n"
    "def twice(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)\n";

class OwnKernels : public ExecFolder {
 protected:
  /// Status 2 and a sentence.
  void expect_refused(const std::string& words, const std::string& sentence) const {
    const ExecOutcome outcome = exec(words);
    EXPECT_EQ(outcome.status, 2) << words << "\n" << outcome.out << outcome.problems;
    EXPECT_THAT(outcome.problems, HasSubstr(sentence)) << words;
  }
};

class OwnTriton : public OwnKernels {
 protected:
  void SetUp() override {
    write("twice.py", kTwice);
    static const bool missing = exec("twice.py").problems.find("Triton was not found") != std::string::npos;
    if (missing) GTEST_SKIP() << "Triton is not installed";
  }
};

constexpr const char* kArguments = " --arg buf:f32:n:iota --arg buf:f32:n:poison --arg n=i32:1000";

TEST_F(OwnTriton, RunsAndPrints) {
  const ExecOutcome outcome =
      exec("twice.py --grid 'ceil(n/BLOCK)' -D BLOCK=256 --print 'y[997:1000]'" + std::string(kArguments));
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[997] 1994 1996 1998"));
  EXPECT_THAT(outcome.out, HasSubstr("num_warps=4"));
}

TEST_F(OwnTriton, RunsWhatIsCompiledForADifferentTarget) {
  for (const char* target : {"sm_75", "sm_89", "sm_90", "sm_100"}) {
    const ExecOutcome outcome = exec("twice.py --grid 4 -D BLOCK=256 --print 'y[999:1000]' --target " +
                                     std::string(target) + std::string(kArguments));
    EXPECT_EQ(outcome.status, 0) << target << ": " << outcome.problems;
    EXPECT_THAT(outcome.out, HasSubstr("[999] 1998")) << target;
  }
}

TEST_F(OwnTriton, SuggestsALineThatRuns) {
  const ExecOutcome outcome = exec("twice.py --json");
  EXPECT_EQ(outcome.status, 2);
  const std::string line = nlohmann::json::parse(outcome.out).at("suggestion");
  EXPECT_THAT(line, HasSubstr("--grid 4 -D BLOCK=1024"));
  EXPECT_THAT(line, HasSubstr("--arg buf:f32:4096:poison:y --arg n=i32:4096"));
  EXPECT_EQ(exec(line.substr(line.find("twice.py"))).status, 0);
}

TEST_F(OwnTriton, FindsAMissingMask) {
  std::string text = kTwice;
  text.replace(text.rfind(", mask=i < n"), 12, "");
  write("unmasked.py", text);
  const ExecOutcome outcome = exec("unmasked.py --grid 4 -D BLOCK=256" + std::string(kArguments));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("unmasked.py:8"));
}

TEST_F(OwnTriton, AFileWithPyTorchNeedsNone) {
  write("torch_user.py",
        "import torch\nfrom torch import nn\n\nDEVICE = triton_device = torch.device('cuda')\n" + std::string(kTwice) +
            "\nclass Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x\n"
            "\nx = torch.rand(1000, device=DEVICE)\nassert torch.allclose(x, x)\nprint(x)\n");
  EXPECT_EQ(exec("torch_user.py --grid 4 -D BLOCK=256" + std::string(kArguments)).status, 0);
}

TEST_F(OwnTriton, NullLeavesAPointerOut) {
  write("bias.py",
        "import triton\nimport triton.language as tl\n\n@triton.jit\ndef copy(x, b, y, N: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n    v = tl.load(x + i)\n    if b is not None:\n        v += tl.load(b + i)\n"
        "    tl.store(y + i, v)\n");
  const std::string ends = " --arg x=buf:f32:64:ones --arg y=buf:f32:64:poison --print 'y[0:1]'";
  EXPECT_THAT(exec("bias.py --grid 1 -D N=64 --arg b=null" + ends).out, HasSubstr("[0] 1\n"));
  EXPECT_THAT(exec("bias.py --grid 1 -D N=64 --arg b=buf:f32:64:ones" + ends).out, HasSubstr("[0] 2\n"));
}

TEST_F(OwnTriton, AHeuristicSeesWhatTheCallerGives) {
  write("bias.py",
        "import torch\nimport triton\nimport triton.language as tl\n\n"
        "@triton.heuristics({'BIASED': lambda a: a['b'] is not None, 'WIDE': lambda a: a['x'].dtype == torch.float32,\n"
        "                    'SCALED': lambda a: a['scale'] > 0})\n"
        "@triton.jit\ndef copy(x, b, y, n, scale, N: tl.constexpr, BIASED: tl.constexpr, WIDE: tl.constexpr,\n"
        "         SCALED: tl.constexpr):\n"
        "    i = tl.arange(0, N)\n    v = tl.load(x + i)\n    if BIASED:\n        v += tl.load(b + i)\n"
        "    if WIDE:\n        v += 10\n    if SCALED:\n        v *= scale\n    tl.store(y + i, v)\n");
  const auto run = [&](const std::string& words) {
    return exec(
        "bias.py --grid 1 -D N=64 --arg y=buf:f32:64:poison --arg n=i32:64 --arg scale=f32:3 --print 'y[0:1]' " +
        words);
  };
  const std::string x = "--arg x=buf:f32:64:ones ", b = "--arg b=buf:f32:64:ones ", half = "--arg x=buf:f16:64:ones ";
  EXPECT_THAT(run(x + b + "-D SCALED=False").out, HasSubstr("[0] 12\n"));
  EXPECT_THAT(run(x + "--arg b=null -D SCALED=False").out, HasSubstr("[0] 11\n"));
  EXPECT_THAT(run(half + b + "-D SCALED=True").out, HasSubstr("[0] 6\n"));
  EXPECT_THAT(run(x + b).out, HasSubstr("[0] 36\n"));
}

TEST_F(OwnTriton, AHeuristicSeesTheValueOfAFloat) {
  write("scaled.py",
        "import triton\nimport triton.language as tl\n\n"
        "def kind(a):\n    try:\n        return 2 if isinstance(a['scale'], float) and a['scale'] > 1.5 else 1\n"
        "    except Exception:\n        return 0\n\n\n"
        "@triton.heuristics({'KIND': kind})\n@triton.jit\ndef scaled(y, scale, KIND: tl.constexpr):\n"
        "    tl.store(y, 100 * KIND + scale)\n");
  const auto run = [&](const std::string& scale) {
    return exec("scaled.py --grid 1 --arg y=buf:f32:1:poison --arg scale=f32:" + scale + " --print y");
  };
  EXPECT_THAT(run("0.5").out, HasSubstr("[0] 100.5\n"));
  EXPECT_THAT(run("2.5").out, HasSubstr("[0] 202.5\n"));
  EXPECT_THAT(run("2.5").out, HasSubstr("[0] 202.5\n")) << "from the cache";
  EXPECT_THAT(run("0.25").out, HasSubstr("[0] 100.25\n"));
}

TEST_F(OwnTriton, ALineIsNamedOnlyIfItIsTheReason) {
  const std::string head =
      "import triton\nimport triton.language as tl\nimport no_such_package\nWIDTH = 1 // 0\n"
      "HALF = WIDTH // 2\nCONFIGS = [triton.Config({'N': HALF})]\n";
  const std::string kernel = "@triton.jit\ndef fill(y, N: tl.constexpr):\n    tl.store(y + tl.arange(0, N), @)\n";
  const std::string line = " --grid 1 -D N=16 --arg y=buf:f32:16:poison";
  const auto with = [&](const std::string& value) {
    return head + std::string(kernel).replace(kernel.find('@', 1), 1, value);
  };
  write("chain.py", with("HALF"));
  expect_refused("chain.py" + line,
                 "chain.py(9): error: HALF is not defined (line 4 of the file raised ZeroDivisionError");
  write("other.py", with("OTHER"));
  const ExecOutcome other = exec("other.py" + line);
  EXPECT_THAT(other.problems, HasSubstr("other.py(9): error: OTHER is not defined"));
  EXPECT_THAT(other.problems, Not(HasSubstr("raised")));
  write("tuned.py", with("1").insert(head.size(), "@triton.autotune(configs=CONFIGS, key=[])\n"));
  expect_refused("tuned.py" + line, "it defines no function with @triton.jit; line 4 raised ZeroDivisionError");
}

TEST_F(OwnTriton, AHeuristicSeesWhatOthersComputed) {
  write("tiles.py",
        "import torch\nimport triton\nimport triton.language as tl\n\n"
        "PROCESSORS = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count\n\n"
        "@triton.heuristics({'N': lambda a: a['n'] // 2, 'M': lambda a: a['N'] // 2})\n"
        "@triton.heuristics({'K': lambda a: a['M'] + 1, 'num_warps': lambda a: a['M'] // 8 if PROCESSORS > 1 else 1})\n"
        "@triton.jit\ndef tiles(y, n, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):\n"
        "    tl.store(y + tl.arange(0, N), tl.full([N], 100 * M + K, tl.int32))\n");
  const std::string line = "tiles.py --grid 1 --arg y=buf:i32:32:poison --arg n=i32:64 --print 'y[31:32]'";
  const ExecOutcome outcome = exec(line);
  EXPECT_THAT(outcome.out, HasSubstr("[31] 1617\n")) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("num_warps=2"));
  EXPECT_THAT(exec(line + " -D M=4 --num-warps 1").out,
              testing::AllOf(HasSubstr("[31] 405\n"), HasSubstr("num_warps=1")));
}

/// 1, multiples of 16, and all other numbers: more Triton does not tell apart.
TEST_F(OwnTriton, CompilesOnceForNumbersThatGiveTheSameCode) {
  const std::string cache = "XDG_CACHE_HOME='" + (folder_ / "cache").string() + "'";
  const auto is_cached = [&](const std::string& n) {
    const ExecOutcome outcome = exec(
        "twice.py --grid 'ceil(n/BLOCK)' -D BLOCK=256 --arg buf:f32:n:iota "
        "--arg buf:f32:n:poison --print 'y[0:1]' --arg n=i32:" +
            n,
        cache);
    EXPECT_EQ(outcome.status, 0) << n << outcome.problems;
    return outcome.out.find("(cached)") != std::string::npos;
  };
  EXPECT_FALSE(is_cached("1000"));
  EXPECT_TRUE(is_cached("1002"));
  EXPECT_FALSE(is_cached("1008"));
  EXPECT_TRUE(is_cached("16"));
  EXPECT_FALSE(is_cached("1"));
}

TEST_F(OwnTriton, AHeuristicTellsThemApart) {
  write("half.py",
        "import triton\nimport triton.language as tl\n\n@triton.heuristics({'HALF': lambda a: a['n'] // 2})\n"
        "@triton.jit\ndef half(y, n, HALF: tl.constexpr):\n    tl.store(y, HALF)\n");
  const auto half_of = [&](const std::string& n) {
    return exec("half.py --grid 1 --arg y=buf:i32:1:poison --print 'y[0:1]' --arg n=i32:" + n,
                "XDG_CACHE_HOME='" + (folder_ / "cache").string() + "'")
        .out;
  };
  EXPECT_THAT(half_of("64"), HasSubstr("[0] 32\n"));
  EXPECT_THAT(half_of("128"), HasSubstr("[0] 64\n"));
  EXPECT_THAT(half_of("64"), testing::AllOf(HasSubstr("[0] 32\n"), HasSubstr("(cached)")));
}

constexpr const char* kCopies =
    "import triton\nimport triton.language as tl\n@@\n\n@triton.jit\ndef copy(x, y, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, doubled(tl.load(x + i, mask=i < n)), mask=i < n)\n";
constexpr const char* kDoubled = "\n@triton.jit\ndef doubled(v):\n    return 2 * v\n";

std::string copies(const std::string& import) {
  std::string text = kCopies;
  return text.replace(text.find("@@"), 2, import);
}

TEST_F(OwnTriton, AnImportedFileMayRaise) {
  const std::string line = " --grid 4 -D BLOCK=256 --print 'y[999:1000]'" + std::string(kArguments);
  write("helper.py",
        "import triton, no_such_package\nfrom no_such_package.types import Cache\n\n"
        "class Named(Cache):\n    pass\n\nTABLE = [1][2]\n" +
            std::string(kDoubled));
  write("copies.py", copies("from helper import doubled"));
  EXPECT_THAT(exec("copies.py" + line).out, HasSubstr("[999] 1998\n"));
  write("helper.py", "import triton\nimport no_such_package\nBASE = 1 // 0\ndoubled = BASE\n");
  const ExecOutcome missing = exec("copies.py" + line);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.problems, HasSubstr("cannot import name 'doubled' from 'helper'"));
  EXPECT_THAT(missing.problems, HasSubstr("line 3 of that file raised ZeroDivisionError"));
  write("helper.py", "import triton\nBASE = 1 // 0\nif BASE:\n    pass\n");
  const ExecOutcome never = exec("copies.py" + line);
  EXPECT_THAT(never.problems, HasSubstr("cannot import name 'doubled' from 'helper'"));
  EXPECT_THAT(never.problems, Not(HasSubstr("of that file raised")));
}

TEST_F(OwnTriton, AFileOfAPackageAsksForItsVersion) {
  const std::string line = " --grid 4 -D BLOCK=256 --print 'y[999:1000]'" + std::string(kArguments);
  write("kit/helper.py", "import triton\nfrom kit import __version__\n\nif __version__ >= '1.2':\n" +
                             std::string("    from .parts import *\n"));
  write("kit/parts/__init__.py", "from .doubling import doubled\n");
  write("kit/parts/doubling.py", "import triton\n" + std::string(kDoubled));
  write("kit/copies.py", copies("from .helper import doubled"));
  write("kit/__init__.py", "from .copies import copy\n\n__version__ = '1.3'\n");
  EXPECT_THAT(exec("kit/copies.py" + line).out, HasSubstr("[999] 1998\n"));
  write("kit/version.py", "__version__ = '1.4'\n");
  write("kit/__init__.py", "from .version import __version__\nfrom .copies import copy\n");
  EXPECT_THAT(exec("kit/copies.py" + line).out, HasSubstr("[999] 1998\n"));
}

TEST_F(OwnTriton, BadLinesAreRefusedInOneSentence) {
  const std::string launch = "--grid 4 -D BLOCK=256";
  expect_refused("twice.py --grid 4 -D BLOCK=100" + std::string(kArguments),
                 "twice.py(7): error: arange's range must be a power of 2");
  expect_refused("twice.py " + launch + " --arg i32:3", "takes 3 arguments and 1 were given");
  expect_refused("twice.py " + launch + " --arg q=i32:3" + kArguments, "has no parameter 'q'; it has x, y, n");
  expect_refused("twice.py " + launch + " --arg BLOCK=i32:3" + kArguments, "'BLOCK' is a tl.constexpr parameter");
  expect_refused("twice.py " + launch + " -D WIDTH=3" + kArguments, "-D WIDTH: kernel 'twice' has no such parameter");
  expect_refused("twice.py " + launch + " --block 32" + kArguments, "Triton's compiler chooses the block");
  expect_refused("twice.py " + launch + " --num-warps 3" + kArguments, "Triton takes a power of two");
  expect_refused("twice.py --kernel half " + launch + kArguments, "there is no kernel 'half'");
  expect_refused("twice.py --grid 4" + std::string(kArguments), "still needs -D BLOCK");
  expect_refused("twice.py --grid 4 -D WIDTH=3" + std::string(kArguments),
                 "-D WIDTH: kernel 'twice' has no such parameter");
  expect_refused("twice.py --grid 4 -D BLOCK=wide" + std::string(kArguments), "BLOCK is the text 'wide'");
  expect_refused("twice.py " + launch + " --arg buf:f32:1000:iota --arg i32:7 --arg n=i32:1000",
                 "twice.py(8): error: Unsupported ptr type");
  expect_refused("twice.py " + launch + " --arg buf:f32:1000:iota --arg f32:1,2 --arg n=i32:1000",
                 "a Triton kernel takes buffers and numbers");
}

TEST_F(OwnTriton, BadFilesAreRefusedInOneSentence) {
  write("none.py", "import triton\n");
  expect_refused("none.py", "defines no function with @triton.jit");
  write("syntax.py", "import triton\ndef f(:\n");
  expect_refused("syntax.py", "syntax.py(2): error: invalid syntax");
  write("binary.py", std::string("x = 1\n\0\xb8\xff", 9));
  expect_refused("binary.py", "binary.py(2): error: the file holds a null byte, so it is not Python");
  write("latin.py", "# caf\xe9\n" + std::string(kTwice));
  EXPECT_EQ(exec("latin.py --grid 4 -D BLOCK=256" + std::string(kArguments)).status, 0) << "it is only a comment";
  write("raises.py", "WIDTH = 1 // 0\n");
  expect_refused("raises.py", "line 1 raised ZeroDivisionError");
  write("uses.py", "WIDTH = 1 // 0\n" + std::string(kTwice).replace(std::string(kTwice).find("2 *"), 1, "WIDTH"));
  expect_refused("uses.py --grid 4 -D BLOCK=256" + std::string(kArguments), "uses.py(9): error: WIDTH is not defined");
  write("dies.py", "import ctypes\nx = ctypes.string_at(0)\n");
  expect_refused("dies.py", "it was executing line 2 of the file");
  write("two.py", std::string(kTwice) + "\n@triton.jit\ndef other(x):\n    tl.store(x, 1)\n");
  expect_refused("two.py", "more than one kernel: twice, other");
}

TEST_F(OwnTriton, AFileThatEndsTheProcessHasItsKernels) {
  write("exits.py", "import os, sys\n" + std::string(kTwice) + "x = os._exit(3)\ny = sys.exit(4)\nz = input()\n");
  EXPECT_EQ(exec("exits.py --grid 4 -D BLOCK=256" + std::string(kArguments)).status, 0);
}

TEST_F(OwnKernels, WithoutTritonItSaysHowToGetIt) {
  write("twice.py", kTwice);
  const ExecOutcome outcome = exec("twice.py", "TILESCOPE_HIDE=triton");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.problems, HasSubstr("./tilescope triton"));
  EXPECT_EQ(exec("twice.py", "TILESCOPE_PYTHON=/nowhere/python").status, 3);
}

TEST_F(OwnKernels, AnOldTritonIsRefused) {
  if (find_program("python3", {}).empty()) GTEST_SKIP() << "no python3";
  std::filesystem::create_directories(folder_ / "old/triton");
  write("old/triton/__init__.py", "__version__ = '2.1.0'\n");
  write("python", "#!/bin/sh\nPYTHONPATH='" + (folder_ / "old").string() + "' exec python3 \"$@\"\n");
  std::filesystem::permissions(folder_ / "python", std::filesystem::perms::owner_all);
  write("twice.py", kTwice);
  const ExecOutcome outcome = exec("twice.py", "TILESCOPE_PYTHON='" + (folder_ / "python").string() + "'");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.problems, HasSubstr("Triton 2.1.0 is too old"));
}

std::string scale_ptx() { return read_file(TILESCOPE_SOURCE "/docs/exec/scale.ptx"); }
constexpr const char* kScale =
    " --grid 4 --block 256 --arg buf:f32:1000:iota --arg buf:f32:1000:poison --arg f32:2 --arg i32:1000";

TEST_F(OwnKernels, PtxRunsAndSuggestsALine) {
  write("scale.ptx", scale_ptx());
  const ExecOutcome outcome = exec("scale.ptx --print 'arg1[999:1000]'" + std::string(kScale));
  EXPECT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("[999] 1998"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("registers")));
  const std::string line = nlohmann::json::parse(exec("scale.ptx --json").out).at("suggestion");
  EXPECT_THAT(line, HasSubstr("--kernel scale --grid 16 --block 256 --arg buf:f32:4096:normal:arg0"));
}

TEST_F(OwnKernels, BadPtxIsRefusedInOneSentence) {
  const std::string good = scale_ptx();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  write("unknown.ptx", replaced("mul.f32", "frobnicate.f32"));
  const ExecOutcome unknown = exec("unknown.ptx" + std::string(kScale));
  EXPECT_NE(unknown.status, 0);
  EXPECT_THAT(unknown.problems, HasSubstr("'frobnicate.f32' (PTX line 31)"));
  write("broken.ptx", replaced("%rd5, %rd3, %rd4;", "%rd5, %rd3"));
  expect_refused("broken.ptx" + std::string(kScale), "PTX line 30: ';' is missing");
  write("text.ptx", "hello\n");
  expect_refused("text.ptx" + std::string(kScale), "it has no .entry");
  std::string other = good.substr(good.find(".visible"));
  for (size_t at = other.find("_Z5scalePKfPffi"); at != std::string::npos; at = other.find("_Z5scalePKfPffi"))
    other.replace(at, 15, "plain");
  write("two.ptx", good + other);
  expect_refused("two.ptx" + std::string(kScale), "more than one kernel: scale, plain");
  EXPECT_EQ(exec("two.ptx --kernel plain" + std::string(kScale)).status, 0);
  expect_refused("two.ptx --kernel nix" + std::string(kScale), "there is no kernel 'nix'");
  write("scale.ptx", good);
  expect_refused("scale.ptx --grid 1 --block 1 --arg i32:1", "takes 4 arguments and 1 were given");
  expect_refused("scale.ptx -D A=1" + std::string(kScale), "PTX is already compiled");
  expect_refused("scale.ptx --num-warps 4" + std::string(kScale), "it is for Triton kernels");
}

}  // namespace
}  // namespace tilescope
