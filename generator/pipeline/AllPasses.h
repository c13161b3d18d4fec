// Declarations of the passes of all folders of transforms.
#pragma once

#include "transforms/attention/Passes.h"
#include "transforms/bufferize/Passes.h"
#include "transforms/decompose/Passes.h"
#include "transforms/fusion/Passes.h"
#include "transforms/gpu/Passes.h"
#include "transforms/idioms/Passes.h"
#include "transforms/layout/Passes.h"
#include "transforms/lower/Passes.h"
#include "transforms/macrokernel/Passes.h"
#include "transforms/memory/Passes.h"
#include "transforms/parallel/Passes.h"
#include "transforms/raise/Passes.h"
#include "transforms/schedule/Passes.h"
#include "transforms/tiling/Passes.h"
#include "transforms/vectorize/Passes.h"
#include "transforms/window/Passes.h"
