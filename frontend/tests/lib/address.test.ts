import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import { nextTick } from "vue"
import { createMemoryHistory, createRouter } from "vue-router"
import { useListParameter, useParameter } from "@/lib/address"

async function page(start: string) {
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: "/:any(.*)*", component: { template: "<i />" } }],
  })
  await router.push(start)
  let made: { from: ReturnType<typeof useParameter>; to: ReturnType<typeof useParameter> } | null = null
  mount(
    {
      setup() {
        made = { from: useParameter("from"), to: useParameter("to", "end") }
        return () => null
      },
    },
    { global: { plugins: [router] } },
  )
  return { router, ...made! }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

describe("state in the address", () => {
  it("writes parameters changed together together", async () => {
    const { router, from, to } = await page("/runs/1?keep=1")
    from.value = "5"
    to.value = "9"
    await settled()
    expect(router.currentRoute.value.query).toEqual({ keep: "1", from: "5", to: "9" })
  })

  it("leaves the address clean at its defaults", async () => {
    const { router, from, to } = await page("/runs/1?from=5&to=9")
    expect([from.value, to.value]).toEqual(["5", "9"])
    from.value = ""
    to.value = "end"
    await settled()
    expect(router.currentRoute.value.query).toEqual({})
    expect(to.value).toBe("end")
  })

  it("does not follow to another page", async () => {
    const { router, from } = await page("/runs/1")
    from.value = "5"
    void router.push("/runs/2")
    await nextTick()
    await settled()
    expect(router.currentRoute.value.fullPath).toBe("/runs/2")
  })
})

describe("lists in the address", () => {
  it("hold each value once, in the order of choosing, and leave it when they are empty", async () => {
    const router = createRouter({
      history: createMemoryHistory(),
      routes: [{ path: "/:any(.*)*", component: { template: "<i />" } }],
    })
    await router.push("/compare?cpu=Xeon&cpu=EPYC&cpu=Xeon")
    let list: ReturnType<typeof useListParameter> | null = null
    mount(
      {
        setup() {
          list = useListParameter("cpu")
          return () => null
        },
      },
      { global: { plugins: [router] } },
    )
    expect(list!.value).toEqual(["Xeon", "EPYC"])
    list!.value = ["EPYC"]
    await settled()
    expect(router.currentRoute.value.query).toEqual({ cpu: ["EPYC"] })
    list!.value = []
    await settled()
    expect(router.currentRoute.value.query).toEqual({})
  })
})
