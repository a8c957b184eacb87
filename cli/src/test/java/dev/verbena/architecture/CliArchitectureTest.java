// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

final class CliArchitectureTest extends HouseRulesContract {}
