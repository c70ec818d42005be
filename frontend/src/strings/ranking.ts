/** Words about the ranking of a run and who decided it. */

export const rankingWords = {
  title: "Ranked by",
  titles: { throughput: "Work per second", efficiency: "Work per joule", power: "Full-load power" },
  ranked: "Ranked",
  notRanked: "Not ranked",
  byChoice: "Ranked by override",
  disagrees: "power sources disagree",
  by: (name: string): string => `Ranked by override of ${name}`,
  notRankedBy: (title: string, why: string): string => `Not ranked by ${title.toLowerCase()}: ${why}`,
  include: "Rank anyway",
  includeTitle: "Rank this run anyway",
  includeText:
    "The run then counts in comparisons, fits and tables despite these failed checks. Your name and reason are printed on every output that ranks it.",
  rules: "Checks to override",
  chooseRule: "Choose at least one check.",
  included: "The run is ranked",
  includedNext: "Your name and reason are printed wherever it is ranked.",
  exclude: "Withdraw the override",
  excluded: "Override withdrawn",
  excludedRuns: "Excluded from the fit",
  excludedRunsNote: "Drawn grey and hollow in the figure",
}
