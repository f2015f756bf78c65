// Several processes: groups and collectives, on the CPU by MPI and on GPUs by NCCL.
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
// clang-format on
