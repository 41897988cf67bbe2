// SPDX-License-Identifier: Apache-2.0
#include "scheduling/quantity.h"

#include <catch2/catch.hpp>
#include <limits>

using dsdoctor::scheduling::Int128;
using dsdoctor::scheduling::Quantity;
using dsdoctor::scheduling::Rounding;
using dsdoctor::scheduling::to_string_like;

namespace {

constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

struct Row {
  const char* text;
  std::int64_t value;
  std::int64_t millis;
};

std::string shown(const char* text) { return to_string(Quantity::parse(text).value()); }

std::string shown_like(const char* text, const char* like, Rounding rounding) {
  return to_string_like(*Quantity::parse(text), *Quantity::parse(like), rounding);
}

}  // namespace

// Value() and MilliValue() of apimachinery v0.36, except where Go's value wraps around.
TEST_CASE("quantities are parsed as in Kubernetes", "[quantity]") {
  const Row row = GENERATE(values<Row>({
      {"100m", 1, 100},
      {"0.1", 1, 100},
      {"1500m", 2, 1500},
      {"1e-3", 1, 1},
      {"0.5e-1", 1, 50},
      {"3.001n", 1, 1},
      {"1E", 1'000'000'000'000'000'000, top},
      {"1.5Gi", 1'610'612'736, 1'610'612'736'000},
      {"0.1Mi", 104'858, 104'857'600},
      {"100.035Ki", 102'436, 102'435'840},
      {"129e6", 129'000'000, 129'000'000'000},
      {"129M", 129'000'000, 129'000'000'000},
      {"123Mi", 128'974'848, 128'974'848'000},
      {"9Ei", top, top},
      {"1e3", 1000, 1'000'000},
      {"1E3", 1000, 1'000'000},
      {"1e+3", 1000, 1'000'000},
      {"0.1k", 100, 100'000},
      {"-1", -1, -1000},
      {"-1500m", -2, -1500},
      {"+7", 7, 7000},
      {".5", 1, 500},
      {"1.", 1, 1000},
      {"1.G", 1'000'000'000, 1'000'000'000'000},
      {"0", 0, 0},
      {"00", 0, 0},
      {"0Ki", 0, 0},
      {"007", 7, 7000},
      {"1n", 1, 1},
      {"1u", 1, 1},
      {"0.0000000001", 1, 1},
      {"1Ti", 1'099'511'627'776, 1'099'511'627'776'000},
      {"1Pi", 1'125'899'906'842'624, 1'125'899'906'842'624'000},
      {"7Ei", 8'070'450'532'247'928'832, top},
      {"1k", 1000, 1'000'000},
      {"1T", 1'000'000'000'000, 1'000'000'000'000'000},
      {"1P", 1'000'000'000'000'000, 1'000'000'000'000'000'000},
      {"1e99", top, top},
      {"1e99999999999999999999", top, top},
      {"1e-99999999999999999999", 1, 1},
      {"-1e99", -top, -top},
      {"0e99", 0, 0},
      {"0.000000000000000000000000000000000000000000000000001", 1, 1},
      {"123456789012345678901234567890123456789012345678901234567890", top, top},
      {"123456789012345678901234567890123456789012345678901234567890Ki", top, top},
      {"0.0000000000000000000000000000000000000000001Ei", 1, 1},
      {"1.000000000000000000000000000000000000000000000000000000000Ki", 1024, 1'024'000},
      {"1.00000000000000000000000000000000000000000000000000001", 2, 1001},
      {"1.000000000000000000001Ei", 1'152'921'504'606'846'977, top},
  }));
  CAPTURE(row.text);
  const auto quantity = Quantity::parse(row.text);
  REQUIRE(quantity);
  CHECK(quantity->value() == row.value);
  CHECK(quantity->milli_value() == row.millis);
}

TEST_CASE("a text that is not a quantity is rejected", "[quantity]") {
  const char* text =
      GENERATE("", " ", "garbage", "1i", "0.1mi", " 1", "1 ", "1.1.M", "5m5", "1K", "1mi", "1KI",
               "1e", "1e-", "1ee3", "1 Gi", "0x10", "--1", "+-1", "1Gi1", "NaN", "1,5", "1kk");
  CAPTURE(text);
  CHECK_FALSE(Quantity::parse(text));
}

TEST_CASE("the parser does not read past the end of a string_view", "[quantity]") {
  const std::string_view text = "1500Mi";
  CHECK(Quantity::parse(text.substr(0, 2)).value().value() == 15);
  CHECK(Quantity::parse(text.substr(2)).value().value() == 0);
}

TEST_CASE("amounts are exact to a billionth within 128 bits", "[quantity]") {
  const auto [text, same] = GENERATE(table<const char*, const char*>({
      {"1.47573952589676412927Ei", "1701411834604692317.305343823"},
      {"0.00000000000166153499473114484112975882535043071Ki", "2n"},  // 1.7n
      {"150000000000000000000000000000000000000e-47", "2n"},          // 1.5n
      {"20000000000000000000000000000000000000.5n", "20000000000000000000000000000000000001n"},
  }));
  CAPTURE(text);
  CHECK(Quantity::parse(text).value() == Quantity::parse(same).value());
}

TEST_CASE("amounts beyond 128 bits of billionths are clamped to the largest amount", "[quantity]") {
  constexpr auto largest = ((Int128{1} << 126) - 1) * 2 + 1;
  Quantity sum = Quantity::parse("99999999999999999999999999999999999999n").value();
  sum += *Quantity::parse("1n");
  CHECK(sum == Quantity::parse("100000000000000000000000000000"));
  CHECK((Quantity::parse("1e60").value().nanos() == largest));
  CHECK((Quantity::parse("-1e60").value().nanos() == -largest));
  CHECK(*Quantity::parse("170141183460469231731687303715884105729n") > sum);  // 2n too large
}

TEST_CASE("the format of a quantity follows from its suffix", "[quantity]") {
  using enum Quantity::Format;
  const auto [text, format] = GENERATE(table<const char*, Quantity::Format>({
      {"1Ki", Binary},
      {"0Ki", Binary},
      {"0.0009765625Ki", Binary},  // 1
      {"0.0009Ki", Decimal},       // below 1
      {"-0.0009Ki", Decimal},
      {"1k", Decimal},
      {"1e3", Exponent},
  }));
  CAPTURE(text);
  CHECK(Quantity::parse(text).value().format() == format);
}

TEST_CASE("a sum has the format of its first non-zero amount", "[quantity]") {
  const auto sum = [](const char* a, const char* b) {
    Quantity result = *Quantity::parse(a);
    return to_string(result += *Quantity::parse(b));
  };
  CHECK(sum("1Ki", "1024") == "2Ki");
  CHECK(sum("1024", "1Ki") == "2048");
  CHECK(sum("0", "1Ki") == "1Ki");
}

TEST_CASE("sums are exact and clamped to the largest amount", "[quantity]") {
  Quantity sum;
  for (int i = 0; i < 10; ++i) sum += *Quantity::parse("100m");
  CHECK(sum.value() == 1);
  CHECK(sum.milli_value() == 1000);
  for (int i = 0; i < 200; ++i) sum += *Quantity::parse("1e60");
  CHECK(sum.value() == top);
  CHECK(Quantity::parse("1.5Gi") == Quantity::parse("1536Mi"));
  CHECK(*Quantity::parse("1G") < *Quantity::parse("1Gi"));
}

TEST_CASE("a quantity is printed in its largest exact unit", "[quantity]") {
  CHECK(shown("1536Mi") == "1536Mi");
  CHECK(shown("2048Mi") == "2Gi");
  CHECK(shown("0.5") == "500m");
  CHECK(shown("7") == "7");
  CHECK(shown("1000m") == "1");
  CHECK(shown("1e3") == "1k");
  CHECK(shown("-250m") == "-250m");
  CHECK(shown("0.5Ki") == "512");
  CHECK(shown("0Gi") == "0");
}

TEST_CASE("to_string_like uses the unit of the other quantity", "[quantity]") {
  CHECK(shown_like("33554428Ki", "30Gi", Rounding::Down) == "31.99Gi");
  CHECK(shown_like("33554428Ki", "30Gi", Rounding::Up) == "32Gi");
  CHECK(shown_like("4Ki", "30Gi", Rounding::Up) == "4Ki");
  CHECK(shown_like("1536Mi", "1Gi", Rounding::Up) == "1.5Gi");
  CHECK(shown_like("3900m", "7", Rounding::Down) == "3.9");
  CHECK(shown_like("250m", "100m", Rounding::Down) == "250m");
  CHECK(shown_like("-212Mi", "1Mi", Rounding::Up) == "-212Mi");
  CHECK(shown_like("0", "1Gi", Rounding::Up) == "0");
  CHECK(shown_like("10m", "1", Rounding::Up) == "0.01");  // minimum with two decimals
  CHECK(shown_like("4097", "30Gi", Rounding::Up) == "4.01Ki");
  CHECK(shown_like("4097", "30Gi", Rounding::Down) == "4Ki");
  CHECK(shown_like("1Gi", "0Gi", Rounding::Up) == "1Gi");
  CHECK(shown_like("2Gi", "0.5Ki", Rounding::Up) == "2Gi");  // 512 is below the smallest unit
}
