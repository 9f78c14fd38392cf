// number_text.hpp - numbers and foreign text for files: always with a decimal point, whatever the process's locale is,
// and never as markup.
#pragma once

#include <string>
#include <string_view>

/// With so many decimals; without a minus in front of a zero. Of numbers too large for that, the shortest form.
std::string fixed_text(double value, int decimals);

/// With so many significant digits, as %g does.
std::string short_text(double value, int digits = 6);

/// The shortest form that reads back to the same double.
std::string exact_text(double value);

/// For the text and the attributes of HTML and SVG: no character of it is markup, none is forbidden in XML, and what is
/// not UTF-8 is replaced.
std::string escape_html(std::string_view text);
