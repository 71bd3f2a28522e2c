/*
 * tau_sizes.h: TAU.h's calls for the bytes that a call of MPI moves, one for each kind of call. Each is an event with TAU's name.
 * Programs that wrap MPI themselves call them; the wrapper mpi records the same calls as messages.
 */
#ifndef TAU_SIZES_H
#define TAU_SIZES_H

#define TAU_SIZE(name, bytes) Tau_trigger_userevent(name, (double)(bytes))

#define TAU_BCAST_DATA(bytes) TAU_SIZE("Message size for broadcast", bytes)
#define TAU_REDUCE_DATA(bytes) TAU_SIZE("Message size for reduce", bytes)
#define TAU_ALLTOALL_DATA(bytes) TAU_SIZE("Message size for all-to-all", bytes)
#define TAU_SCATTER_DATA(bytes) TAU_SIZE("Message size for scatter", bytes)
#define TAU_SCATTERV_DATA(bytes) TAU_SIZE("Message size for scatterv", bytes)
#define TAU_GATHER_DATA(bytes) TAU_SIZE("Message size for gather", bytes)
#define TAU_GATHERV_DATA(bytes) TAU_SIZE("Message size for gatherv", bytes)
#define TAU_ALLREDUCE_DATA(bytes) TAU_SIZE("Message size for all-reduce", bytes)
#define TAU_WAIT_DATA(bytes) TAU_SIZE("Message size received in wait", bytes)
#define TAU_ALLGATHER_DATA(bytes) TAU_SIZE("Message size for all-gather", bytes)
#define TAU_REDUCESCATTER_DATA(bytes) TAU_SIZE("Message size for reduce-scatter", bytes)
#define TAU_SCAN_DATA(bytes) TAU_SIZE("Message size for scan", bytes)
#define TAU_IREDUCE_DATA(bytes) TAU_SIZE("Message size for ireduce", bytes)
#define TAU_IBCAST_DATA(bytes) TAU_SIZE("Message size for ibroadcast", bytes)
#define TAU_IGATHER_DATA(bytes) TAU_SIZE("Message size for igather", bytes)
#define TAU_IGATHERV_DATA(bytes) TAU_SIZE("Message size for igatherv", bytes)
#define TAU_ISCATTER_DATA(bytes) TAU_SIZE("Message size for iscatter", bytes)
#define TAU_ISCATTERV_DATA(bytes) TAU_SIZE("Message size for iscatterv", bytes)
#define TAU_IALLGATHER_DATA(bytes) TAU_SIZE("Message size for iall-gather", bytes)
#define TAU_IALLGATHERV_DATA(bytes) TAU_SIZE("Message size for iall-gatherv", bytes)
#define TAU_IALLTOALL_DATA(bytes) TAU_SIZE("Message size for iall-to-all", bytes)
#define TAU_IALLTOALLV_DATA(bytes) TAU_SIZE("Message size for iall-to-allv", bytes)
#define TAU_IALLTOALLW_DATA(bytes) TAU_SIZE("Message size for iall-to-allw", bytes)
#define TAU_IALLREDUCE_DATA(bytes) TAU_SIZE("Message size for iall-reduce", bytes)
#define TAU_IREDUCESCATTER_DATA(bytes) TAU_SIZE("Message size for ireduce-scatter", bytes)
#define TAU_ISCAN_DATA(bytes) TAU_SIZE("Message size for iscan", bytes)
#define TAU_IEXSCAN_DATA(bytes) TAU_SIZE("Message size for iexscan", bytes)
#define TAU_NALLGATHER_DATA(bytes) TAU_SIZE("Message size for neighbor-all-gather", bytes)
#define TAU_NALLGATHERV_DATA(bytes) TAU_SIZE("Message size for neighbor-all-gatherv", bytes)
#define TAU_NALLTOALL_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-all", bytes)
#define TAU_NALLTOALLV_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-allv", bytes)
#define TAU_NALLTOALLW_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-allw", bytes)
#define TAU_INALLGATHER_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-gather", bytes)
#define TAU_INALLGATHERV_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-gatherv", bytes)
#define TAU_INALLTOALL_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-all", bytes)
#define TAU_INALLTOALLV_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-allv", bytes)
#define TAU_INALLTOALLW_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-allw", bytes)
#define TAU_REDUCESCATTER_BLOCK_DATA(bytes) TAU_SIZE("Message size for reduce-scatter-block", bytes)
#define TAU_IREDUCESCATTER_BLOCK_DATA(bytes) TAU_SIZE("Message size for ireduce-scatter-block", bytes)
#define TAU_ISENDRECV_DATA(bytes) TAU_SIZE("Message size for isendrecv", bytes)
#define TAU_ISENDRECV_REP_DATA(bytes) TAU_SIZE("Message size for isendrecv_replace", bytes)
#define TAU_ALLGATHERC_DATA(bytes) TAU_SIZE("Message size for all-gatherc", bytes)
#define TAU_IALLGATHERC_DATA(bytes) TAU_SIZE("Message size for iall-gatherc", bytes)
#define TAU_ALLGATHERVC_DATA(bytes) TAU_SIZE("Message size for all-gathervc", bytes)
#define TAU_IALLGATHERVC_DATA(bytes) TAU_SIZE("Message size for iall-gathervc", bytes)
#define TAU_ALLREDUCEC_DATA(bytes) TAU_SIZE("Message size for all-reducec", bytes)
#define TAU_IALLREDUCEC_DATA(bytes) TAU_SIZE("Message size for iall-reducec", bytes)
#define TAU_ALLTOALLC_DATA(bytes) TAU_SIZE("Message size for all-to-allc", bytes)
#define TAU_IALLTOALLC_DATA(bytes) TAU_SIZE("Message size for iall-to-allc", bytes)
#define TAU_ALLTOALLVC_DATA(bytes) TAU_SIZE("Message size for all-to-allvc", bytes)
#define TAU_IALLTOALLVC_DATA(bytes) TAU_SIZE("Message size for iall-to-allvc", bytes)
#define TAU_ALLTOALLWC_DATA(bytes) TAU_SIZE("Message size for all-to-allwc", bytes)
#define TAU_IALLTOALLWC_DATA(bytes) TAU_SIZE("Message size for iall-to-allwc", bytes)
#define TAU_BCASTC_DATA(bytes) TAU_SIZE("Message size for broadcastc", bytes)
#define TAU_IBCASTC_DATA(bytes) TAU_SIZE("Message size for ibroadcastc", bytes)
#define TAU_GATHERC_DATA(bytes) TAU_SIZE("Message size for gatherc", bytes)
#define TAU_IGATHERC_DATA(bytes) TAU_SIZE("Message size for igatherc", bytes)
#define TAU_GATHERVC_DATA(bytes) TAU_SIZE("Message size for gathervc", bytes)
#define TAU_IGATHERVC_DATA(bytes) TAU_SIZE("Message size for igathervc", bytes)
#define TAU_REDUCEC_DATA(bytes) TAU_SIZE("Message size for reducec", bytes)
#define TAU_IREDUCEC_DATA(bytes) TAU_SIZE("Message size for ireducec", bytes)
#define TAU_REDUCESCATTERC_DATA(bytes) TAU_SIZE("Message size for reduce-scatterc", bytes)
#define TAU_IREDUCESCATTERC_DATA(bytes) TAU_SIZE("Message size for ireduce-scatterc", bytes)
#define TAU_SCANC_DATA(bytes) TAU_SIZE("Message size for scanc", bytes)
#define TAU_ISCANC_DATA(bytes) TAU_SIZE("Message size for iscanc", bytes)
#define TAU_SCATTERC_DATA(bytes) TAU_SIZE("Message size for scatterc", bytes)
#define TAU_ISCATTERC_DATA(bytes) TAU_SIZE("Message size for iscatterc", bytes)
#define TAU_SCATTERVC_DATA(bytes) TAU_SIZE("Message size for scattervc", bytes)
#define TAU_ISCATTERVC_DATA(bytes) TAU_SIZE("Message size for iscattervc", bytes)
#define TAU_SENDC_DATA(bytes) TAU_SIZE("Message size for sendc", bytes)
#define TAU_ISENDC_DATA(bytes) TAU_SIZE("Message size for isendc", bytes)
#define TAU_RECVC_DATA(bytes) TAU_SIZE("Message size for recvc", bytes)
#define TAU_IRECVC_DATA(bytes) TAU_SIZE("Message size for irecvc", bytes)
#define TAU_SENDRECVC_DATA(bytes) TAU_SIZE("Message size for sendrecvc", bytes)
#define TAU_ISENDRECVC_DATA(bytes) TAU_SIZE("Message size for isendrecvc", bytes)
#define TAU_SSENDC_DATA(bytes) TAU_SIZE("Message size for ssendc", bytes)
#define TAU_ISSENDC_DATA(bytes) TAU_SIZE("Message size for issendc", bytes)
#define TAU_REDUCESCATTER_BLOCKC_DATA(bytes) TAU_SIZE("Message size for reduce-scatter-blockc", bytes)
#define TAU_IREDUCESCATTER_BLOCKC_DATA(bytes) TAU_SIZE("Message size for ireduce-scatter-blockc", bytes)
#define TAU_NALLGATHERC_DATA(bytes) TAU_SIZE("Message size for neighbor-all-gatherc", bytes)
#define TAU_INALLGATHERC_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-gatherc", bytes)
#define TAU_NALLGATHERVC_DATA(bytes) TAU_SIZE("Message size for neighbor-all-gathervc", bytes)
#define TAU_INALLGATHERVC_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-gathervc", bytes)
#define TAU_NALLTOALLC_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-allc", bytes)
#define TAU_INALLTOALLC_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-allc", bytes)
#define TAU_NALLTOALLVC_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-allvc", bytes)
#define TAU_INALLTOALLVC_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-allvc", bytes)
#define TAU_NALLTOALLWC_DATA(bytes) TAU_SIZE("Message size for neighbor-all-to-allwc", bytes)
#define TAU_INALLTOALLWC_DATA(bytes) TAU_SIZE("Message size for ineighbor-all-to-allwc", bytes)

/* The same calls by the names of functions. */
#define Tau_bcast_data TAU_BCAST_DATA
#define Tau_reduce_data TAU_REDUCE_DATA
#define Tau_alltoall_data TAU_ALLTOALL_DATA
#define Tau_scatter_data TAU_SCATTER_DATA
#define Tau_scatterv_data TAU_SCATTERV_DATA
#define Tau_gather_data TAU_GATHER_DATA
#define Tau_gatherv_data TAU_GATHERV_DATA
#define Tau_allreduce_data TAU_ALLREDUCE_DATA
#define Tau_wait_data TAU_WAIT_DATA
#define Tau_allgather_data TAU_ALLGATHER_DATA
#define Tau_reducescatter_data TAU_REDUCESCATTER_DATA
#define Tau_scan_data TAU_SCAN_DATA
#define Tau_ireduce_data TAU_IREDUCE_DATA
#define Tau_ibcast_data TAU_IBCAST_DATA
#define Tau_igather_data TAU_IGATHER_DATA
#define Tau_igatherv_data TAU_IGATHERV_DATA
#define Tau_iscatter_data TAU_ISCATTER_DATA
#define Tau_iscatterv_data TAU_ISCATTERV_DATA
#define Tau_iallgather_data TAU_IALLGATHER_DATA
#define Tau_iallgatherv_data TAU_IALLGATHERV_DATA
#define Tau_ialltoall_data TAU_IALLTOALL_DATA
#define Tau_ialltoallv_data TAU_IALLTOALLV_DATA
#define Tau_ialltoallw_data TAU_IALLTOALLW_DATA
#define Tau_iallreduce_data TAU_IALLREDUCE_DATA
#define Tau_ireducescatter_data TAU_IREDUCESCATTER_DATA
#define Tau_iscan_data TAU_ISCAN_DATA
#define Tau_iexscan_data TAU_IEXSCAN_DATA
#define Tau_nallgather_data TAU_NALLGATHER_DATA
#define Tau_nallgatherv_data TAU_NALLGATHERV_DATA
#define Tau_nalltoall_data TAU_NALLTOALL_DATA
#define Tau_nalltoallv_data TAU_NALLTOALLV_DATA
#define Tau_nalltoallw_data TAU_NALLTOALLW_DATA
#define Tau_inallgather_data TAU_INALLGATHER_DATA
#define Tau_inallgatherv_data TAU_INALLGATHERV_DATA
#define Tau_inalltoall_data TAU_INALLTOALL_DATA
#define Tau_inalltoallv_data TAU_INALLTOALLV_DATA
#define Tau_inalltoallw_data TAU_INALLTOALLW_DATA
#define Tau_reducescatterblock_data TAU_REDUCESCATTER_BLOCK_DATA
#define Tau_ireducescatterblock_data TAU_IREDUCESCATTER_BLOCK_DATA
#define Tau_isendrecv_data TAU_ISENDRECV_DATA
#define Tau_isendrecv_rep_data TAU_ISENDRECV_REP_DATA
#define Tau_allgatherc_data TAU_ALLGATHERC_DATA
#define Tau_iallgatherc_data TAU_IALLGATHERC_DATA
#define Tau_allgathervc_data TAU_ALLGATHERVC_DATA
#define Tau_iallgathervc_data TAU_IALLGATHERVC_DATA
#define Tau_allreducec_data TAU_ALLREDUCEC_DATA
#define Tau_iallreducec_data TAU_IALLREDUCEC_DATA
#define Tau_alltoallc_data TAU_ALLTOALLC_DATA
#define Tau_ialltoallc_data TAU_IALLTOALLC_DATA
#define Tau_alltoallvc_data TAU_ALLTOALLVC_DATA
#define Tau_ialltoallvc_data TAU_IALLTOALLVC_DATA
#define Tau_alltoallwc_data TAU_ALLTOALLWC_DATA
#define Tau_ialltoallwc_data TAU_IALLTOALLWC_DATA
#define Tau_bcastc_data TAU_BCASTC_DATA
#define Tau_ibcastc_data TAU_IBCASTC_DATA
#define Tau_gatherc_data TAU_GATHERC_DATA
#define Tau_igatherc_data TAU_IGATHERC_DATA
#define Tau_gathervc_data TAU_GATHERVC_DATA
#define Tau_igathervc_data TAU_IGATHERVC_DATA
#define Tau_reducec_data TAU_REDUCEC_DATA
#define Tau_ireducec_data TAU_IREDUCEC_DATA
#define Tau_reducescatterc_data TAU_REDUCESCATTERC_DATA
#define Tau_ireducescatterc_data TAU_IREDUCESCATTERC_DATA
#define Tau_scanc_data TAU_SCANC_DATA
#define Tau_iscanc_data TAU_ISCANC_DATA
#define Tau_scatterc_data TAU_SCATTERC_DATA
#define Tau_iscatterc_data TAU_ISCATTERC_DATA
#define Tau_scattervc_data TAU_SCATTERVC_DATA
#define Tau_iscattervc_data TAU_ISCATTERVC_DATA
#define Tau_sendc_data TAU_SENDC_DATA
#define Tau_isendc_data TAU_ISENDC_DATA
#define Tau_recvc_data TAU_RECVC_DATA
#define Tau_irecvc_data TAU_IRECVC_DATA
#define Tau_sendrecvc_data TAU_SENDRECVC_DATA
#define Tau_isendrecvc_data TAU_ISENDRECVC_DATA
#define Tau_ssendc_data TAU_SSENDC_DATA
#define Tau_issendc_data TAU_ISSENDC_DATA
#define Tau_reducescatterblockc_data TAU_REDUCESCATTER_BLOCKC_DATA
#define Tau_ireducescatterblockc_data TAU_IREDUCESCATTER_BLOCKC_DATA
#define Tau_nallgatherc_data TAU_NALLGATHERC_DATA
#define Tau_inallgatherc_data TAU_INALLGATHERC_DATA
#define Tau_nallgathervc_data TAU_NALLGATHERVC_DATA
#define Tau_inallgathervc_data TAU_INALLGATHERVC_DATA
#define Tau_nalltoallc_data TAU_NALLTOALLC_DATA
#define Tau_inalltoallc_data TAU_INALLTOALLC_DATA
#define Tau_nalltoallvc_data TAU_NALLTOALLVC_DATA
#define Tau_inalltoallvc_data TAU_INALLTOALLVC_DATA
#define Tau_nalltoallwc_data TAU_NALLTOALLWC_DATA
#define Tau_inalltoallwc_data TAU_INALLTOALLWC_DATA

#endif
