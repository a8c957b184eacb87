// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

/**
 * What one map task wrote.
 *
 * @param records as the task counted them ({@code shuffleRecordsWritten})
 * @param checksum of the rows in each partition, whatever their order ({@code
 *     MapStatus.checksumValue})
 */
public record MapOutput(long records, long checksum) {}
