/** A count and what is counted, in one or many: "1 run", "3 runs". */
export const plural = (count: number, singular: string, many: string): string =>
  `${count} ${count === 1 ? singular : many}`
