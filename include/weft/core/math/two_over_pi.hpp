// math::simd: the digits of 2 / pi that decide sin, cos and tan of a float of a given exponent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::math::simd::detail {

/// Element i of both: 2 / pi in two parts, without its digits from 2^-i on up: a float of exponent
/// i + 25 (of at most 25 for i = 0) times those is a multiple of 4. The first part has 29 digits,
/// so that its product with a float is exact. Element 103 serves infinity and NaN.
inline constexpr double two_over_pi_high[104] = {
    0x1.45f306dp-1,   0x1.17cc1b6p-3,   0x1.17cc1b7p-3,   0x1.7cc1b7p-7,   0x1.7cc1b7p-7,
    0x1.7cc1b72p-7,   0x1.7cc1b72p-7,   0x1.f306dc8p-9,   0x1.f306dc9p-9,  0x1.e60db93p-10,
    0x1.cc1b727p-11,  0x1.9836e4ep-12,  0x1.306dc9cp-13,  0x1.836e4e4p-16, 0x1.836e4e4p-16,
    0x1.836e4e4p-16,  0x1.06dc9c8p-17,  0x1.b72722p-23,   0x1.b72722p-23,  0x1.b72722p-23,
    0x1.b72722p-23,   0x1.b72722p-23,   0x1.b72722p-23,   0x1.6e4e441p-24, 0x1.b939104p-26,
    0x1.b939105p-26,  0x1.727220ap-27,  0x1.c9c882ap-29,  0x1.c9c882ap-29, 0x1.9391054p-30,
    0x1.27220a9p-31,  0x1.3910548p-34,  0x1.391054ap-34,  0x1.391054ap-34, 0x1.c882a5p-37,
    0x1.c882a52p-37,  0x1.c882a53p-37,  0x1.91054a7p-38,  0x1.220a94fp-39, 0x1.1054a7cp-42,
    0x1.1054a7ep-42,  0x1.1054a7fp-42,  0x1.054a7fp-46,   0x1.054a7fp-46,  0x1.054a7fp-46,
    0x1.054a7fp-46,   0x1.529fc2p-52,   0x1.529fc2p-52,   0x1.529fc2p-52,  0x1.529fc24p-52,
    0x1.529fc26p-52,  0x1.529fc27p-52,  0x1.4a7f09cp-54,  0x1.4a7f09dp-54, 0x1.29fc274p-56,
    0x1.29fc275p-56,  0x1.4fe13a8p-59,  0x1.4fe13aap-59,  0x1.4fe13abp-59, 0x1.3f84eaep-61,
    0x1.3f84eafp-61,  0x1.fc2757cp-64,  0x1.fc2757cp-64,  0x1.fc2757dp-64, 0x1.f84eafap-65,
    0x1.f09d5f4p-66,  0x1.e13abe8p-67,  0x1.c2757d1p-68,  0x1.84eafa3p-69, 0x1.09d5f47p-70,
    0x1.3abe8fp-75,   0x1.3abe8f8p-75,  0x1.3abe8f8p-75,  0x1.3abe8fap-75, 0x1.3abe8fap-75,
    0x1.d5f47d4p-78,  0x1.d5f47d4p-78,  0x1.d5f47d4p-78,  0x1.abe8fa9p-79, 0x1.57d1f53p-80,
    0x1.5f47d4cp-82,  0x1.5f47d4dp-82,  0x1.7d1f534p-84,  0x1.7d1f534p-84, 0x1.f47d4d2p-86,
    0x1.f47d4d3p-86,  0x1.e8fa9a6p-87,  0x1.d1f534dp-88,  0x1.a3ea69bp-89, 0x1.47d4d37p-90,
    0x1.1f534dcp-92,  0x1.1f534ddp-92,  0x1.f534dd8p-96,  0x1.f534ddcp-96, 0x1.f534ddcp-96,
    0x1.f534ddcp-96,  0x1.ea69bb8p-97,  0x1.d4d377p-98,   0x1.a9a6eep-99,  0x1.534ddcp-100,
    0x1.4d37702p-102, 0x1.4d37703p-102, 0x1.34ddc0cp-104, 0x1.34ddc0dp-104};
inline constexpr double two_over_pi_low[104] = {
    0x1.9391054a7f09dp-30,  0x1.27220a94fe13bp-31,  0x1.391054a7f09d6p-34,  0x1.391054a7f09d6p-34,
    0x1.391054a7f09d6p-34,  0x1.c882a53f84ebp-37,   0x1.c882a53f84ebp-37,   0x1.c882a53f84ebp-37,
    0x1.91054a7f09d5fp-38,  0x1.220a94fe13abfp-39,  0x1.1054a7f09d5f4p-42,  0x1.1054a7f09d5f4p-42,
    0x1.1054a7f09d5f4p-42,  0x1.054a7f09d5f48p-46,  0x1.054a7f09d5f48p-46,  0x1.054a7f09d5f48p-46,
    0x1.054a7f09d5f48p-46,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,
    0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.4a7f09d5f47d5p-54,
    0x1.4a7f09d5f47d5p-54,  0x1.29fc2757d1f53p-56,  0x1.29fc2757d1f53p-56,  0x1.4fe13abe8fa9ap-59,
    0x1.4fe13abe8fa9ap-59,  0x1.4fe13abe8fa9ap-59,  0x1.3f84eafa3ea6ap-61,  0x1.3f84eafa3ea6ap-61,
    0x1.fc2757d1f534ep-64,  0x1.fc2757d1f534ep-64,  0x1.fc2757d1f534ep-64,  0x1.f84eafa3ea69cp-65,
    0x1.f09d5f47d4d37p-66,  0x1.e13abe8fa9a6fp-67,  0x1.c2757d1f534dep-68,  0x1.84eafa3ea69bcp-69,
    0x1.09d5f47d4d377p-70,  0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,
    0x1.3abe8fa9a6eep-75,   0x1.3abe8fa9a6eep-75,   0x1.d5f47d4d37703p-78,  0x1.d5f47d4d37703p-78,
    0x1.d5f47d4d37703p-78,  0x1.abe8fa9a6ee07p-79,  0x1.57d1f534ddc0ep-80,  0x1.5f47d4d377037p-82,
    0x1.5f47d4d377037p-82,  0x1.7d1f534ddc0dbp-84,  0x1.7d1f534ddc0dbp-84,  0x1.f47d4d377036ep-86,
    0x1.f47d4d377036ep-86,  0x1.e8fa9a6ee06dbp-87,  0x1.d1f534ddc0db6p-88,  0x1.a3ea69bb81b6cp-89,
    0x1.47d4d377036d9p-90,  0x1.1f534ddc0db63p-92,  0x1.1f534ddc0db63p-92,  0x1.f534ddc0db629p-96,
    0x1.f534ddc0db629p-96,  0x1.f534ddc0db629p-96,  0x1.f534ddc0db629p-96,  0x1.ea69bb81b6c53p-97,
    0x1.d4d377036d8a5p-98,  0x1.a9a6ee06db14bp-99,  0x1.534ddc0db6296p-100, 0x1.4d377036d8a56p-102,
    0x1.4d377036d8a56p-102, 0x1.34ddc0db6295ap-104, 0x1.34ddc0db6295ap-104, 0x1.a6ee06db14acdp-107,
    0x1.a6ee06db14acdp-107, 0x1.a6ee06db14acdp-107, 0x1.4ddc0db629599p-108, 0x1.377036d8a5665p-110,
    0x1.377036d8a5665p-110, 0x1.bb81b6c52b328p-113, 0x1.bb81b6c52b328p-113, 0x1.bb81b6c52b328p-113,
    0x1.77036d8a5664fp-114, 0x1.dc0db6295993cp-116, 0x1.dc0db6295993cp-116, 0x1.b81b6c52b3279p-117,
    0x1.7036d8a5664f1p-118, 0x1.c0db6295993c4p-120, 0x1.c0db6295993c4p-120, 0x1.81b6c52b32788p-121,
    0x1.036d8a5664f11p-122, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129,
    0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129,
    0x1.6d8a5664f10e4p-130, 0x1.b6295993c439p-132,  0x1.b6295993c439p-132,  0x1.6c52b32788721p-133};

}  // namespace weft::math::simd::detail
