// SPDX-License-Identifier: Apache-2.0
// Reads special_cases.txt, which describes its notation: conditions on operands and what a function gives then.
#pragma once

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace golden {

struct SpecialCase {
  int line = 0;
  std::string function;
  bool complex = false;
  bool numpy_differs = false;  // and so does xp
  std::vector<std::string> conditions, results;
  std::string text;
};

inline std::vector<SpecialCase> read_special_cases(const std::string& path) {
  std::ifstream file(path);
  std::vector<SpecialCase> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    SpecialCase item;
    item.line = number;
    item.text = line;
    std::istringstream words(line);
    std::string word;
    words >> item.function;
    item.numpy_differs = item.function == "differs:";
    if (item.numpy_differs) words >> item.function;
    words >> word;
    item.complex = word == "complex";
    while (words >> word && word != "=") item.conditions.push_back(word);
    while (words >> word) item.results.push_back(word);
    if (item.conditions.empty() || item.results.empty())
      throw std::runtime_error(path + ":" + std::to_string(number) + ": a row needs conditions and results");
    cases.push_back(item);
  }
  return cases;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// "3pi/4", "-pi", "1", "+inf"
inline double number(std::string text) {
  const std::string whole = text;
  double sign = 1, factor = 1, divisor = 1;
  if (text[0] == '+' || text[0] == '-') {
    sign = text[0] == '-' ? -1 : 1;
    text.erase(0, 1);
  }
  if (text == "inf") return sign * INFINITY;
  const std::size_t pi = text.find("pi");
  if (pi == std::string::npos) {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used != text.size()) throw std::runtime_error("not a number: " + whole);
    return sign * value;
  }
  if (pi > 0) factor = std::stod(text.substr(0, pi));
  if (pi + 2 < text.size()) divisor = std::stod(text.substr(pi + 3));
  return sign * factor * std::numbers::pi / divisor;
}

inline bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

/// Whether a value meets a condition; `first` is the first operand.
inline bool meets(double value, const std::string& condition, double first) {
  for (std::string part : split(condition, '&')) {
    const bool negated = part[0] == '!';
    if (negated) part.erase(0, 1);
    bool met = false;
    if (part == "any")
      met = true;
    else if (part == "nan")
      met = std::isnan(value);
    else if (part == "+nan" || part == "-nan")
      met = std::isnan(value) && std::signbit(value) == (part[0] == '-');
    else if (part == "finite")
      met = std::isfinite(value);
    else if (part == "+-inf")
      met = std::isinf(value);
    else if (part == "int")
      met = std::isfinite(value) && std::trunc(value) == value;
    else if (part == "odd")
      met = std::fabs(std::fmod(value, 2)) == 1;
    else if (part == "0")
      met = value == 0;
    else if (part == "x")
      met = value == first;
    else if (part == "-x")
      met = value == -first;
    else if (part.starts_with("abs>"))
      met = std::fabs(value) > number(part.substr(4));
    else if (part.starts_with("abs<"))
      met = std::fabs(value) < number(part.substr(4));
    else if (part.starts_with("abs"))
      met = std::fabs(value) == number(part.substr(3));
    else if (part[0] == '>')
      met = value > number(part.substr(1));
    else if (part[0] == '<')
      met = value < number(part.substr(1));
    else
      met = same(value, number(part));
    if (met == negated) return false;
  }
  return true;
}

/// Operands of one evaluation: real ones have no second part.
struct Operands {
  double x = 0, x_imag = 0, y = 0, y_imag = 0;
};

/// Whether `got` (a bool as 0 or 1; of a complex result, this part) is what a row says, within a relative error.
inline bool gives(double got, const std::string& results, bool imaginary, const Operands& operands, double error) {
  const auto near = [&](double want) {
    if (std::isnan(want)) return std::isnan(got);
    return same(got, want) || (want != 0 && std::fabs(got - want) <= error * std::fabs(want));
  };
  for (const std::string& result : split(results, '|')) {
    bool right = false;
    if (result == "any")
      right = true;
    else if (result == "nan")
      right = std::isnan(got);
    else if (result == "+nan" || result == "-nan")
      right = std::isnan(got) && std::signbit(got) == (result[0] == '-');
    else if (result == "true" || result == "false")
      right = got == (result == "true" ? 1 : 0);
    else if (result == "positive" || result == "negative")
      right = !std::isnan(got) && std::signbit(got) == (result == "negative");
    else if (result == "x")
      right = near(imaginary ? operands.x_imag : operands.x);
    else if (result == "y")
      right = near(operands.y);
    else if (result == "abs(x)" || result == "abs(re)")
      right = near(std::fabs(operands.x));
    else if (result == "-abs(x)")
      right = near(-std::fabs(operands.x));
    else if (result == "abs(y)")
      right = near(std::fabs(operands.y));
    else if (result == "abs(im)")
      right = near(std::fabs(operands.x_imag));
    else if (result == "inf*cis" || result == "0*cis")
      right =
          near((result[0] == '0' ? 0 : INFINITY) * (imaginary ? std::sin(operands.x_imag) : std::cos(operands.x_imag)));
    else if (result == "inf*cis-1" || result == "0*cis-1")
      right =
          near((result[0] == '0' ? 0 : INFINITY) * (imaginary ? std::sin(operands.x_imag) : std::cos(operands.x_imag)) -
               (imaginary ? 0 : 1));
    else if (result.starts_with("+-"))
      right = near(number(result.substr(2))) || near(-number(result.substr(2)));
    else
      right = near(number(result));
    if (right) return true;
  }
  return false;
}

}  // namespace golden
