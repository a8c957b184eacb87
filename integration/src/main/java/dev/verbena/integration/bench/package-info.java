// SPDX-License-Identifier: Apache-2.0
/**
 * The benchmarks: a harness that alternates two subjects in one run and tells their ratio with its
 * interval, and what is measured with it. Every figure names its medium and how busy the rest of
 * the machine was.
 */
package dev.verbena.integration.bench;
