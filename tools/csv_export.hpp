// csv_export.hpp - a flight as a table, one row for each answered frame: for PlotJuggler, pandas and spreadsheets. Pure.
// Always the same columns; what a frame does not have is empty. Numbers read back to the same doubles.
#pragma once

#include <string>

#include "flight.hpp"

/// The first row, with its newline: names, and units in brackets. "time [s]" is the one to plot over.
std::string csv_header();

/// The row of a frame, with its newline; empty when it was not answered.
std::string csv_row(const FlightFrame& frame);
