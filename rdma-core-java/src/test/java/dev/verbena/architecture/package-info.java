/**
 * The shape of the house, checked on the compiled classes of each module. {@link
 * dev.verbena.architecture.HouseRules} has the rules, {@link
 * dev.verbena.architecture.HouseRulesContract} runs them; a module adds a subclass of the latter.
 */
package dev.verbena.architecture;
