// SPDX-License-Identifier: Apache-2.0
/** What providers of verbs have in common. Not for users of verbs. */
package dev.verbena.verbs.provider;
