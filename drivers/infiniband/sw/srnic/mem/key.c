// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The key table.
 */
#include "key.h"

#include <linux/bug.h>
#include <linux/random.h>

static unsigned long index_of(u32 key)
{
	return key >> SRNIC_KEY_VARIANT_BITS;
}

/**
 * srnic_key_table_init() - make an empty table
 * @table: the table
 *
 * Context: Any.
 */
void srnic_key_table_init(struct srnic_key_table *table)
{
	xa_init_flags(&table->entries, XA_FLAGS_ALLOC);
	table->next = get_random_u32() & SRNIC_KEY_MAX_INDEX;
	srnic_release_init(&table->release);
}

/**
 * srnic_key_table_destroy() - end of a table
 * @table: the table, which has to be empty
 *
 * Context: Process context.
 */
void srnic_key_table_destroy(struct srnic_key_table *table)
{
	WARN_ON_ONCE(!xa_empty(&table->entries));
	srnic_release_flush(&table->release);
	xa_destroy(&table->entries);
}

/**
 * srnic_key_insert() - give something a key, by which it can be found from then on
 * @table: the table
 * @keyed: what to insert. The object around it has to be complete.
 *
 * Index 0 is never given out, so that no key is 0.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EBUSY if all indexes are in use, or -ENOMEM.
 */
int srnic_key_insert(struct srnic_key_table *table, struct srnic_keyed *keyed)
{
	const struct xa_limit limit = XA_LIMIT(1, SRNIC_KEY_MAX_INDEX);
	u32 index;
	int err;

	/* Reserves the index: the key has to be known before it is published. */
	err = xa_alloc_cyclic(&table->entries, &index, NULL, limit, &table->next,
			      GFP_KERNEL);
	if (err < 0)
		return err;

	keyed->key = index << SRNIC_KEY_VARIANT_BITS |
		     (get_random_u32() & SRNIC_KEY_VARIANT_MASK);
	err = xa_err(xa_store(&table->entries, index, keyed, GFP_KERNEL));
	if (err)
		xa_erase(&table->entries, index);
	return err;
}

/**
 * srnic_key_remove() - take back a key
 * @table: the table
 * @keyed: what was inserted. It may still be in use until an RCU grace period has
 *	passed.
 *
 * Context: Process context.
 */
void srnic_key_remove(struct srnic_key_table *table, struct srnic_keyed *keyed)
{
	xa_erase(&table->entries, index_of(keyed->key));
}

/**
 * srnic_key_replace() - let a key lead to something else
 * @table: the table
 * @old: what was inserted. It may still be in use until an RCU grace period has
 *	passed.
 * @keyed: what to insert in its place, under the same key. The object around it has
 *	to be complete.
 *
 * Context: Process context.
 */
void srnic_key_replace(struct srnic_key_table *table, struct srnic_keyed *old,
		       struct srnic_keyed *keyed)
{
	keyed->key = old->key;
	/* The entry is there: this needs no memory, so it cannot fail. */
	WARN_ON_ONCE(xa_store(&table->entries, index_of(keyed->key), keyed,
			      GFP_KERNEL) != old);
}

/**
 * srnic_key_find_index() - what has this key, or has had it, or will have it
 * @table: the table
 * @key: index and any variant
 *
 * Context: RCU read section, which has to last as long as the result is in use.
 * Return: what was inserted, or NULL.
 */
struct srnic_keyed *srnic_key_find_index(struct srnic_key_table *table, u32 key)
{
	return xa_load(&table->entries, index_of(key));
}

/**
 * srnic_key_find() - what has this key
 * @table: the table
 * @key: index and variant
 *
 * Context: RCU read section, which has to last as long as the result is in use.
 * Return: what was inserted, or NULL.
 */
struct srnic_keyed *srnic_key_find(struct srnic_key_table *table, u32 key)
{
	struct srnic_keyed *keyed = xa_load(&table->entries, index_of(key));

	return keyed && READ_ONCE(keyed->key) == key ? keyed : NULL;
}
