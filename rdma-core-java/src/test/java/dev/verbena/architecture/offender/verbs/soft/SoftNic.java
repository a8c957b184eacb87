// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.verbs.soft;

/** A provider that others must not know. */
public record SoftNic() {}
