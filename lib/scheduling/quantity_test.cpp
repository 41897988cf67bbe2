#include "scheduling/quantity.h"

#include <catch2/catch.hpp>
#include <limits>

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

// Value() and MilliValue() of apimachinery v0.36, but for those that Go lets wrap around.
TEST_CASE("quantities have the amounts that Kubernetes reads", "[quantity]") {
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
  }));
  CAPTURE(row.text);
  const auto quantity = Quantity::parse(row.text);
  REQUIRE(quantity);
  CHECK(quantity->value() == row.value);
  CHECK(quantity->milli_value() == row.millis);
}

TEST_CASE("what is no quantity is refused", "[quantity]") {
  const char* text =
      GENERATE("", " ", "garbage", "1i", "0.1mi", " 1", "1 ", "1.1.M", "5m5", "1K", "1mi", "1KI",
               "1e", "1e-", "1ee3", "1 Gi", "0x10", "--1", "+-1", "1Gi1", "NaN", "1,5", "1kk");
  CAPTURE(text);
  CHECK_FALSE(Quantity::parse(text));
}

TEST_CASE("sums are exact and end at the largest amount", "[quantity]") {
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

TEST_CASE("for a reader amounts stand in the unit of another one", "[quantity]") {
  CHECK(shown_like("33554428Ki", "30Gi", Rounding::Down) == "31.99Gi");
  CHECK(shown_like("33554428Ki", "30Gi", Rounding::Up) == "32Gi");
  CHECK(shown_like("4Ki", "30Gi", Rounding::Up) == "4Ki");
  CHECK(shown_like("1536Mi", "1Gi", Rounding::Up) == "1.5Gi");
  CHECK(shown_like("3900m", "7", Rounding::Down) == "3.9");
  CHECK(shown_like("250m", "100m", Rounding::Down) == "250m");
  CHECK(shown_like("-212Mi", "1Mi", Rounding::Up) == "-212Mi");
  CHECK(shown_like("0", "1Gi", Rounding::Up) == "0");
}
