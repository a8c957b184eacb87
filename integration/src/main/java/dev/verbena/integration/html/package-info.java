// SPDX-License-Identifier: Apache-2.0
/**
 * Pages of one file, for a browser without a network: markup, and plots as SVG inside it. They use
 * no script, no font and no image of elsewhere.
 */
package dev.verbena.integration.html;
