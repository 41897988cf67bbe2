// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/catalogue/role.h"

#include <array>
#include <iterator>

namespace dsdoctor::diagnosis {

EnumSet<Need> needs_for(NodeVerdict verdict) {
  using Table = std::array<EnumSet<Need>, std::size(all_verdicts)>;
  static const Table table = [] {
    Table result;
    for (const Role& role : roles()) {
      for (const NeedFor& reading : role.reads) {
        for (const NodeVerdict of : all_verdicts) {
          if (reading.verdicts.contains(of))
            result[static_cast<std::size_t>(of)].insert(reading.what);
        }
      }
    }
    return result;
  }();
  return table[static_cast<std::size_t>(verdict)];
}

}  // namespace dsdoctor::diagnosis
