// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc_ae_rdma/registry.h"

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/process_login.h"
#include "protocols/fc_ae_rdma/response.h"

namespace fabricscope::fc_ae_rdma {

namespace {

constexpr auto all_layouts = layout::infos_of<CommandParameter, Command, Response, ServicePage>();

}  // namespace

std::span<const layout::LayoutInfo> layouts() { return all_layouts; }

}  // namespace fabricscope::fc_ae_rdma
