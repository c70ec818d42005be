import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import RunMemorySlots from "@/pages/run/RunMemorySlots.vue"

const INVENTORY: Schemas["MemoryInventory"] = {
  way: "Redfish of the BMC b1",
  slots: [
    {
      slot: "A1",
      declared: "RDIMM 16 GiB",
      status: "verified out of band",
      verified: ["size", "part by its first 12 characters"],
      unverified: ["type"],
      contradictions: [],
    },
    {
      slot: "B1",
      declared: "empty",
      status: "verified by firmware",
      verified: [],
      unverified: [],
      contradictions: [],
    },
    {
      slot: "C1",
      declared: "RDIMM 16 GiB",
      status: "declared, not verified",
      verified: [],
      unverified: [],
      contradictions: ["C1: 16 GiB in the bench file, 32 GiB by the BMC b1"],
    },
  ],
  contradictions: ["C1: 16 GiB in the bench file, 32 GiB by the BMC b1"],
  statement: "The memory slots differ from the bench file.",
}

describe("the memory slots of a run", () => {
  it("say what verified each, and what contradicts it", () => {
    const page = mount(RunMemorySlots, { props: { inventory: INVENTORY } })
    const rows = page.findAll("tbody tr").map((row) => row.text().replace(/\s+/g, " "))
    expect(rows[0]).toContain("Verified out of band")
    expect(rows[0]).toContain("size, part by its first 12 characters; not verified: type")
    expect(rows[1]).toContain("Verified by firmware")
    expect(rows[2]).toContain("Declared, not verified")
    expect(rows[2]).toContain("32 GiB")
    expect(page.text()).toContain("Read from Redfish of the BMC b1.")
  })
})
