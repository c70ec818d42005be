/** Words of the check of a meter. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const meterWords = {
  note: "An accuracy is the maker's specification, with the page it comes from. Indicative sensors have none.",
  meter: "Meter",
  now: "Now",
  measures: "Measures",
  every: (period: string): string => `every ${period}`,
  accuracy: "Accuracy",
  connection: "Connection",
  noAccuracy: "none stated",
  silent: "not connected",
  emptyTitle: "No meter described yet",
  emptyText: "Meters and BMCs come from the bench file. Check yours before starting the service with it:",

  test: "Test",
  testMeter: (meter: string): string => `Test ${meter}`,
  title: (meter: string): string => `Test of ${meter}`,
  text: "Watches what the meter reads and holds it against what its model promises. Recording goes on meanwhile.",
  length: "Watch for",
  begin: "Begin",
  again: "Test again",
  watching: (left: string): string => `Watching, ${left} left`,
  judging: "Waiting for the verdict",
  progress: "Progress of the test",
  over: (duration: string, model: string): string => `Watched for ${duration} as ${model}.`,
  verdicts: "Verdicts",
  rule: "Test",
  found: "Found",
  limit: "Limit",
  meaning: "Meaning",
  summary: (passed: number, failed: number, none: number): string =>
    [
      failed ? `${plural(failed, "test", "tests")} failed` : "",
      `${passed} passed`,
      none ? `${none} not applicable` : "",
    ]
      .filter(Boolean)
      .join(", "),
  advice: "Probably:",
  nothing: "None of the tests applies to this meter.",
}
