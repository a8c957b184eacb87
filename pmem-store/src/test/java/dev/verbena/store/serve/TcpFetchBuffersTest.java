// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

class TcpFetchBuffersTest extends FetchBuffersContract {
  @Override
  boolean tcpOnly() {
    return true;
  }
}
