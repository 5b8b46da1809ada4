/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The engine of a device: a thread that polls doorbells while that pays, and
 * that goes on with what others had to leave after their share.
 */
#ifndef SRNIC_ENGINE_ENGINE_H
#define SRNIC_ENGINE_ENGINE_H

#include <linux/types.h>

struct srnic_dev;
struct srnic_doorbell_page;
struct srnic_engine;
struct srnic_qp;

void srnic_engine_init(void);
void srnic_engine_exit(void);
struct srnic_engine *srnic_engine_create(struct srnic_dev *dev);
void srnic_engine_destroy(struct srnic_engine *engine);
void srnic_engine_add_page(struct srnic_engine *engine,
			   struct srnic_doorbell_page *page);
void srnic_engine_remove_page(struct srnic_engine *engine,
			      struct srnic_doorbell_page *page);
void srnic_engine_kicked(struct srnic_engine *engine);
void srnic_engine_init_qp(struct srnic_qp *qp);
void srnic_engine_stop_qp(struct srnic_qp *qp);
void srnic_engine_leave(struct srnic_qp *qp);
void srnic_engine_post(struct srnic_qp *qp);
void srnic_engine_later(struct srnic_qp *qp);
void srnic_engine_pause(struct srnic_qp *qp);
void srnic_engine_went_on(struct srnic_qp *qp);
bool srnic_engine_left(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_ENGINE_H */
