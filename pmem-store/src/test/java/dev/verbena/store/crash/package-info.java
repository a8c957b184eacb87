// SPDX-License-Identifier: Apache-2.0
/**
 * The store under crashes: a simulated persistence domain, and a class loader that puts it under
 * the store's classes and switches off one site at a time.
 *
 * <p>Classes here are shared by all copies of the store that such loaders make; the histories and
 * checks, which touch the store, are loaded with each copy.
 */
package dev.verbena.store.crash;
