// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

class ShmFetchBuffersTest extends FetchBuffersContract {
  @Override
  boolean tcpOnly() {
    return false;
  }
}
