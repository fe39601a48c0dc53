// SPDX-License-Identifier: Apache-2.0
// The whole public interface, without Kokkos.
#pragma once

#include <xp/array.hpp>
#include <xp/creation.hpp>
#include <xp/device.hpp>
#include <xp/dtype.hpp>
#include <xp/elementwise.hpp>
#include <xp/error.hpp>
#include <xp/functions.hpp>
#include <xp/io.hpp>
#include <xp/random.hpp>
#include <xp/reduce.hpp>
#include <xp/shape.hpp>
#include <xp/stats.hpp>
