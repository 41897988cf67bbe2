// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/controller/gate_setting.h"

#include "diagnosis/catalogue/findings/daemonset.h"

namespace dsdoctor::diagnosis {

Message gate_by_default() {
  return phrase::GateHasItsDefault{.release = to_string(model::newest_known_release)};
}

}  // namespace dsdoctor::diagnosis
