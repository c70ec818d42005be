/** Words of a chosen span of a run: what it says of power, energy and work. */

import { plural } from "./plural"

export const spanWords = {
  title: "Measured span",
  reading: "Computing the span",
  length: (duration: string): string => `${duration} long`,
  begin: "From [s after the start of the run]",
  end: "To [s after the start of the run]",
  columns: {
    meter: "Meter",
    mean: "Mean power",
    energy: "Energy",
    minimum: "Minimum",
    maximum: "Maximum",
    deviation: "Standard deviation",
    readings: "Readings n",
    missing: "Missing",
  },
  live: {
    mean: "Mean",
    nothing: "No good reading in this span.",
    since: (time: string): string => `From the readings of this page, which begin at ${time}.`,
  },
  nothingMissing: "none",
  missing: (seconds: string, gaps: number): string => `${seconds} in ${plural(gaps, "gap", "gaps")}`,
  excluded: (n: number): string => `${n} excluded`,
  sum: "All wall meters",
  throughput: "Throughput",
  efficiency: "Work per joule",
  energyPerWork: "Energy per work",
  note: "± is the 95 % interval of the mean over this span, computed like that of the window. Minimum, maximum and standard deviation are those of single readings.",
  noUncertainty: "± not known",
  copy: "Copy as text",
  copied: "The figures are in the clipboard",
  link: "Copy link",
  linkCopied: "The link is in the clipboard",
  samples: (format: string): string => `Samples, ${format}`,
  zoom: "Zoom to it",
  close: "Close the span",
  run: "Run",
  from: (begin: string, end: string): string => `${begin} to ${end}`,
}
