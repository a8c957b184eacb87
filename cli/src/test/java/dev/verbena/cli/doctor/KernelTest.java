// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.cli.Bytes;
import dev.verbena.memory.DaxDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelTest {
  @TempDir private Path root;
  private Kernel kernel;

  @BeforeEach
  void mount() {
    kernel = new Kernel(root);
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void softLimitsAreFoundByTheirNames() throws IOException {
    write(
        "proc/self/limits",
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1024                 524288               files
        Max locked memory         8388608              8388608              bytes
        Max address space         unlimited            unlimited            bytes
        """);
    assertThat(kernel.limit("Max open files")).hasValue(1024);
    assertThat(kernel.limit("Max locked memory")).hasValue(8 << 20);
    assertThat(kernel.limit("Max address space")).hasValue(Kernel.UNLIMITED);
    assertThat(kernel.limit("Max wishes")).isEmpty();
  }

  @Test
  void fileSystemsMountedWithDaxAreFound() throws IOException {
    write(
        "proc/mounts",
        """
        /dev/pmem0 /pmem ext4 rw,relatime,dax=always 0 0
        /dev/pmem1 /old xfs rw,dax 0 0
        /dev/pmem2 /not ext4 rw,dax=never 0 0
        tmpfs /dev/shm tmpfs rw 0 0
        """);
    assertThat(kernel.daxMounts()).containsExactly("/pmem", "/old");
  }

  @Test
  void aLimitBelowWhatACardNeedsComesWithARemedy() throws IOException {
    write(
        "proc/self/limits",
        """
        Max open files            64                   64                   files
        Max locked memory         8388608              8388608              bytes
        """);
    write("sys/class/infiniband/mlx5_0/node_type", "1");
    assertThat(new LimitsProbe(kernel, Bytes.parse("1g")).look())
        .extracting(Finding::verdict)
        .containsExactly(Verdict.WARNING, Verdict.WARNING);
    assertThat(new LimitsProbe(kernel, Bytes.parse("8m")).look().get(0).verdict())
        .isEqualTo(Verdict.OK);
  }

  @Test
  void cardsThatNothingUsesAreTold() throws IOException {
    write("sys/class/infiniband/mlx5_0/node_type", "1");
    assertThat(new DevicesProbe(kernel).look())
        .anySatisfy(
            finding -> {
              assertThat(finding.value()).contains("mlx5_0");
              assertThat(finding.remedy()).contains("do not use cards");
            });
  }

  @Test
  void aDaxDeviceIsToldWithItsSizeAndAlignment() throws IOException {
    write("sys/bus/dax/devices/dax0.0/size", "534773760\n");
    write("sys/bus/dax/devices/dax0.0/align", "2097152\n");
    write("dev/dax0.0", "");
    Finding finding = daxDevice();
    assertThat(finding.subject()).isEqualTo("DAX device dax0.0");
    assertThat(finding.value()).startsWith("510.0 MiB, aligned to 2.0 MiB");
    DaxDevice.unavailabilityCause()
        .ifPresentOrElse(
            cause -> assertThat(finding.remedy()).contains("libverbena.so", cause),
            () -> assertThat(finding.verdict()).isEqualTo(Verdict.OK));
  }

  @Test
  void aDaxDeviceThatCannotBeUsedComesWithARemedy() throws IOException {
    write("sys/bus/dax/devices/dax0.0/size", "0\n");
    assertThat(daxDevice().remedy()).contains("daxctl create-device");
    write("sys/bus/dax/devices/dax0.0/size", "534773760\n");
    assertThat(daxDevice().remedy()).contains("Linux 5.10");
    write("sys/bus/dax/devices/dax0.0/align", "2097152\n");
    assertThat(daxDevice().value()).contains("without " + root.resolve("dev/dax0.0"));
    assertThat(daxDevice().remedy()).contains("daxctl reconfigure-device --mode=devdax dax0.0");
  }

  private Finding daxDevice() {
    return new DevicesProbe(kernel)
        .look().stream()
            .filter(finding -> finding.subject().startsWith("DAX device "))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void aDaxMountThatCannotMapIsAProblemOfItsPoolsAlone() throws IOException {
    Path memory = Files.createDirectories(root.resolve("memory"));
    Path files = Files.createDirectories(root.resolve("files"));
    Path notDax = Files.createDirectories(root.resolve("pmem"));
    assertThat(new PoolsProbe(memory, files, List.of(notDax), null).look())
        .extracting(Finding::verdict)
        .containsExactly(Verdict.OK, Verdict.OK, Verdict.PROBLEM);
  }

  @Test
  void aCgroupTighterThanThePoolsIsTold() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "1000\n");
    write("sys/fs/cgroup/memory.current", "999\n");
    assertThat(new MemoryProbe(kernel, root, 1, null).look())
        .anySatisfy(
            finding -> {
              assertThat(finding.subject()).isEqualTo("cgroup");
              assertThat(finding.remedy()).contains("memory.max");
            });
  }
}
