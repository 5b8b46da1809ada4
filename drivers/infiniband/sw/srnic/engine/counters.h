/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a device. Each CPU has its own, summed when somebody looks.
 */
#ifndef SRNIC_ENGINE_COUNTERS_H
#define SRNIC_ENGINE_COUNTERS_H

#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * X(symbol, name in hw_counters). What each means is told in
 * Documentation/counters.rst.
 */
#define SRNIC_COUNTERS(X)						\
	X(TX_PACKETS,		"tx_packets")				\
	X(TX_BYTES,		"tx_bytes")				\
	X(TX_WIRE_BYTES,	"tx_wire_bytes")			\
	X(TX_MULTICAST,		"tx_multicast")				\
	X(RX_PACKETS,		"rx_packets")				\
	X(RX_BYTES,		"rx_bytes")				\
	X(RX_WIRE_BYTES,	"rx_wire_bytes")			\
	X(TX_DROPPED,		"tx_dropped")				\
	X(TX_QUEUE_FULL,	"tx_queue_full")			\
	X(TX_NO_MEMORY,		"tx_no_memory")				\
	X(TX_NO_ROUTE,		"tx_no_route")				\
	X(RX_MULTICAST,		"rx_multicast")				\
	X(RX_MALFORMED,		"rx_malformed")				\
	X(RX_BAD_ICRC,		"rx_bad_icrc")				\
	X(RX_NO_QP,		"rx_no_qp")				\
	X(RX_BAD_QP_STATE,	"rx_bad_qp_state")			\
	X(RX_BAD_ADDRESS,	"rx_bad_address")			\
	X(RX_BAD_SERVICE,	"rx_bad_service")			\
	X(RX_BAD_PKEY,		"rx_bad_pkey")				\
	X(RX_BAD_QKEY,		"rx_bad_qkey")				\
	X(RX_UD_DROPPED,	"rx_ud_dropped")			\
	X(RX_UC_DROPPED,	"rx_uc_dropped")			\
	X(RX_DUPLICATE,		"rx_duplicate")				\
	X(RX_OUT_OF_SEQUENCE,	"rx_out_of_sequence")			\
	X(RX_GHOST_ACK,		"rx_ghost_ack")				\
	X(RX_QUEUE_FULL,	"rx_response_queue_full")		\
	X(TX_ACK,		"tx_ack")				\
	X(TX_NAK_SEQ,		"tx_nak_seq")				\
	X(TX_NAK_RNR,		"tx_nak_rnr")				\
	X(TX_NAK_ERROR,		"tx_nak_error")				\
	X(RX_NAK_SEQ,		"rx_nak_seq")				\
	X(RX_NAK_RNR,		"rx_nak_rnr")				\
	X(RX_NAK_ERROR,		"rx_nak_error")				\
	X(RETRY_TIMEOUT,	"retry_timeout")			\
	X(RETRY_IMPLIED,	"retry_implied_nak")			\
	X(RETRY_EXCEEDED,	"retry_exceeded")			\
	X(RNR_RETRY_EXCEEDED,	"rnr_retry_exceeded")			\
	X(KICKS,		"kicks")				\
	X(ENGINE_DOORBELLS,	"engine_doorbells")			\
	X(ENGINE_RUNS,		"engine_runs")				\
	X(ENGINE_PARKS,		"engine_parks")				\
	X(SEND_WQES,		"send_wqes")				\
	X(RECV_WQES,		"recv_wqes")				\
	X(CQES,			"cqes")					\
	X(CQ_EVENTS,		"cq_events")				\
	X(CQ_OVERRUNS,		"cq_overruns")				\
	X(BAD_WQE,		"bad_wqe")				\
	X(BAD_INDEX,		"bad_index")				\
	X(COPY_BYTES,		"copy_bytes")

#define SRNIC_COUNTER_SYMBOL(symbol, name) SRNIC_COUNTER_##symbol,
enum srnic_counter {
	SRNIC_COUNTERS(SRNIC_COUNTER_SYMBOL)
	SRNIC_COUNTER_NUM
};

/**
 * struct srnic_counters - one CPU's counters
 * @value: by enum srnic_counter
 */
struct srnic_counters {
	u64 value[SRNIC_COUNTER_NUM];
};

/**
 * struct srnic_qp_counter - counters of some QPs, which count here and not in the
 *			     device's
 * @counters: per CPU
 */
struct srnic_qp_counter {
	struct srnic_counters __percpu *counters;
};

/**
 * enum srnic_port_counter - counters of the port, as performance management has them
 *			     (IBA volume 1, 16.1.3.5 and 16.1.4.5)
 *
 * The first 16 in the order of the bits of PortCounters:CounterSelect, from
 * SRNIC_PORT_XMIT_DATA on in that of PortCountersExtended:CounterSelect.
 */
enum srnic_port_counter {
	SRNIC_PORT_SYMBOL_ERROR,
	SRNIC_PORT_LINK_ERROR_RECOVERY,
	SRNIC_PORT_LINK_DOWNED,
	SRNIC_PORT_RCV_ERRORS,
	SRNIC_PORT_RCV_REMOTE_PHYSICAL_ERRORS,
	SRNIC_PORT_RCV_SWITCH_RELAY_ERRORS,
	SRNIC_PORT_XMIT_DISCARDS,
	SRNIC_PORT_XMIT_CONSTRAINT_ERRORS,
	SRNIC_PORT_RCV_CONSTRAINT_ERRORS,
	SRNIC_PORT_LOCAL_LINK_INTEGRITY_ERRORS,
	SRNIC_PORT_EXCESSIVE_BUFFER_OVERRUNS,
	SRNIC_PORT_VL15_DROPPED,
	SRNIC_PORT_XMIT_DATA,
	SRNIC_PORT_RCV_DATA,
	SRNIC_PORT_XMIT_PACKETS,
	SRNIC_PORT_RCV_PACKETS,
	SRNIC_PORT_UNICAST_XMIT_PACKETS,
	SRNIC_PORT_UNICAST_RCV_PACKETS,
	SRNIC_PORT_MULTICAST_XMIT_PACKETS,
	SRNIC_PORT_MULTICAST_RCV_PACKETS,
	SRNIC_PORT_COUNTER_NUM
};

/**
 * struct srnic_port_base - what performance management has set counters to
 * @lock: guards @value
 * @value: by enum srnic_port_counter: what is taken from what was counted
 */
struct srnic_port_base {
	spinlock_t lock; /* guards value */
	u64 value[SRNIC_PORT_COUNTER_NUM];
};

static inline void srnic_count_add(struct srnic_counters __percpu *counters,
				   enum srnic_counter which, u64 n)
{
	this_cpu_add(counters->value[which], n);
}

static inline void srnic_count(struct srnic_counters __percpu *counters,
			       enum srnic_counter which)
{
	this_cpu_inc(counters->value[which]);
}

#endif /* SRNIC_ENGINE_COUNTERS_H */
