import { describe, expect, it, vi } from "vitest"
import { copyFile, fetchFile } from "@/lib/takeAway"

const answer = (body: string, init: ResponseInit) => () => Promise.resolve(new Response(body, init))

describe("a file of the service", () => {
  it("keeps the name and the bytes that the service gives it", async () => {
    const headers = { "content-disposition": 'attachment; filename="wattmark-compare.svg"' }
    const file = await fetchFile("/x", answer("<svg/>", { status: 200, headers }))
    expect(file.name).toBe("wattmark-compare.svg")
    expect(await file.content.text()).toBe("<svg/>")
  })

  it("is refused in the words of the service", async () => {
    const problem = { cause: "Figures need the Python package matplotlib.", remedy: "Install it.", detail: null }
    const refused = fetchFile("/x", answer(JSON.stringify(problem), { status: 422 }))
    await expect(refused).rejects.toMatchObject({ status: 422, problem })
  })

  it("that cannot be had says so, whatever came instead", async () => {
    await expect(fetchFile("/x", answer("<html>", { status: 502 }))).rejects.toMatchObject({ status: 502 })
    await expect(fetchFile("/x", () => Promise.reject(new TypeError("down")))).rejects.toMatchObject({ status: 0 })
  })

  it("is put into the clipboard as text, and a refusal is not", async () => {
    const writeText = vi.fn((_: string) => Promise.resolve())
    vi.stubGlobal("navigator", { clipboard: { writeText } })
    await copyFile("/x", answer("configuration\tn\n", { status: 200 }))
    await expect(copyFile("/x", answer("{}", { status: 422 }))).rejects.toMatchObject({ status: 422 })
    expect(writeText.mock.calls).toEqual([["configuration\tn\n"]])
    vi.unstubAllGlobals()
  })
})
