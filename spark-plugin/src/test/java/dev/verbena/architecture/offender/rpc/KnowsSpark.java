// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

import org.apache.spark.SparkConf;

/** Breaks the rule that the core knows no framework. */
public record KnowsSpark(SparkConf conf) {}
