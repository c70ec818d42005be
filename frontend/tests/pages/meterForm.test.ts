import { describe, expect, it } from "vitest"
import type { FormField, Model, ModelHead } from "@/api/models"
import {
  bmcEntry,
  conditionFields,
  deviceId,
  keptFields,
  measuringFields,
  meterEntry,
  saidFields,
  specOf,
  type Draft,
  withoutModel,
} from "@/pages/meters/form"
import { ANY, byLimit, foundModels, interfacesOf, kindsOf } from "@/inventory/modelSearch"
import { offers, scanOrder } from "@/pages/meters/scan"

const field = (name: string, over: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  kind: "text",
  required: false,
  default: null,
  choices: [],
  low: null,
  high: null,
  unit: "",
  help: "",
  ...over,
})
const head = (id: string, over: Partial<ModelHead> = {}): ModelHead => ({
  id,
  title: id,
  maker: "Eastron",
  model: id,
  kind: "energy meter",
  engine: "modbus",
  section: "meters",
  transports: ["modbus-tcp"],
  interfaces: ["Modbus TCP: a gateway or meter on the network"],
  indicative: false,
  needs: null,
  missing: null,
  ...over,
})
const model = {
  head: head("eastron.sdm230"),
  period_s: 1,
  range: null,
  ranges: [{ id: "300V-5A", note: "", power_w: 1500, voltage_v: 300, current_a: 5 }],
  transports: [
    { scheme: "modbus-tcp", fields: [field("host"), field("device")] },
    { scheme: "modbus-rtu", fields: [field("path", { kind: "serial-port" }), field("device")] },
  ],
} as unknown as Model
const draft = (over: Partial<Draft> = {}): Draft => ({ scheme: "modbus-tcp", fields: {}, entry: {}, ...over })

describe("the form of a model", () => {
  it("asks for each declared field as its kind needs", () => {
    const baud = specOf(field("baud", { kind: "integer", low: 300, high: 115200, default: 9600, unit: "Bd" }), [
      "options",
    ])
    expect(baud).toMatchObject({ path: ["options", "baud"], kind: "number", placeholder: "9600", label: "baud [Bd]" })
    expect(specOf(field("tls", { kind: "switch" })).choices?.map((choice) => choice.value)).toEqual(["on", "off"])
    expect(specOf(field("path", { kind: "serial-port" }), [], ["/dev/ttyUSB0"]).suggestions).toEqual(["/dev/ttyUSB0"])
  })

  it("offers the ranges of the model, and none for a BMC", () => {
    const range = measuringFields(model).find((spec) => spec.path[0] === "range")
    expect(range?.choices?.map((choice) => choice.value)).toEqual(["300V-5A"])
    const bmc = { ...model, head: head("ipmi.bmc", { section: "bmcs" }) } as Model
    expect(measuringFields(bmc).map((spec) => spec.path[0])).toEqual(["id", "period_s"])
  })

  it("asks for the conditions that the bench file declares, each at its place in the entry", () => {
    const conditions = [field("frequency_hz", { kind: "number", unit: "Hz" }), field("line_filter", { kind: "switch" })]
    const asked = conditionFields({ ...model, conditions, timing: [field("latency_s", { kind: "number" })] })
    expect(asked.map(({ path, kind }) => [path.join("."), kind])).toEqual([
      ["conditions.frequency_hz", "number"],
      ["conditions.line_filter", "switch"],
      ["latency_s", "number"],
    ])
  })

  it("keeps of what was typed only what the other way also asks for", () => {
    expect(keptFields({ host: "gw", device: 3 }, model, "modbus-rtu")).toEqual({ device: 3 })
    expect(saidFields({ host: "gw", device: null })).toEqual({ host: "gw" })
  })
})

describe("the entry of a device", () => {
  it("holds only what was said, under a free identifier", () => {
    const typed = draft({ entry: { conditions: {}, feeds: [], role: "secondary" } as unknown as Draft["entry"] })
    const id = deviceId(typed, model, ["sdm230"])
    expect(meterEntry(typed, model, id, "modbus-tcp://gw/1")).toEqual({
      id: "sdm230-2",
      model: "eastron.sdm230",
      url: "modbus-tcp://gw/1",
      role: "secondary",
    })
  })

  it("takes an address as it is typed behind wattmark meter read", () => {
    expect(withoutModel(" ipmi://10.0.0.9?privilege=OPERATOR ")).toBe("ipmi://10.0.0.9?privilege=OPERATOR")
    expect(withoutModel("ipmi://10.0.0.9?model=ipmi.bmc&privilege=OPERATOR")).toBe("ipmi://10.0.0.9?privilege=OPERATOR")
    expect(withoutModel("ipmi://10.0.0.9?cipher=3&model=ipmi.bmc")).toBe("ipmi://10.0.0.9?cipher=3")
    expect(withoutModel("modbus-tcp://gw/1?model=eastron.sdm120")).toBe("modbus-tcp://gw/1")
  })

  it("keeps what the form does not show", () => {
    const entry = { u_latency_s: 0.1, feeds: [{ server: "sut" }] }
    expect(meterEntry(draft({ entry }), model, "wall", "x:y")).toMatchObject(entry)
  })

  it("writes a BMC with its address, which says what the bench file may say field by field", () => {
    const entry = { server: "sut", user: "reader" }
    const before = { ...entry, host: "10.0.0.9", port: 623, privilege: "OPERATOR" as const }
    const ipmi = draft({ scheme: "ipmi", fields: { host: "10.0.0.9", privilege: "ADMINISTRATOR" }, entry: before })
    const url = "ipmi://10.0.0.9?privilege=ADMINISTRATOR"
    expect(bmcEntry(ipmi, "bmc", url)).toEqual({ id: "bmc", url, ...entry })
    const redfish = draft({ scheme: "redfish", fields: { host: "b" }, entry })
    expect(bmcEntry(redfish, "bmc", "redfish://b")).toEqual({ id: "bmc", url: "redfish://b", ...entry })
  })
})

describe("models are found", () => {
  const models = [head("eastron.sdm230"), head("yokogawa.wt310", { maker: "Yokogawa", kind: "power analyser" })]

  it("by every word, within a kind", () => {
    expect(foundModels(models, "EASTRON energy", ANY).map((model) => model.id)).toEqual(["eastron.sdm230"])
    expect(foundModels(models, "", "power analyser").map((model) => model.id)).toEqual(["yokogawa.wt310"])
    expect(foundModels(models, "eastron", "power analyser")).toEqual([])
    expect(kindsOf(models)).toEqual(["energy meter", "power analyser"])
  })

  it("by its interface, said in a few words", () => {
    const networked = head("a.b", { interfaces: ["Modbus TCP: a gateway or meter on the network", "SNMP"] })
    expect(foundModels([...models, networked], "snmp", ANY)).toEqual([networked])
    expect(interfacesOf(networked)).toEqual(["Modbus TCP", "SNMP"])
  })

  it("by its limit of error, those without one last", () => {
    const of = (id: string, limit_w: number) =>
      [id, { id, accuracy: "", energy_class: null, limit: { power_w: 400, limit_w, range: null } }] as const
    const limits = new Map([of("yokogawa.wt310", 0.9)])
    expect(byLimit(models, limits).map((model) => model.id)).toEqual(["yokogawa.wt310", "eastron.sdm230"])
  })
})

describe("a scan", () => {
  it("orders only what its way needs", () => {
    const typed = { modbus_tcp: "gw:502", serial: "/dev/ttyS0", ids: "1-3", baud: 9600 }
    expect(scanOrder("modbus_tcp", typed)).toEqual({ modbus_tcp: "gw:502", ids: "1-3" })
  })

  it("offers each model that a device can be, and nothing for a bare port", () => {
    const device = { where: "w", what: "", note: "", models: [], used_by: [] }
    const urls = ["modbus-rtu:///dev/ttyS0?device=1&model=abb.b21", "modbus-tcp://gw/1?model=abb.b23"]
    expect(offers({ ...device, urls })).toEqual([
      { model: "abb.b21", url: "modbus-rtu:///dev/ttyS0?device=1" },
      { model: "abb.b23", url: "modbus-tcp://gw/1" },
    ])
    expect(offers({ ...device, urls: ["serial:///dev/ttyS0"] })).toEqual([])
  })
})
