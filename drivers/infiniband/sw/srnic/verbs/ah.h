/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What other files have to know of the deferred end of address handles.
 */
#ifndef SRNIC_VERBS_AH_H
#define SRNIC_VERBS_AH_H

int srnic_ah_init(void);
void srnic_ah_exit(void);
void srnic_ah_flush(void);

#endif /* SRNIC_VERBS_AH_H */
