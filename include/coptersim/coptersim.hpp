// coptersim.hpp - all of the library: finds RflySim's CopterSims and sets them up. Begin with client.hpp.
#pragma once

#include "coptersim/address.hpp"
#include "coptersim/client.hpp"
#include "coptersim/error.hpp"
#include "coptersim/interfaces.hpp"
#include "coptersim/messages.hpp"
#include "coptersim/registry.hpp"
#include "coptersim/requests.hpp"
#include "coptersim/route.hpp"
