import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import UiSegment from "@/components/UiSegment.vue"

const CHOICES = ["a", "b", "c"].map((value) => ({ value, label: value.toUpperCase() }))
const segment = () =>
  mount(UiSegment, { props: { label: "Figure", choices: CHOICES, modelValue: "b" }, attachTo: document.body })

describe("exclusive choices in a row", () => {
  it("say which is chosen, and that one is in the order of Tab", () => {
    const buttons = segment().findAll("button")
    expect(buttons.map((button) => button.attributes("aria-pressed"))).toEqual(["false", "true", "false"])
    expect(buttons.map((button) => button.attributes("tabindex"))).toEqual(["-1", "0", "-1"])
  })

  it("choose by a click and never nothing", async () => {
    const row = segment()
    await row.findAll("button")[1]!.trigger("click")
    await row.findAll("button")[2]!.trigger("click")
    expect(row.emitted("update:modelValue")).toEqual([["c"]])
  })

  it("are reached by the arrow keys, around the ends", async () => {
    const buttons = segment().findAll("button")
    await buttons[1]!.trigger("keydown", { key: "ArrowRight" })
    expect(document.activeElement).toBe(buttons[2]!.element)
    await buttons[2]!.trigger("keydown", { key: "ArrowRight" })
    expect(document.activeElement).toBe(buttons[0]!.element)
    await buttons[0]!.trigger("keydown", { key: "End" })
    expect(document.activeElement).toBe(buttons[2]!.element)
    await buttons[2]!.trigger("keydown", { key: "x" })
    expect(document.activeElement).toBe(buttons[2]!.element)
  })
})
