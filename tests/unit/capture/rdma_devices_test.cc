// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rdma_devices.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace fabricscope::capture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A folder as the kernel shows devices, until the test ends.
class RdmaDevices : public ::testing::Test {
protected:
    RdmaDevices() {
        std::string path = fs::temp_directory_path() / "sysfs.XXXXXX";
        folder_ = ::mkdtemp(path.data());
    }
    ~RdmaDevices() override { fs::remove_all(folder_); }

    void put(const std::string& path, const std::string& word) const {
        fs::create_directories((folder_ / path).parent_path());
        std::ofstream(folder_ / path) << word << '\n';
    }
    void put_adapter() const {
        put("mlx5_0/ports/1/gid_attrs/ndevs/0", "eth0");
        put("mlx5_0/ports/1/gid_attrs/ndevs/1", "eth0.7");
        put("mlx5_0/ports/1/gid_attrs/ndevs/2", "");  // an unused entry
        put("mlx5_0/device/net/eth0/operstate", "up");
    }

    fs::path folder_;
};

TEST_F(RdmaDevices, HaveTheInterfacesOfTheirPorts) {
    put_adapter();
    put("rxe0/parent", "eth1");
    put("rxe0/ports/1/gid_attrs/ndevs/0", "eth1");
    const std::vector<RdmaDevice> devices = rdma_devices(folder_);
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[0].name, "mlx5_0");
    EXPECT_THAT(devices[0].interfaces, ElementsAre("eth0", "eth0.7"));
    EXPECT_FALSE(devices[0].in_software);
    EXPECT_EQ(devices[1].name, "rxe0");
    EXPECT_THAT(devices[1].interfaces, ElementsAre("eth1"));
    EXPECT_TRUE(devices[1].in_software);
}

TEST_F(RdmaDevices, AreNoneWithoutTheFolder) { EXPECT_THAT(rdma_devices(folder_ / "nothing"), IsEmpty()); }

TEST_F(RdmaDevices, StandBehindAnInterfaceUnlessTheyAreSoftware) {
    put_adapter();
    put("rxe0/parent", "eth1");
    const std::vector<RdmaDevice> devices = rdma_devices(folder_);
    EXPECT_THAT(adapters_behind("eth0", devices), ElementsAre("mlx5_0"));
    EXPECT_THAT(adapters_behind("eth1", devices), IsEmpty());
}

TEST_F(RdmaDevices, AreNamedAmongTheInterfaces) {
    put_adapter();
    put("rxe0/parent", "eth1");
    const std::vector<InterfaceInfo> all = with_rdma_devices(
        {{"eth0", ""}, {"eth1", "the other"}}, rdma_devices(folder_));
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].description, "does not see the RoCE of RDMA device mlx5_0");
    EXPECT_EQ(all[1].description, "the other");
    EXPECT_EQ(all[2].name, "mlx5_0");
    EXPECT_EQ(all[2].description, "RDMA device of eth0, eth0.7; no capture on it: this libpcap has no RDMA sniffer");
    EXPECT_EQ(all[3].name, "rxe0");
    EXPECT_EQ(all[3].description, "RDMA device in software over eth1; its packets are seen on eth1");
}

TEST_F(RdmaDevices, AreForCaptureWhereLibpcapListsThem) {
    put_adapter();
    const std::vector<InterfaceInfo> all = with_rdma_devices(
        {{"eth0", ""}, {"mlx5_0", "RDMA sniffer"}}, rdma_devices(folder_));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].description, "RDMA device of eth0, eth0.7; what its adapter sends and receives is seen here");
}

TEST_F(RdmaDevices, TheKernelSaysWhyAnInterfaceIsSilent) {
    put("eth0/operstate", "up");
    put("eth1/operstate", "lowerlayerdown");
    put("eth2/operstate", "dormant");
    EXPECT_EQ(why_silent("eth0", folder_), "");
    EXPECT_EQ(why_silent("eth1", folder_), "its link is down");
    EXPECT_EQ(why_silent("eth2", folder_), "it waits for its peer (802.1X, LACP)");
    EXPECT_EQ(why_silent("any", folder_), "");
}

}  // namespace
}  // namespace fabricscope::capture
