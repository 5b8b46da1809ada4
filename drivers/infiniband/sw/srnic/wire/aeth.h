/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * AETH syndromes, end-to-end credits, RNR and transport timers.
 */
#ifndef SRNIC_WIRE_AETH_H
#define SRNIC_WIRE_AETH_H

#include "../env.h"
#include "mtu.h"

/* Syndrome: class in bits 6:5, value in bits 4:0; bit 7 is 0. */
#define SRNIC_AETH_CLASS_MASK	0xe0
#define SRNIC_AETH_VALUE_MASK	0x1f

/**
 * enum srnic_aeth_class - what a syndrome is
 * @SRNIC_AETH_ACK: acknowledge; the value is a credit code
 * @SRNIC_AETH_RNR: receiver not ready; the value is a timer code
 * @SRNIC_AETH_RSVD: reserved, ignore
 * @SRNIC_AETH_NAK: error; see enum srnic_nak
 *
 * Anything else (bit 7 set) is to be ignored as well.
 */
enum srnic_aeth_class {
	SRNIC_AETH_ACK	= 0x00,
	SRNIC_AETH_RNR	= 0x20,
	SRNIC_AETH_RSVD	= 0x40,
	SRNIC_AETH_NAK	= 0x60,
};

/**
 * enum srnic_nak - syndromes of class SRNIC_AETH_NAK
 * @SRNIC_NAK_PSN_SEQ: a packet is missing
 * @SRNIC_NAK_INV_REQ: invalid request
 * @SRNIC_NAK_REM_ACCESS: key or permission
 * @SRNIC_NAK_REM_OP: responder's own trouble
 * @SRNIC_NAK_INV_RD_REQ: of reliable datagrams, or of XRC: a wrong SRQ
 */
enum srnic_nak {
	SRNIC_NAK_PSN_SEQ	= 0x60,
	SRNIC_NAK_INV_REQ	= 0x61,
	SRNIC_NAK_REM_ACCESS	= 0x62,
	SRNIC_NAK_REM_OP	= 0x63,
	SRNIC_NAK_INV_RD_REQ	= 0x64,
};

/* Credit code of a responder that does not count, and what it decodes to. */
#define SRNIC_AETH_CREDIT_UNLIMITED	0x1f
#define SRNIC_CREDITS_UNLIMITED		U32_MAX

/**
 * srnic_aeth_class() - class of a syndrome
 * @syndrome: as received
 *
 * Context: Any.
 * Return: a value of enum srnic_aeth_class, or one with bit 7 set.
 */
static inline u8 srnic_aeth_class(u8 syndrome)
{
	return syndrome & SRNIC_AETH_CLASS_MASK;
}

/**
 * srnic_aeth_value() - credit, timer or NAK code of a syndrome
 * @syndrome: as received
 *
 * Context: Any.
 * Return: 0..31.
 */
static inline u8 srnic_aeth_value(u8 syndrome)
{
	return syndrome & SRNIC_AETH_VALUE_MASK;
}

/**
 * srnic_aeth_rnr() - make an RNR NAK syndrome
 * @timer: RNR timer code; only 5 bits are used
 *
 * Context: Any.
 * Return: the syndrome.
 */
static inline u8 srnic_aeth_rnr(u8 timer)
{
	return SRNIC_AETH_RNR | (timer & SRNIC_AETH_VALUE_MASK);
}

u32 srnic_aeth_credits(u8 code);
u8 srnic_aeth_credit_code(u32 credits);
u64 srnic_rnr_timer_ns(u8 code);

/**
 * srnic_ack_timeout_ns() - transport timer of a timeout exponent
 * @exponent: timeout attribute; only 5 bits are used
 *
 * Context: Any.
 * Return: 4.096 us * 2^@exponent in nanoseconds, or 0: no timer.
 */
static inline u64 srnic_ack_timeout_ns(u8 exponent)
{
	exponent &= 31;
	return exponent ? 4096ULL << exponent : 0;
}

#endif /* SRNIC_WIRE_AETH_H */
