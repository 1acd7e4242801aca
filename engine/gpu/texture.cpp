#include "engine/gpu/texture.hpp"

#include <utility>

namespace tilescope {
namespace {

using Shape = TextureSpec::Shape;

CUarray_format format_of(DType type) {
  switch (type) {
    case DType::f16:
      return CU_AD_FORMAT_HALF;
    case DType::u8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case DType::i8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case DType::u16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case DType::i16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case DType::u32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case DType::i32:
      return CU_AD_FORMAT_SIGNED_INT32;
    default:
      return CU_AD_FORMAT_FLOAT;
  }
}

CUaddress_mode mode_of(TextureSpec::Address address) {
  switch (address) {
    case TextureSpec::Address::wrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case TextureSpec::Address::mirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case TextureSpec::Address::border:
      return CU_TR_ADDRESS_MODE_BORDER;
    default:
      return CU_TR_ADDRESS_MODE_CLAMP;
  }
}

}  // namespace

/// cuArray3DCreate creates arrays of all shapes; an extent that a shape lacks is 0. Layers are its depth.
CUresult GpuTexture::fill_array(const TextureSpec& texture, uint64_t address) {
  const bool layered = texture.shape == Shape::layered_one || texture.shape == Shape::layered_two;
  const bool has_height =
      texture.shape == Shape::two || texture.shape == Shape::three || texture.shape == Shape::layered_two;
  const uint32_t depth = texture.shape == Shape::layered_one ? texture.extent.y : texture.extent.z;
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = texture.extent.x;
  description.Height = has_height ? texture.extent.y : 0;
  description.Depth = layered || texture.shape == Shape::three ? depth : 0;
  description.Format = format_of(texture.type);
  description.NumChannels = texture.channels;
  description.Flags = layered ? CUDA_ARRAY3D_LAYERED : 0;
  const Driver& driver = context_->driver();
  if (const CUresult status = driver.array_create(&array_, &description); status != CUDA_SUCCESS) return status;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = address;
  copy.srcPitch = texture.extent.x * texture.texel_bytes();
  copy.srcHeight = has_height ? texture.extent.y : 1;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array_;
  copy.WidthInBytes = copy.srcPitch;
  copy.Height = copy.srcHeight;
  copy.Depth = description.Depth == 0 ? 1 : description.Depth;
  const CUresult status = driver.memcpy_3d(&copy);
  // The kernels run on a separate stream.
  return status == CUDA_SUCCESS ? driver.ctx_synchronize() : status;
}

CUresult GpuTexture::make_object(const TextureSpec& texture, uint64_t address) {
  CUDA_RESOURCE_DESC resource{};
  if (texture.shape == Shape::linear) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = address;
    resource.res.linear.format = format_of(texture.type);
    resource.res.linear.numChannels = texture.channels;
    resource.res.linear.sizeInBytes = texture.extent.x * texture.texel_bytes();
  } else {
    if (const CUresult status = fill_array(texture, address); status != CUDA_SUCCESS) return status;
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array_;
  }
  CUDA_TEXTURE_DESC description{};
  // An axis that the texture lacks is filtered too: with a border, half of each value would be lost.
  const size_t axes = texture.shape == Shape::three                                        ? 3
                      : texture.shape == Shape::two || texture.shape == Shape::layered_two ? 2
                                                                                           : 1;
  for (size_t i = 0; i < std::size(description.addressMode); ++i)
    description.addressMode[i] = i < axes ? mode_of(texture.address) : CU_TR_ADDRESS_MODE_CLAMP;
  description.filterMode = texture.linear_filter ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (!texture.gives_floats()) description.flags |= CU_TRSF_READ_AS_INTEGER;
  if (texture.normalized) description.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  return context_->driver().texture_object_create(&object_, &resource, &description, nullptr);
}

Result<std::shared_ptr<GpuTexture>> GpuTexture::make(std::shared_ptr<GpuContext> context, const TextureSpec& texture,
                                                     uint64_t address) {
  std::shared_ptr<GpuTexture> made(new GpuTexture(std::move(context)));
  const CUresult status = made->make_object(texture, address);
  if (status != CUDA_SUCCESS) return tl::unexpected(made->context_->error(Phrase("making a texture object"), status));
  return made;
}

GpuTexture::~GpuTexture() {
  const CurrentContext current(*context_);
  if (!current) return;
  if (object_ != 0) context_->driver().texture_object_destroy(object_);
  if (array_ != nullptr) context_->driver().array_destroy(array_);
}

}  // namespace tilescope
