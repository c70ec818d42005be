/** Words of the figure over the years. */

import { plural } from "./plural"

export const yearsWords = {
  date: "Date",
  dates: { available: "Hardware available", published: "Published" },
  title: (quantity: string, workload: string): string => `${quantity} over the years, ${workload}`,
  note: {
    available:
      "Hollow: published figures, by the month in which the hardware became available. Short lines: median of each year.",
    published: "Hollow: published figures, by their publication. Short lines: median of each year.",
  },
  undated: (n: number): string =>
    n ? `${plural(n, "configuration", "configurations")} without this figure or a possible date not drawn.` : "",
  tooMany: (most: number) => ({
    cause: `A PDF of a part names its results, and takes at most ${most}.`,
    remedy: "Narrow the selection further, or clear it: a PDF of all results has no limit.",
  }),
  points: (n: number): string => `${plural(n, "published result", "published results")} over the years.`,
  median: (year: number, value: string): string => `Median of ${year}: ${value}`,
  medianOfYear: "Median of its year",
  nothing: "No published result in sight has this date. Import published results on the page Archives.",
  years: "By year",
  year: "Year",
  results: "Results",
  medianHead: "Median",
  best: "Best",
  bestOne: "Best result",
}
