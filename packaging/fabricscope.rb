# SPDX-License-Identifier: GPL-2.0-or-later
# UNTESTED: nobody has built it on macOS so far, and places are known that do not compile there (docs/packages.md).
class Fabricscope < Formula
  desc "Tells from captures what RDMA fabrics did"
  homepage "https://fabricscope.example.org"
  url "https://fabricscope.example.org/fabricscope-0.1.0.tar.gz"
  license "GPL-2.0-or-later"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "tomlplusplus" => :build
  depends_on "cairo"
  depends_on "fmt"
  depends_on "glib"
  depends_on "libarchive"
  depends_on "libpcap"
  depends_on "sqlite"
  depends_on "wireshark"

  def install
    # Live targets of replay and libfabricscope-vipl need Linux' sockets; FABRICSCOPE_LINUX is off by itself here.
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBUILD_TESTING=OFF",
           "-DFABRICSCOPE_PLUGIN_DIR=#{lib}/wireshark/plugins/epan",
           "-DFABRICSCOPE_PROFILE_DIR=#{pkgshare}/profiles", *std_cmake_args
    system "cmake", "--build", "build", "--target", "fabricscope", "plugins"
    system "cmake", "--install", "build", "--component", "program"
    system "cmake", "--install", "build", "--component", "plugin"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/fabricscope --version")
  end
end
