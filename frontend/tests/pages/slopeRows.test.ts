import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import ClaimNote from "@/parts/ClaimNote.vue"
import SlopeRows from "@/parts/SlopeRows.vue"
import { memoryWords } from "@/strings/memory"
import { interval } from "../charts/comparison"

const slope = (server: string, watts: number, over = {}) => ({
  key: server,
  title: server,
  shown: false,
  slope: {
    server,
    part: "16 GiB RDIMM",
    counts: [2, 4],
    runs: 6,
    simulated: false,
    watts_per_part: interval(watts, 0.2),
    refusal: null,
    remark: null,
    ...over,
  },
})
const mean = {
  part: "16 GiB RDIMM",
  servers: ["a", "b", "c"],
  excluded: [],
  simulated: false,
  watts_per_part: interval(3, 0.5),
  prediction: { value: 3, low: 1, high: 5, U95: 2 },
  between_w: 0.4,
  statement: "",
  remarks: [] as string[],
  refusal: null,
}
const rows = [slope("a", 2.5), slope("b", 3.5)]
const mounted = (pooled: (typeof mean)[] = []) => mount(SlopeRows, { props: { rows, words: memoryWords, pooled } })

describe("watts per part of several servers", () => {
  it("stand on an axis with its unit that holds every interval", () => {
    const labels = mounted()
      .findAll("text")
      .map((label) => label.text())
    expect(labels[0]).toBe("0")
    expect(labels.at(-1)).toBe("4 W/DIMM")
  })

  it("have their mean above them, with what another server is expected to show", () => {
    const [first] = mounted([mean]).findAll("li")
    expect(first!.text()).toContain("Mean of 3 servers")
    expect(first!.text()).toContain("Another server: 1.0 to 5.0 W (95 % prediction interval, dashed)")
  })

  it("name beside the mean what single lines leave open", () => {
    const [first] = mounted([{ ...mean, remarks: ["A run counts by a person's choice: a."] }]).findAll("li")
    expect(first!.text()).toContain("A run counts by a person's choice: a.")
  })

  it("say why there is no ±", () => {
    const why = "There is no ±. With only two DIMM counts, each installed once, re-seat between repeats."
    const of = [slope("a", 2.5, { watts_per_part: { ...interval(2.5, 0.2), complete: false, U95: null }, remark: why })]
    expect(mount(SlopeRows, { props: { rows: of, words: memoryWords } }).text()).toContain("With only two DIMM counts")
  })
})

describe("a claim", () => {
  const note = (claim: null | object, claimed = "") =>
    mount(ClaimNote, { props: { claim: claim as never, words: memoryWords, claimed, margin: "1" } })

  it("is nobody's until somebody makes one", () => {
    const made = note(null)
    expect(made.find("input").element.value).toBe("")
    expect(made.text()).toContain("Nothing is claimed.")
    expect(made.text()).not.toContain("Claim rejected")
  })

  it("is made by a number, and taken back by an empty field", async () => {
    const made = note(null)
    await made.find("input").setValue("5")
    await made.find("input").setValue("")
    expect(made.emitted("update:claimed")).toEqual([["5"], [""]])
  })
})
