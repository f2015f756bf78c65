// Optimizers, gradient clipping and learning-rate schedules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd.hpp"
#include "weft/optim/adam.hpp"          // Adam, AdamW, AMSGrad, AMSGradW
#include "weft/optim/adam_family.hpp"   // Adamax, NAdam, RAdam
#include "weft/optim/adaptive.hpp"      // RMSprop, Adagrad, Adadelta
#include "weft/optim/asgd.hpp"          // ASGD
#include "weft/optim/clip.hpp"          // clip_grad_norm, clip_grad_value
#include "weft/optim/formulas.hpp"      // MultiStepLR, ExponentialLR, CyclicLR, SequentialLR, ...
#include "weft/optim/grad_scaler.hpp"   // GradScaler
#include "weft/optim/graphed_step.hpp"  // GraphedStep: a step as one CUDA graph
#include "weft/optim/group.hpp"         // Group: parameters with options of their own
#include "weft/optim/lbfgs.hpp"         // LBFGS
#include "weft/optim/optimizer.hpp"     // Optimizer: step, zero_grad, set_lr, add_group, state_dict
#include "weft/optim/optimizer_like.hpp"  // OptimizerLike: the concept
#include "weft/optim/rprop.hpp"           // Rprop
#include "weft/optim/schedule.hpp"        // Schedule, StepLR, CosineAnnealingLR, OneCycleLR, WarmUp
#include "weft/optim/sgd.hpp"             // SGD

#if defined(WEFT_LIB) && !defined(WEFT_LIB_BUILD_NN)  // by the target weft::lib
#include "weft/optim/lib.hpp"
#endif
