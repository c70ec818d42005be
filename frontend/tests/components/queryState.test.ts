import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import { ref } from "vue"
import QueryState from "@/components/QueryState.vue"

const show = (data: unknown, error: unknown = null, empty = false) =>
  mount(QueryState, {
    props: { query: { data: ref(data), error: ref(error), refetch: () => undefined }, height: 100, empty },
    slots: { default: "<p>answer</p>", empty: "<p>nothing</p>" },
  })

describe("the state of an answer", () => {
  it("is on its way, wrong, empty or there", () => {
    expect(show(undefined).find("[aria-busy]").exists()).toBe(true)
    expect(show(undefined, new Error("x")).find("[role=alert]").exists()).toBe(true)
    expect(show([], null, true).text()).toBe("nothing")
    expect(show([1]).text()).toBe("answer")
  })

  it("keeps an answer in sight when a later one fails", () => {
    expect(show([1], new Error("x")).text()).toBe("answer")
  })
})
