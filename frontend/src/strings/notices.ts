/** Words of who is told what happens. */

import type { Schemas } from "@/api/client"
import { plural } from "./plural"

type Notifier = Schemas["NotifierOut"]

export const noticeWords = {
  title: "Who is told",
  note: "At night nobody looks at a page: the bench file names who gets a message.",
  none: "Nobody is told anything. Add an entry to the bench file on the machine:",
  line: 'notify: [{id: phone, by: ntfy, url: "https://ntfy.lab/power"}]',
  ways: { webhook: "Webhook", ntfy: "ntfy", mail: "Mail" } satisfies Record<Notifier["by"], string>,
  states: { on: "On", failing: "Fails" } satisfies Record<Notifier["state"], string>,
  events: {
    "campaign-ended": "campaign ended",
    "campaign-failed": "campaign failed",
    "needs-hands": "needs hands",
    alarm: "alarm",
    "meter-lost": "meter lost",
  } satisfies Record<Notifier["events"][number], string>,
  everything: "everything",
  tellsOf: (events: string): string => `Tells of: ${events}.`,
  sent: (count: number, last: string): string => `${plural(count, "message", "messages")} sent, the last at ${last}.`,
  noneSent: "No message has been sent yet.",
  waiting: (count: number): string => `${plural(count, "message waits", "messages wait")}.`,
  notSent: (count: number): string => `${plural(count, "message", "messages")} not sent.`,
  since: (time: string): string => `Since ${time}.`,
  test: "Test",
  testOf: (name: string): string => `Test ${name}: send one message`,
}
