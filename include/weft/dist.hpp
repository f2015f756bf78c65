// Distributed programs: groups and collectives, over MPI on the CPU and NCCL on GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/dist/error.hpp"   // DistributedError
#include "weft/dist/launch.hpp"  // Launch: what torchrun, srun and mpirun say
#include "weft/dist/group.hpp"   // Group: all_reduce, broadcast, all_gather, ..., split
#include "weft/dist/mpi.hpp"     // on Cpu, with weft::mpi
#include "weft/dist/nccl.hpp"    // on Cuda, with weft::nccl
#include "weft/dist/init.hpp"    // init
#include "weft/dist/ddp.hpp"     // DistributedDataParallel: gradients that are averages over ranks
#include "weft/dist/sampler.hpp" // DistributedSampler: each rank's samples
#include "weft/dist/sharding/sharded.hpp" // sharded: an optimizer whose state is split over the ranks
#include "weft/dist/sharding/unit.hpp"    // Unit: a part of a model whose parameters come when needed
#include "weft/dist/sharding/fully_sharded.hpp"  // FullyShardedDataParallel: ZeRO, stages 2 and 3
#include "weft/dist/sync_batch_norm.hpp"  // SyncBatchNorm: statistics of all ranks' samples
#include "weft/dist/tensor_parallel/linear.hpp"  // ColumnLinear, RowLinear: weights split over the ranks
#include "weft/dist/tensor_parallel/embedding.hpp"  // ParallelEmbedding: rows of a table split
#include "weft/dist/tensor_parallel/attention.hpp"  // ParallelAttention: heads split
#include "weft/dist/threads.hpp"          // for_each_device, map_tasks: the GPUs of one process
#include "weft/dist/data_parallel.hpp"    // DataParallel: a module on all of them
#ifdef __CUDACC__
#include "weft/dist/cuda.hpp"  // the same on Cuda
#endif
// clang-format on
