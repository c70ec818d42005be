/** Words of the page of alarms. */

export const alarmWords = {
  note: "Every time that a channel left the limits which the bench sets for it; the page of a run shows those in its window.",
  caption: "Alarms, newest first",
  begin: "Begin",
  source: "Instrument",
  channel: "Channel",
  limit: "Limit",
  worst: "At worst",
  lasted: "Lasted",
  end: "End",
  goesOn: "Goes on",
  over: "Over",
  unknown: {
    "limit-changed": "End not known: the limit was changed",
    "service-stopped": "End not known: the service stopped",
    "service-died": "End not known: the service died",
  },
  high: (limit: string): string => `above ${limit}`,
  low: (limit: string): string => `below ${limit}`,
  atLeast: (time: string): string => `at least ${time}`,
  emptyTitle: "No alarm yet",
  emptyText:
    "Set a low or a high limit for a channel where its meter or BMC is connected; what crosses it is kept here.",
  meters: "To the meters",
  older: "Show older alarms",
}
