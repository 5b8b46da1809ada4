// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Performance management: the counters of the port, asked for by sysfs and, as
 * management datagrams, by other hosts (IBA volume 1, chapter 16.1).
 *
 * What is set by management is a number that is taken from what was counted, so
 * nothing that others count is lost.
 */
#include <linux/netdevice.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>

#include "../engine/device.h"
#include "verbs.h"

/* 4.096 us * 2^18: a second. */
#define RESPONSE_TIME	18

/* Where the attribute starts in &struct ib_mad.data: 64 bytes into the datagram. */
#define ATTRIBUTE_OFFSET	40

#define REPLY	(IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY)

/* Data is counted in words of four bytes. */
#define WORD_BYTES	4

/* Bit 0 of PortCountersExtended:CounterSelect. */
#define FIRST_EXTENDED	SRNIC_PORT_XMIT_DATA

static u64 sum(struct srnic_dev *dev, enum srnic_counter which)
{
	return srnic_counter_sum(dev, which);
}

/* Packets that no QP of ours is blamed for. */
static u64 rcv_packets(struct srnic_dev *dev)
{
	return sum(dev, SRNIC_COUNTER_RX_PACKETS) +
	       sum(dev, SRNIC_COUNTER_RX_MALFORMED) +
	       sum(dev, SRNIC_COUNTER_RX_BAD_ICRC) +
	       sum(dev, SRNIC_COUNTER_RX_NO_QP);
}

/* What there is nothing of on Ethernet, or in a NIC that is no switch, stays 0. */
static void count(struct srnic_dev *dev, u64 *value)
{
	u64 xmit = sum(dev, SRNIC_COUNTER_TX_PACKETS);
	u64 xmit_multicast = sum(dev, SRNIC_COUNTER_TX_MULTICAST);
	u64 rcv = rcv_packets(dev);
	u64 rcv_multicast = sum(dev, SRNIC_COUNTER_RX_MULTICAST);

	memset(value, 0, SRNIC_PORT_COUNTER_NUM * sizeof(*value));
	value[SRNIC_PORT_LINK_DOWNED] =
		(u32)atomic_read(&dev->netdev->carrier_down_count);
	value[SRNIC_PORT_RCV_ERRORS] = sum(dev, SRNIC_COUNTER_RX_MALFORMED) +
				       sum(dev, SRNIC_COUNTER_RX_BAD_ICRC);
	value[SRNIC_PORT_XMIT_DISCARDS] = sum(dev, SRNIC_COUNTER_TX_DROPPED) +
					  sum(dev, SRNIC_COUNTER_TX_NO_ROUTE);
	value[SRNIC_PORT_XMIT_DATA] =
		sum(dev, SRNIC_COUNTER_TX_WIRE_BYTES) / WORD_BYTES;
	value[SRNIC_PORT_RCV_DATA] =
		sum(dev, SRNIC_COUNTER_RX_WIRE_BYTES) / WORD_BYTES;
	value[SRNIC_PORT_XMIT_PACKETS] = xmit;
	value[SRNIC_PORT_RCV_PACKETS] = rcv;
	value[SRNIC_PORT_UNICAST_XMIT_PACKETS] = xmit - xmit_multicast;
	value[SRNIC_PORT_UNICAST_RCV_PACKETS] = rcv - rcv_multicast;
	value[SRNIC_PORT_MULTICAST_XMIT_PACKETS] = xmit_multicast;
	value[SRNIC_PORT_MULTICAST_RCV_PACKETS] = rcv_multicast;
}

static void read_counters(struct srnic_dev *dev, u64 *value)
{
	int i;

	count(dev, value);
	spin_lock_bh(&dev->port_base.lock);
	for (i = 0; i < SRNIC_PORT_COUNTER_NUM; i++)
		value[i] -= dev->port_base.value[i];
	spin_unlock_bh(&dev->port_base.lock);
}

/* Those of @select, from @first on, are @value from now on. */
static void write_counters(struct srnic_dev *dev, unsigned long select, int first,
			   const u64 *value)
{
	u64 counted[SRNIC_PORT_COUNTER_NUM];
	int bit;

	count(dev, counted);
	spin_lock_bh(&dev->port_base.lock);
	for_each_set_bit(bit, &select, SRNIC_PORT_COUNTER_NUM - first)
		dev->port_base.value[first + bit] = counted[first + bit] -
						    value[first + bit];
	spin_unlock_bh(&dev->port_base.lock);
}

/* Instead of overflowing they stop at all ones (16.1.3.5). */
static u64 saturated(u64 value, u64 max)
{
	return min(value, max);
}

static void encode(struct ib_pma_portcounters *to, const u64 *value)
{
	to->symbol_error_counter =
		cpu_to_be16(saturated(value[SRNIC_PORT_SYMBOL_ERROR], U16_MAX));
	to->link_error_recovery_counter =
		saturated(value[SRNIC_PORT_LINK_ERROR_RECOVERY], U8_MAX);
	to->link_downed_counter =
		saturated(value[SRNIC_PORT_LINK_DOWNED], U8_MAX);
	to->port_rcv_errors =
		cpu_to_be16(saturated(value[SRNIC_PORT_RCV_ERRORS], U16_MAX));
	to->port_rcv_remphys_errors =
		cpu_to_be16(saturated(value[SRNIC_PORT_RCV_REMOTE_PHYSICAL_ERRORS],
				      U16_MAX));
	to->port_rcv_switch_relay_errors =
		cpu_to_be16(saturated(value[SRNIC_PORT_RCV_SWITCH_RELAY_ERRORS],
				      U16_MAX));
	to->port_xmit_discards =
		cpu_to_be16(saturated(value[SRNIC_PORT_XMIT_DISCARDS], U16_MAX));
	to->port_xmit_constraint_errors =
		saturated(value[SRNIC_PORT_XMIT_CONSTRAINT_ERRORS], U8_MAX);
	to->port_rcv_constraint_errors =
		saturated(value[SRNIC_PORT_RCV_CONSTRAINT_ERRORS], U8_MAX);
	to->link_overrun_errors =
		saturated(value[SRNIC_PORT_LOCAL_LINK_INTEGRITY_ERRORS], 15) << 4 |
		saturated(value[SRNIC_PORT_EXCESSIVE_BUFFER_OVERRUNS], 15);
	to->vl15_dropped =
		cpu_to_be16(saturated(value[SRNIC_PORT_VL15_DROPPED], U16_MAX));
	to->port_xmit_data =
		cpu_to_be32(saturated(value[SRNIC_PORT_XMIT_DATA], U32_MAX));
	to->port_rcv_data =
		cpu_to_be32(saturated(value[SRNIC_PORT_RCV_DATA], U32_MAX));
	to->port_xmit_packets =
		cpu_to_be32(saturated(value[SRNIC_PORT_XMIT_PACKETS], U32_MAX));
	to->port_rcv_packets =
		cpu_to_be32(saturated(value[SRNIC_PORT_RCV_PACKETS], U32_MAX));
}

static void decode(u64 *value, const struct ib_pma_portcounters *from)
{
	value[SRNIC_PORT_SYMBOL_ERROR] = be16_to_cpu(from->symbol_error_counter);
	value[SRNIC_PORT_LINK_ERROR_RECOVERY] = from->link_error_recovery_counter;
	value[SRNIC_PORT_LINK_DOWNED] = from->link_downed_counter;
	value[SRNIC_PORT_RCV_ERRORS] = be16_to_cpu(from->port_rcv_errors);
	value[SRNIC_PORT_RCV_REMOTE_PHYSICAL_ERRORS] =
		be16_to_cpu(from->port_rcv_remphys_errors);
	value[SRNIC_PORT_RCV_SWITCH_RELAY_ERRORS] =
		be16_to_cpu(from->port_rcv_switch_relay_errors);
	value[SRNIC_PORT_XMIT_DISCARDS] = be16_to_cpu(from->port_xmit_discards);
	value[SRNIC_PORT_XMIT_CONSTRAINT_ERRORS] =
		from->port_xmit_constraint_errors;
	value[SRNIC_PORT_RCV_CONSTRAINT_ERRORS] = from->port_rcv_constraint_errors;
	value[SRNIC_PORT_LOCAL_LINK_INTEGRITY_ERRORS] =
		from->link_overrun_errors >> 4;
	value[SRNIC_PORT_EXCESSIVE_BUFFER_OVERRUNS] =
		from->link_overrun_errors & 15;
	value[SRNIC_PORT_VL15_DROPPED] = be16_to_cpu(from->vl15_dropped);
	value[SRNIC_PORT_XMIT_DATA] = be32_to_cpu(from->port_xmit_data);
	value[SRNIC_PORT_RCV_DATA] = be32_to_cpu(from->port_rcv_data);
	value[SRNIC_PORT_XMIT_PACKETS] = be32_to_cpu(from->port_xmit_packets);
	value[SRNIC_PORT_RCV_PACKETS] = be32_to_cpu(from->port_rcv_packets);
}

static void encode_extended(struct ib_pma_portcounters_ext *to, const u64 *value)
{
	to->port_xmit_data = cpu_to_be64(value[SRNIC_PORT_XMIT_DATA]);
	to->port_rcv_data = cpu_to_be64(value[SRNIC_PORT_RCV_DATA]);
	to->port_xmit_packets = cpu_to_be64(value[SRNIC_PORT_XMIT_PACKETS]);
	to->port_rcv_packets = cpu_to_be64(value[SRNIC_PORT_RCV_PACKETS]);
	to->port_unicast_xmit_packets =
		cpu_to_be64(value[SRNIC_PORT_UNICAST_XMIT_PACKETS]);
	to->port_unicast_rcv_packets =
		cpu_to_be64(value[SRNIC_PORT_UNICAST_RCV_PACKETS]);
	to->port_multicast_xmit_packets =
		cpu_to_be64(value[SRNIC_PORT_MULTICAST_XMIT_PACKETS]);
	to->port_multicast_rcv_packets =
		cpu_to_be64(value[SRNIC_PORT_MULTICAST_RCV_PACKETS]);
}

static void decode_extended(u64 *value, const struct ib_pma_portcounters_ext *from)
{
	value[SRNIC_PORT_XMIT_DATA] = be64_to_cpu(from->port_xmit_data);
	value[SRNIC_PORT_RCV_DATA] = be64_to_cpu(from->port_rcv_data);
	value[SRNIC_PORT_XMIT_PACKETS] = be64_to_cpu(from->port_xmit_packets);
	value[SRNIC_PORT_RCV_PACKETS] = be64_to_cpu(from->port_rcv_packets);
	value[SRNIC_PORT_UNICAST_XMIT_PACKETS] =
		be64_to_cpu(from->port_unicast_xmit_packets);
	value[SRNIC_PORT_UNICAST_RCV_PACKETS] =
		be64_to_cpu(from->port_unicast_rcv_packets);
	value[SRNIC_PORT_MULTICAST_XMIT_PACKETS] =
		be64_to_cpu(from->port_multicast_xmit_packets);
	value[SRNIC_PORT_MULTICAST_RCV_PACKETS] =
		be64_to_cpu(from->port_multicast_rcv_packets);
}

/* Each of the following returns the status of the answer, which starts as asked. */

static u16 class_port_info(void *attribute)
{
	struct ib_class_port_info *info = attribute;

	*info = (struct ib_class_port_info){
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH,
	};
	ib_set_cpi_resp_time(info, RESPONSE_TIME);
	return 0;
}

static u16 port_counters(struct srnic_dev *dev, void *attribute, bool set)
{
	struct ib_pma_portcounters *counters = attribute;
	u64 value[SRNIC_PORT_COUNTER_NUM] = {};

	if (counters->port_select != SRNIC_PORT)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	if (set) {
		decode(value, counters);
		write_counters(dev, be16_to_cpu(counters->counter_select), 0,
			       value);
	}
	read_counters(dev, value);
	encode(counters, value);
	counters->port_xmit_wait = 0;
	return 0;
}

static u16 port_counters_extended(struct srnic_dev *dev, void *attribute, bool set)
{
	struct ib_pma_portcounters_ext *counters = attribute;
	u64 value[SRNIC_PORT_COUNTER_NUM] = {};

	if (counters->port_select != SRNIC_PORT)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	if (set) {
		decode_extended(value, counters);
		write_counters(dev, be16_to_cpu(counters->counter_select),
			       FIRST_EXTENDED, value);
	}
	read_counters(dev, value);
	encode_extended(counters, value);
	return 0;
}

static u16 answer(struct srnic_dev *dev, const struct ib_mad_hdr *hdr,
		  void *attribute)
{
	bool set = hdr->method == IB_MGMT_METHOD_SET;

	if (hdr->class_version != 1)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (hdr->method != IB_MGMT_METHOD_GET && !set)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;

	switch (hdr->attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return set ? IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB :
			     class_port_info(attribute);
	case IB_PMA_PORT_COUNTERS:
		return port_counters(dev, attribute, set);
	case IB_PMA_PORT_COUNTERS_EXT:
		return port_counters_extended(dev, attribute, set);
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	}
}

/**
 * srnic_process_mad() - answer a management datagram (ib_device_ops.process_mad)
 * @ibdev: device
 * @mad_flags: not looked at: there are no keys to check
 * @port: port that it is for
 * @in_wc: how it came, or NULL
 * @in_grh: header that it came with, or NULL
 * @in: the datagram
 * @out: the answer, if there is one
 * @out_mad_size: size of the answer, left as it is
 * @out_mad_pkey_index: P_Key of the answer, left as it is
 *
 * Requests for performance management are answered; all else is for others.
 *
 * Context: Any.
 * Return: IB_MAD_RESULT_SUCCESS, with IB_MAD_RESULT_REPLY if there is an answer;
 * IB_MAD_RESULT_FAILURE if there is no such port.
 */
int srnic_process_mad(struct ib_device *ibdev, int mad_flags, u32 port,
		      const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		      const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_mad_size, u16 *out_mad_pkey_index)
{
	struct srnic_dev *dev = to_srnic_dev(ibdev);
	u16 status;

	if (port != SRNIC_PORT)
		return IB_MAD_RESULT_FAILURE;
	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method & IB_MGMT_METHOD_RESP ||
	    in->mad_hdr.method == IB_MGMT_METHOD_TRAP)
		return IB_MAD_RESULT_SUCCESS;

	*out = *in;
	status = answer(dev, &in->mad_hdr, out->data + ATTRIBUTE_OFFSET);
	out->mad_hdr.status = cpu_to_be16(status);
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return REPLY;
}

/**
 * srnic_pma_init() - the counters of the port start at 0
 * @dev: device that is new
 *
 * Context: Process context.
 */
void srnic_pma_init(struct srnic_dev *dev)
{
	spin_lock_init(&dev->port_base.lock);
	count(dev, dev->port_base.value);
}
