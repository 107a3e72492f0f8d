"""The segments of the multifunction unit: coefficients of polynomials in fixed point.

The figures are those of the repository ptx-math of Benjamin Carleton, who found them by comparing
with GPUs of sm_50 to sm_75 over all inputs (github.com/bcarlet/ptx-math). It is under the MIT
License, Copyright (c) 2020 Benjamin Carleton:

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions: The above copyright notice and this
permission notice shall be included in all copies or substantial portions of the Software. THE
SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

How the unit works: S. Oberman, M. Siu, "A High-Performance Area-Efficient Multifunction
Interpolator", 17th IEEE Symposium on Computer Arithmetic (2005).
"""

from typing import NamedTuple


class MufuTable(NamedTuple):
    """A function by segments: ``c0 << c0_shift ± c1 * x << c1_shift ± c2 * square(x) + bias``.

    Attributes:
        segment_bits: The upper bits of the fraction that choose the segment; `x` is the rest.
        c0_shift: Places that the first coefficient is moved up.
        c1_shift: Places that the second term is moved up.
        c1_sign: Of the second term.
        c2_sign: Of the third term.
        bias: Added before the result is cut off.
        coefficients: c0, c1 and c2 of each segment, in hexadecimal.
    """

    segment_bits: int
    c0_shift: int
    c1_shift: int
    c1_sign: int
    c2_sign: int
    bias: int
    coefficients: str

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """The coefficients as numbers, a row for each segment."""
        numbers = [int(word, 16) for word in self.coefficients.split()]
        return [tuple(numbers[i : i + 3]) for i in range(0, len(numbers), 3)]


TABLES = {
    # One row for each 128th of the significand.
    "rcp": MufuTable(7, 30, 17, -1, 1, 0x67E7 << 48 >> 31, """
3fffffd fffe 3f5 3f80fdf fc0a 3dd 3f03f03 f82d 3c6 3e88cb2 f467 3b1 3e0f83b f0b6 39b
3d980f5 ed1b 386 3d22635 e995 373 3cae757 e622 35f 3c3c3c1 e2c3 34d 3bcbadb df77 33b
3b5cc0e dc3d 329 3aef6c8 d914 317 3a83a82 d5fd 306 3a196b1 d2f7 2f6 39b0ad0 d001 2e6
394965f cd1b 2d7 38e38e2 ca44 2c7 387f1df c77c 2b8 381c0df c4c3 2aa 37ba56f c218 29d
3759f20 bf7b 290 36fad86 bceb 282 369d034 ba69 277 36406c7 b7f3 26a 35e50d6 b589 25d
358ae03 b32c 252 3531deb b0da 246 34da033 ae94 23c 3483483 ac59 231 342da7e aa28 225
33d91d2 a803 21c 3385a28 a5e7 211 3333332 a3d6 207 32e1c9e a1cf 1fe 329161d 9fd1 1f5
3241f68 9ddc 1ea 31f3830 9bf1 1e2 31a6031 9a0f 1da 3159721 9835 1d1 310dcbe 9664 1c9
30c30c2 949b 1c1 30792ee 92da 1b9 3030302 9121 1b1 2fe80bf 8f70 1aa 2fa0be7 8dc6 1a2
2f5a440 8c24 19c 2f1498f 8a88 193 2ecfb9b 88f4 18d 2e8ba2e 8767 186 2e4850e 85e0 17f
2e05c09 8460 179 2dc3eed 82e7 173 2d82d82 8174 16e 2d42799 8006 166 2d02d01 7e9f 161
2cc3d8b 7d3e 15c 2c8590a 7be2 155 2c47f4f 7a8d 151 2c0b02b 793c 14b 2bceb75 77f1 146
2b93104 76ab 140 2b580ad 756b 13c 2b1da46 742f 136 2ae3da6 72f8 131 2aaaaa9 71c7 12e
2a72129 709a 129 2a3a0fd 6f71 123 2a02a01 6e4d 11f 29cbc14 6d2e 11b 299570f 6c13 117
295fad3 6afc 112 292a73c 69ea 10f 28f5c28 68db 10a 28c1978 67d1 107 288df0b 66ca 102
285acc3 65c8 100 2828282 64c9 0fb 27f6027 63ce 0f8 27c4597 62d6 0f3 27932b3 61e2 0f0
2762761 60f2 0ed 2732385 6005 0e9 2702702 5f1c 0e7 26d31be 5e35 0e2 26a439e 5d52 0df
2675c8a 5c73 0de 2647c68 5b96 0da 261a31f 5abc 0d6 25ed097 59e6 0d4 25c04b8 5912 0d0
2593f68 5841 0cd 2568095 5774 0cc 253c824 56a8 0c7 2511601 55e0 0c5 24e6a16 551b 0c4
24bc44d 5458 0c1 2492491 5397 0bd 2468ace 52d9 0ba 243f6f0 521e 0b8 24168e0 5165 0b6
23ee08f 50af 0b4 23c5de6 4ffb 0b2 239e0d4 4f49 0af 2376947 4e9a 0ad 234f72b 4ded 0ab
2328a6e 4d42 0a9 2302301 4c99 0a6 22dc0d0 4bf3 0a5 22b63cb 4b4e 0a1 2290be1 4aac 0a0
226b901 4a0c 09f 2246b1c 496d 09b 2222221 48d1 09a 21fde01 4837 099 21d9eac 479e 096
21b6415 4708 095 2192e29 4673 093 216fcdc 45e0 091 214d021 454f 08f 212a7e5 44c0 08f
2108420 4432 08c 20e64c1 43a6 08a 20c49ba 431c 089 20a32fe 4293 087 2082081 420c 085
2061236 4187 084 204080e 4103 083 2020200 4081 082
"""),
    # Sixty-four rows for even exponents, then those for odd ones.
    "rsqrt": MufuTable(6, 31, 17, -1, 1, 0x7FFF8 << 44 >> 30, """
3fffffb fffb 2f2 3f817ab fa18 2d5 3f05d8d f46f 2ba 3e8cfe1 eefb 2a0 3e16d06 e9bb 288
3da336b e4ab 271 3d32197 dfc9 25b 3cc3623 db13 246 3c56fb9 d687 232 3becd10 d222 21f
3b84cf2 cde4 20e 3b1ee3d c9c9 1fc 3abafd0 c5d1 1ec 3a590a4 c1fa 1dc 39f8fb1 be42 1cd
399ac06 baa8 1be 393e4b4 b72b 1b1 38e38e1 b3ca 1a4 388a7ae b082 197 3833053 ad54 18b
37dd208 aa3e 17f 3788c0f a73f 174 3735db3 a457 16a 36e4647 a184 160 3694523 9ec5 156
36459a9 9c1a 14c 35f8339 9982 143 35ac142 96fc 13a 3561334 9487 131 3517886 9224 12a
34cf0b2 8fd0 122 3487b3e 8d8d 11b 34417ac 8b58 113 33fc585 8932 10c 33b8454 871a 106
33753b2 850f 0ff 3333331 8311 0f8 32f226a 8120 0f2 32b20fc 7f3b 0ec 3272e83 7d62 0e7
3234aaa 7b94 0e1 31f7510 79d1 0dc 31bad65 7819 0d7 317f353 766b 0d2 3144689 74c7 0cd
310a6b8 732d 0c9 30d1398 719c 0c4 3098cda 7013 0bf 306123c 6e94 0bb 302a375 6d1d 0b7
2ff4045 6bae 0b3 2fbe86c 6a48 0b0 2f89bab 68e9 0ac 2f559c3 6791 0a8 2f2227b 6641 0a5
2eef598 64f8 0a2 2ebd2e6 63b5 09e 2e8ba2d 6279 09a 2e5ab38 6144 097 2e2a5d3 6015 094
2dfa9ce 5eec 091 2dcb6f6 5dc9 08f 2d9cd24 5cac 08c 2d6ec23 5b94 089
2d413c7 b501 215 2ce7c60 b0d8 201 2c905a4 acd7 1ed 2c3ae53 a8fc 1db 2be7548 a546 1cb
2b9596a a1b1 1ba 2b459af 9e3e 1ab 2af7512 9ae9 19c 2aaaaa8 97b2 18e 2a5f985 9496 180
2a160d3 9196 173 29cdfbb 8eaf 167 298757b 8be1 15c 2942150 8929 150 28fe285 8688 146
28bb873 83fd 13c 287a269 8185 132 2839fcf 7f21 129 27fb00e 7cd0 120 27bd28f 7a90 117
27806c7 7861 10f 2744c35 7643 107 270a255 7435 100 26d08ad 7235 0f8 2697ec5 7044 0f1
266042c 6e61 0eb 2629877 6c8c 0e5 25f3b3e 6ac3 0de 25bec15 6907 0d9 258aaa4 6756 0d2
2557685 65b1 0cd 2524f65 6417 0c7 24f34e5 6288 0c3 24c26ba 6103 0be 2492491 5f88 0b9
2462e18 5e16 0b4 2434308 5cae 0b0 2406317 5b4e 0ab 23d8e00 59f7 0a7 23ac380 58a9 0a3
2380352 5762 09f 2354d3b 5623 09b 232a0fb 54ec 098 22ffe5b 53bc 094 22d651c 5293 091
22ad50c 5171 08e 2284df5 5055 08a 225cf9d 4f40 088 22359d9 4e31 085 220ec77 4d28 082
21e8748 4c24 07e 21c2a1b 4b27 07c 219d4c4 4a2f 07a 217871d 493c 077 21540f4 484e 075
213022a 4765 072 210ca91 4681 070 20e9a06 45a2 06e 20c7065 44c7 06b 20a4d86 43f1 069
2083148 431f 067 2061b87 4251 065 2040c25 4187 063 2020305 40c2 061
"""),
    # As for the reciprocal root.
    "sqrt": MufuTable(6, 33, 18, 1, -1, 0x7FFF8 << 44 >> 29, """
1ffffff 0ffff 1fa 203fc07 0fe05 1ee 207f03e 0fc16 1e2 20bdcd1 0fa33 1d8 20fc1ec 0f85a 1cd
2139fb9 0f68c 1c4 2177660 0f4c8 1bb 21b4609 0f30d 1b2 21f0ed9 0f15b 1a8 222d0f4 0efb3 1a1
2268c7e 0ee13 198 22a4199 0ec7b 18f 22df066 0eaeb 187 2319903 0e964 181 2353b91 0e7e3 178
238d82c 0e66b 172 23c6ef2 0e4f9 16b 23fffff 0e38e 165 2438b6d 0e22a 15f 2471157 0e0cc 158
24a91d6 0df74 151 24e0d03 0de23 14c 25182f6 0dcd7 145 254f3c6 0db91 13f 2585f8a 0da51 13b
25bc658 0d916 135 25f2845 0d7e0 130 2628565 0d6b0 12b 265ddce 0d584 126 2693192 0d45e 122
26c80c5 0d33c 11d 26fcb7a 0d21e 118 27311c1 0d106 115 27653af 0cff1 110 2799152 0cee1 10c
27ccabd 0cdd5 109 27fffff 0cccd 105 2833129 0cbc8 0ff 2865e49 0cac8 0fc 289876f 0c9cc 0f9
28cacab 0c8d2 0f4 28fce0a 0c7dd 0f2 292eb9a 0c6eb 0ee 2960569 0c5fd 0ec 2991b85 0c511 0e7
29c2dfa 0c42a 0e5 29f3cd6 0c345 0e2 2a24826 0c263 0de 2a54ff4 0c185 0dd 2a8544e 0c0a9 0d9
2ab553f 0bfd0 0d6 2ae52d2 0befa 0d3 2b14d14 0be26 0cf 2b4440d 0bd57 0cf 2b737cb 0bc88 0ca
2ba2856 0bbbd 0c8 2bd15b9 0baf5 0c7 2bfffff 0ba2e 0c2 2c2e731 0b96b 0c2 2c5cb59 0b8a9 0be
2c8ac80 0b7ea 0bc 2cb8aaf 0b72e 0bb 2ce65f1 0b673 0b8 2d13e4d 0b5bb 0b6
2d413cc 16a08 2ca 2d9b657 1673c 2b9 2df4dd3 16482 2ac 2e4da82 161d6 29c 2ea5ca1 15f3a 28f
2efd46b 15cac 281 2f54219 15a2c 272 2faa5e3 157ba 265 2ffffff 15554 257 305509f 152fc 24c
30a97f5 150b0 241 30fd632 14e70 237 3150b84 14c3a 22a 31a3817 14a10 220 31f5c17 147f0 213
32477af 145dc 20c 3298b07 143d0 200 32e9645 141d0 1f9 3339992 13fd8 1f0 3389512 13de8 1e4
33d88e9 13c02 1dc 3427538 13a26 1d6 3475a25 13850 1cb 34c37cd 13684 1c5 3510e52 134be 1bb
355ddd2 13302 1b7 35aa66c 1314c 1af 35f683d 12f9e 1a9 3642362 12df6 1a1 368d7f7 12c54 198
36d8616 12aba 191 3722dda 12928 18f 376cf5c 1279a 187 37b6ab6 12612 17f 37fffff 12492 17b
3848f50 12316 174 38918bf 121a2 172 38d9c63 12032 16c 3921a53 11ec6 164 39692a2 11d62 161
39b0567 11c02 15c 39f72b7 11aa6 155 3a3daa3 11950 150 3a83d41 117fe 14a 3ac9aa3 116b2 147
3b0f2dc 1156a 143 3b545fd 11426 13d 3b99419 112e8 13c 3bddd41 111ac 135 3c22186 11076 132
3c660f8 10f44 12f 3ca9ba9 10e14 129 3ced1a6 10cea 126 3d30301 10bc4 125 3d72fc8 10aa0 11f
3db580a 10980 11a 3df7bd5 10866 11a 3e39b39 1074c 113 3e7b642 10638 111 3ebccff 10526 10d
3efdf7d 10418 10a 3f3edc8 1030e 108 3f7f7ef 10206 105 3fbfdfd 10102 103
"""),
    # One row for each 64th of the fraction of the exponent.
    "ex2": MufuTable(6, 32, 19, 1, 1, 0x6FC4 << 48 >> 30, """
2000002 58b9 1ee 2059349 59b0 1f5 20b361d 5aaa 1fa 210e8a4 5ba7 1ff 216ab11 5ca6 206
21c7d88 5da9 209 222603b 5eae 20f 2285358 5fb6 214 22e570b 60c0 21d 2346b80 61ce 222
23a90e7 62df 227 240c774 63f2 22f 2470f50 6509 234 24d68af 6623 238 253d3c2 673f 241
25a50b8 685f 247 260dfc4 6982 24d 2678119 6aa8 254 26e34e8 6bd2 258 274fb69 6cfe 261
27bd4cb 6e2e 267 282c147 6f61 26e 289c10d 7098 273 290d458 71d2 279 297fb5c 730f 281
29f3650 7450 287 2a6856c 7594 28f 2ade8e9 76dc 295 2b560fd 7827 29e 2bcede4 7976 2a5
2c48fd9 7ac8 2ae 2cc4712 7c1f 2b3 2d413ce 7d79 2bb 2dbf64a 7ed7 2c1 2e3eec0 8038 2cb
2ebfd6c 819e 2d1 2f42290 8307 2da 2fc5e69 8474 2e3 304b136 85e5 2ec 30d1b35 875b 2f1
3159caa 88d4 2fb 31e35d5 8a51 305 326e6f9 8bd3 30b 32fb056 8d59 313 3389232 8ee3 31c
3418cd1 9071 326 34aa078 9204 32d 353cd6c 939b 336 35d13f6 9536 341 3667459 96d6 34a
36feee0 987b 351 37983d5 9a24 35a 383337f 9bd1 366 38cfe29 9d84 36d 396e41e 9f3b 377
3a0e5ac a0f7 380 3ab031f a2b7 38d 3b53cc3 a47d 395 3bf92e9 a648 39d 3ca05df a817 3aa
3d495f7 a9ec 3b2 3df4381 abc5 3bf 3ea0ece ada4 3c9 3f4f833 af88 3d4
"""),
    # One row for each 64th of the significand.
    "lg2": MufuTable(6, 30, 18, 1, -1, 0x868B << 48 >> 31, """
0000003 b8a8 2d7 016e796 b5d1 2c1 02d75ac b310 2ad 043ace6 b064 299 0598fe1 adcc 286
06f210e ab47 273 08462c8 a8d5 262 099574f a674 250 0ae00d7 a424 240 0c26161 a1e4 22f
0d67af4 9fb4 220 0ea4f75 9d93 212 0fde0b8 9b81 206 111307b 997c 1f8 124407b 9784 1eb
1371250 9599 1df 149a785 93ba 1d2 15c01a7 91e7 1c7 16e2221 9020 1bd 1800a58 8e63 1b1
191bbab 8cb2 1a9 1a3375f 8b0a 19e 1b47ebd 896c 194 1c592fa 87d8 18c 1d6753e 864c 181
1e726a9 84ca 179 1f7a856 8350 170 207fb51 81df 169 218209e 8076 162 2281941 7f14 15a
237e626 7dba 153 247883a 7c67 14b 2570069 7b1c 146 2664f8c 79d7 13f 2757681 7898 137
2847613 7761 133 2934f0c 762f 12c 2a20232 7503 125 2b09049 73de 121 2bef9ff 72be 11b
2cd4010 71a3 114 2db632d 708e 10f 2e963fc 6f7e 10a 2f7431c 6e74 106 3050139 6d6e 101
3129eed 6c6d 0fd 3201cc5 6b71 0f9 32d7b5c 6a79 0f4 33abb40 6985 0ee 347dcff 6896 0ea
354e120 67ac 0e8 361c822 66c5 0e3 36e9292 65e2 0df 37b40e3 6503 0db 387d397 6428 0d8
3944b1d 6350 0d3 3a0a7eb 627d 0d1 3acea79 61ac 0cc 3b91336 60df 0c9 3c52284 6016 0c7
3d118d9 5f4f 0c3 3dcf68f 5e8c 0c0 3e8bc11 5dcc 0bd 3f469c0 5d0f 0ba
"""),
    # One row for each 64th of the quadrant.
    "sin": MufuTable(6, 31, 19, 1, -1, 0, """
0000000 6489 00e 00c90a7 6482 030 0191f64 646a 04c 025aa3e 6444 06e 0322f4a 640d 089
03eac9a 63c8 0ab 04b203d 6373 0c9 057884e 630e 0e5 063e2dd 629b 106 0702e08 6218 124
07c67e4 6186 142 0888e92 60e5 160 094a02f 6035 17d 0a09ae5 5f76 19a 0ac7cd1 5ea9 1b9
0b84426 5dcd 1d6 0c3ef15 5ce2 1f1 0cf7bcb 5be9 20d 0dae87f 5ae2 229 0e63374 59cd 245
0f15aea 58aa 260 0fc5d24 577a 27d 1073876 563c 298 111eb36 54f0 2b0 11c73b0 5398 2cb
126d054 5232 2e2 130ff7e 50c0 2fb 13affa2 4f42 316 144cf2f 4db7 32c 14e6ca9 4c21 347
157d690 4a7e 35b 1610b72 48d0 371 16a09e5 4717 388 172d082 4553 39e 17b5df2 4384 3b2
183b0df 41ab 3c7 18bc804 3fc8 3dc 193a226 3dda 3ec 19b3e02 3be4 401 1a29a79 39e4 413
1a9b660 37db 423 1b090a7 35c9 432 1b72832 33b0 445 1bd7c09 318e 453 1c38b2c 2f65 463
1c954b0 2d34 470 1ced7ae 2afc 47c 1d4134c 28be 48a 1d906bd 2679 494 1ddb13a 242f 4a1
1e2120e 21df 4ac 1e6288f 1f89 4b3 1e9f416 1d2f 4bd 1ed7411 1ad0 4c4 1f0a7ed 186e 4ce
1f38f3c 1607 4d4 1f6297e 139d 4da 1f87650 1130 4df 1fa7559 0ec0 4e2 1fc2647 0c4f 4ea
1fd88d9 09db 4ec 1fe9cdd 0765 4ec 1ff621e 04ef 4ef 1ffd886 0278 4f1
"""),
}  # fmt: skip
