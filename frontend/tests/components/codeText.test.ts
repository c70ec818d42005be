import { mount } from "@vue/test-utils"
import { expect, it } from "vitest"
import CodeText from "@/components/CodeText.vue"

it.each([
  ["Run `wattmark doctor` first.", "Run wattmark doctor first.", ["wattmark doctor"]],
  ["`a` and `b`", "a and b", ["a", "b"]],
  ["a lone ` stays", "a lone ` stays", []],
  ["plain", "plain", []],
])("shows what stands between backticks as code: %s", (text, shown, commands) => {
  const wrapper = mount(CodeText, { props: { text } })
  expect(wrapper.text()).toBe(shown)
  expect(wrapper.findAll("code").map((code) => code.text())).toEqual(commands)
})
