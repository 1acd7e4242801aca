#version 330 core
// One cell of a heat map: the mean value, or the largest |got - expected|, of the elements it covers.
//
// Elements of every type are read as 32-bit words. A value is a pair high + low, because a float alone cannot hold a
// double, a large integer, or a reference to the last bit; |got - expected| is then exact where it is small.

const int F32 = 0, F16 = 1, BF16 = 2, F64 = 3, I32 = 4, U32 = 5, I8 = 6, U8 = 7, U64 = 8;  // as enum DType
const int MEAN = 0, ERROR = 1;
const float SMALLEST_RATIO = 1e-4;  // of the allowed error: the cold end of the error scale

uniform usamplerBuffer got;
uniform usamplerBuffer expected;       // floats: the reference rounded
uniform usamplerBuffer expected_rest;  // floats: what that rounding left, if has_rest
uniform bool has_rest;
uniform sampler2D scale;               // 256 colours
uniform int type, kind;
uniform int count, row_length;
uniform ivec2 cell_elements;           // columns, rows
uniform int cell_pixels, gap;
uniform vec2 range;                    // mean: values at the ends of the scale
uniform vec2 tolerance;                // error: absolute, relative
uniform vec4 failing;                  // colour of what is no number, or not within tolerance

out vec4 colour;

// A bit pattern as float; infinity and NaN become the flag `number = false`, so that no arithmetic meets them.
float float_of(uint bits, inout bool number) {
  if ((bits & 0x7f800000u) == 0x7f800000u) {
    number = false;
    return 0.0;
  }
  return uintBitsToFloat(bits);
}

float half_of(uint bits, inout bool number) {
  uint sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
  if (exponent == 31u) {
    number = false;
    return 0.0;
  }
  if (exponent == 0u) return (sign != 0u ? -1.0 : 1.0) * float(fraction) * exp2(-24.0);
  return uintBitsToFloat(sign | ((exponent + 112u) << 23) | (fraction << 13));
}

vec2 double_of(uint low, uint high, inout bool number) {
  int exponent = int((high >> 20) & 2047u);
  if (exponent == 2047 || exponent - 1023 > 127) {
    number = false;
    return vec2(0.0);
  }
  if (exponent - 1023 < -126) return vec2(0.0);
  uint sign = high & 0x80000000u;
  float head = uintBitsToFloat(sign | (uint(exponent - 1023 + 127) << 23) | ((high & 0xfffffu) << 3) | (low >> 29));
  float tail = float(low & 0x1fffffffu) * exp2(float(exponent - 1023 - 52));
  return vec2(head, sign != 0u ? -tail : tail);
}

uint word(int index) { return texelFetch(got, index).r; }

vec2 value(int index, inout bool number) {
  if (type == F32) return vec2(float_of(word(index), number), 0.0);
  if (type == F16 || type == BF16) {
    uint bits = (word(index >> 1) >> ((index & 1) * 16)) & 0xffffu;
    return vec2(type == F16 ? half_of(bits, number) : float_of(bits << 16, number), 0.0);
  }
  if (type == F64) return double_of(word(2 * index), word(2 * index + 1), number);
  if (type == U64) return vec2(float(word(2 * index + 1)) * 4294967296.0, float(word(2 * index)));
  if (type == I32) {
    int whole = int(word(index));
    return vec2(float(whole & ~255), float(whole & 255));
  }
  if (type == U32) return vec2(float(word(index) & ~255u), float(word(index) & 255u));
  uint byte = (word(index >> 2) >> ((index & 3) * 8)) & 255u;
  return vec2(type == I8 && byte > 127u ? float(byte) - 256.0 : float(byte), 0.0);
}

// |got - expected| over what is allowed: at most 1 passes.
float error_ratio(int index, vec2 found) {
  float reference = uintBitsToFloat(texelFetch(expected, index).r);
  float rest = has_rest ? uintBitsToFloat(texelFetch(expected_rest, index).r) : 0.0;
  float error = abs((found.x - reference) + (found.y - rest));
  float allowed = tolerance.x + tolerance.y * abs(reference);
  if (error == 0.0) return 0.0;
  return allowed > 0.0 ? error / allowed : 2.0;
}

vec4 scaled(float t) { return texelFetch(scale, ivec2(int(clamp(t, 0.0, 1.0) * 255.0 + 0.5), 0), 0); }

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 cell = pixel / cell_pixels;
  ivec2 inside = pixel - cell * cell_pixels;
  ivec2 first = cell * cell_elements;
  int total_rows = (count + row_length - 1) / row_length;
  colour = vec4(0.0);
  if (max(inside.x, inside.y) >= cell_pixels - gap) return;

  float sum = 0.0, largest = 0.0;
  int numbers = 0;
  bool all_numbers = true;
  for (int row = first.y; row < min(first.y + cell_elements.y, total_rows); ++row) {
    int begin = row * row_length + first.x;
    int end = min(row * row_length + min(first.x + cell_elements.x, row_length), count);
    for (int index = begin; index < end; ++index) {
      bool number = true;
      vec2 found = value(index, number);
      ++numbers;
      if (!number)
        all_numbers = false;
      else if (kind == ERROR)
        largest = max(largest, error_ratio(index, found));
      else
        sum += found.x + found.y;
    }
  }
  if (numbers == 0) return;
  if (!all_numbers || (kind == ERROR && largest > 1.0)) {
    colour = failing;
    return;
  }
  if (kind == ERROR)
    colour = scaled(largest > SMALLEST_RATIO ? 1.0 - log2(largest) / log2(SMALLEST_RATIO) : 0.0);
  else
    colour = scaled(range.y > range.x ? (sum / float(numbers) - range.x) / (range.y - range.x) : 0.5);
}
