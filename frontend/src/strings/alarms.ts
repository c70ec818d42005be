/** Words of the page of alarms. */

import { en as t } from "./en"

export const alarmWords = {
  note: "Every time a channel was outside its limits. The page of a run shows the alarms in its window.",
  caption: "Alarms, newest first",
  begin: "Start",
  source: "Instrument",
  channel: "Channel",
  limit: "Limit",
  worst: "Worst value",
  lasted: "Duration",
  end: "End",
  goesOn: "Ongoing",
  over: "Ended",
  unknown: {
    "limit-changed": "End unknown: the limit was changed",
    "service-stopped": "End unknown: the service stopped",
    "service-died": "End unknown: the service crashed",
  },
  ...t.limitSide,
  atLeast: (time: string): string => `at least ${time}`,
  emptyTitle: "No alarms yet",
  emptyText: "Alarms appear here when a channel leaves its limits. Set limits in the settings of a meter or BMC.",
  meters: "Go to meters",
  older: "Show older alarms",
}
