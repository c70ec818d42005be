/** Words of what a plan is expected to show. */

export const forecastWords = {
  title: "Expected ±",
  heads: ["Repeats", "± of one configuration", "Difference found"],
  caption: (server: string, workload: string): string => `Performance per watt of ${server} under ${workload}`,
  none: "–",
  empty: "Choose a configuration and a workload to see the expected ±.",
  power: "Expected power [W]",
  powerHint: "At full load. Empty: from earlier runs.",
  limits: "What these runs cannot show",
  limit: "Limit",
  basis: "Where this comes from",
  how: "By the uncertainty budget and the test that judge the runs later. A difference of this size is found in four of five campaigns.",
}
