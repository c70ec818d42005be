/** Words about what a run is ranked by, why not, and whose choice it is. */

export const rankingWords = {
  title: "Ranked by",
  titles: { throughput: "Work per second", efficiency: "Work per joule", power: "Full-load power" },
  ranked: "Ranked",
  notRanked: "Not ranked",
  byChoice: "Ranked by choice",
  by: (name: string): string => `Ranked by the choice of ${name}`,
  notRankedBy: (title: string, why: string): string => `Not ranked by ${title.toLowerCase()}: ${why}`,
  include: "Rank all the same",
  includeTitle: "Rank this run all the same",
  includeText:
    "The run counts in comparisons, lines and tables although these rules failed. Your name and reason stand on every output that ranks it.",
  rules: "Rules to lift",
  chooseRule: "Choose a rule at least.",
  included: "The run is ranked",
  includedNext: "Your name and reason stand wherever it is ranked.",
  exclude: "Withdraw",
  excluded: "The choice is withdrawn",
  leftOut: "Not in the line",
  leftOutNote: "Grey and hollow in the figure",
  unknownCount: "DIMM count not known",
}
