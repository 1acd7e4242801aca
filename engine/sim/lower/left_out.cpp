#include "engine/sim/lower/left_out.hpp"

#include <algorithm>
#include <initializer_list>

namespace tilescope {

std::optional<Phrase> what_is_left_out(std::string_view opcode) {
  const auto begins = [&](std::initializer_list<std::string_view> heads) {
    return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return opcode.starts_with(head); });
  };
  if (begins({"tex.cube", "tex.level.cube", "tex.grad.cube", "tex.acube", "tex.level.acube", "tex.grad.acube"}))
    return Phrase("cube maps (texCubemap)");
  if (begins({"tld4."})) return Phrase("gathers from textures (tex2Dgather)");
  if (begins({"tex.", "txq."})) return Phrase("this kind of texture access");
  if (begins({"suld.", "sust.", "sured.", "suq."})) return Phrase("surfaces (cudaSurfaceObject_t)");
  if (begins({"istypep."})) return Phrase("textures and surfaces");
  if (begins({"mma.sp"})) return Phrase("sparse matrix products (mma.sp)");
  if (begins({"mma."}) && opcode.find(".m8n8k4") != std::string_view::npos)
    return Phrase("the half-precision matrix products of Volta (mma.m8n8k4)");
  if (begins({"wgmma."})) return Phrase("the matrix products of Hopper (wgmma)");
  if (begins({"tcgen05."})) return Phrase("the matrix products of Blackwell (tcgen05)");
  if (begins({"cp.async.bulk", "cp.reduce.async.bulk"})) return Phrase("bulk and tensor copies (TMA)");
  if (begins({"barrier.cluster.", "mapa.", "getctarank.", "st.async", "red.async"}))
    return Phrase("thread block clusters");
  if (begins({"multimem."})) return Phrase("memory of several GPUs (multimem)");
  return std::nullopt;
}

}  // namespace tilescope
