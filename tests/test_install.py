"""An installed copy is found and used by somebody else's project, and the installed program runs by itself."""

import os
import shutil
import subprocess

import pytest

from conftest import SOURCE

CONSUMER_CMAKE = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(hyobscure 0.1 REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE hyobscure::hyobscure)
"""

CONSUMER = """#include <hyobscure/solve/channel.h>
#include <iostream>
int main() {
  const hyobscure::solve::ChannelProblem problem{{Eigen::MatrixXd{{0.4, 0.1}, {0.1, 0.4}}},
                                                 {Eigen::MatrixXd{{0.0, 1.0}, {1.0, 0.0}}}};
  const auto result = hyobscure::solve::solve_with_budget(problem, 0.2);
  std::cout << result.channels[0].rowwise().sum().transpose() << "\\n";
  return result.info.leakage_nats > 0 && result.info.distance <= 0.2 + 1e-9 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", os.environ["HYOBSCURE_BUILD"], "--prefix", prefix], check=True, capture_output=True)
    return prefix


def test_a_ten_line_project_finds_and_uses_the_library(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CONSUMER_CMAKE)
    (tmp_path / "main.cpp").write_text(CONSUMER)
    for command in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"], ["cmake", "--build", "build"], ["build/consumer"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_program_needs_nothing_of_the_source_tree(prefix, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.copytree(prefix, moved, symlinks=True)
    done = subprocess.run([moved / "bin" / "hyobscure", "synth", "--people", "20", "-o", tmp_path / "d"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    linked = subprocess.run(["ldd", moved / "bin" / "hyobscure"], capture_output=True, text=True).stdout
    assert str(SOURCE) not in linked, linked
