// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * crc32_le() of the kernel for the host: eight bytes at a time by table.
 */
#include <srnic_env_user.h>

#define POLY_REFLECTED	0xedb88320U

static u32 table[8][256];

static void __attribute__((constructor)) fill_table(void)
{
	for (u32 i = 0; i < 256; i++) {
		u32 crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLY_REFLECTED : 0);
		table[0][i] = crc;
	}
	for (u32 i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			table[k][i] = table[k - 1][i] >> 8 ^
				      table[0][table[k - 1][i] & 0xff];
}

u32 crc32_le(u32 crc, unsigned char const *p, size_t len)
{
	for (; len >= 8; len -= 8, p += 8) {
		u32 lo = get_unaligned_le32(p) ^ crc;
		u32 hi = get_unaligned_le32(p + 4);

		crc = table[7][lo & 0xff] ^ table[6][lo >> 8 & 0xff] ^
		      table[5][lo >> 16 & 0xff] ^ table[4][lo >> 24] ^
		      table[3][hi & 0xff] ^ table[2][hi >> 8 & 0xff] ^
		      table[1][hi >> 16 & 0xff] ^ table[0][hi >> 24];
	}
	while (len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return crc;
}
