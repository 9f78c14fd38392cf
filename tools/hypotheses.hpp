// hypotheses.hpp - the mistakes that authors of backends make with conventions: for each, how to correct a state that
// has it, and what to tell its author. The doctor believes the one whose correction makes the state's parts agree.
#pragma once

#include <cstddef>

#include "sample.hpp"

struct Hypothesis {
    const char* id;
    void (*correct)(Sample& sample);
    const char* title;
    const char* means;
    const char* pilot;
    const char* change;
};

/// Simpler and more frequent ones first: of two that explain the same, the first is told.
extern const Hypothesis hypotheses[];
extern const std::size_t hypothesis_count;
