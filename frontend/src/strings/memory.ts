/** Words of the memory page about claims and populations. */

export const memoryWords = {
  claim: "Held against a claim",
  claimed: "Claimed [W per DIMM]",
  margin: "Equal within [W]",
  number: "A number in W, with a decimal point.",
  refuted: "Refuted",
  equal: "Equal",
  open: "Neither refuted nor shown equal",
  dc: (watts: string): string => `${watts} behind the supply`,
  warnings: "About the populations",
}
