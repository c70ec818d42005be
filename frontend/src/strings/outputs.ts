/** Words of the outputs of live readings. */

import { plural } from "./plural"

export const outputWords = {
  title: "Live readings for other programs",
  note: "What the meters measure now, not corrected by a certificate. Each output is off until the bench file asks for it.",
  names: { prometheus: "Prometheus", mqtt: "MQTT and Home Assistant", otel: "OpenTelemetry" },
  states: { off: "Off", on: "On", waiting: "Waiting" },
  /** What stands in the bench file to turn an output on. */
  lines: {
    prometheus: "outputs: {prometheus: true}",
    mqtt: 'outputs: {mqtt: {url: "mqtt://broker.lab:1883"}}',
    otel: 'outputs: {otel: {endpoint: "http://collector.lab:4318"}}',
  },
  onTheMachine: "The address can be set only in the bench file on the machine.",
  sent: (count: string, last: string): string => `${count} readings acknowledged, the last at ${last}.`,
  noneSent: "No reading has been acknowledged yet.",
  notSent: (count: number): string => `${plural(count, "reading", "readings")} not sent.`,
  read: (last: string): string => `Read last at ${last}.`,
  unread: "Nobody has read it yet.",
  since: (time: string): string => `Since ${time}.`,
  test: "Test",
  testOf: (name: string): string => `Test ${name}: send one reading`,
}
