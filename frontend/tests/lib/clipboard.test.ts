import { afterEach, describe, expect, it, vi } from "vitest"
import { copyText } from "@/lib/clipboard"
import { t } from "@/strings"

/** What a browser copies: the text of the field that is selected. */
function selectedText(): string {
  const field = document.activeElement
  return field instanceof HTMLTextAreaElement ? field.value.slice(field.selectionStart, field.selectionEnd) : ""
}

/** Stand in for the browser's older way, which this environment lacks. */
function commands(answer: boolean): string[] {
  const copied: string[] = []
  document.execCommand = (command: string) => {
    if (command === "copy" && answer) copied.push(selectedText())
    return answer
  }
  return copied
}

describe("text for the clipboard", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(document, "execCommand")
    document.body.replaceChildren()
  })

  it("goes through a selected field where a page over plain HTTP has no clipboard, and leaves nothing behind", async () => {
    vi.stubGlobal("navigator", {})
    const copied = commands(true)
    document.body.innerHTML = '<div role="dialog"><button>Copy</button></div>'
    const button = document.querySelector("button")!
    button.focus()
    await copyText("wm_secret\n25.47 ± 0.21")
    expect(copied).toEqual(["wm_secret\n25.47 ± 0.21"])
    expect(document.querySelector("textarea")).toBeNull()
    expect(document.activeElement).toBe(button)
  })

  it("goes through the field too where the clipboard is refused", async () => {
    vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new Error("NotAllowedError")) } })
    const copied = commands(true)
    await copyText("a")
    expect(copied).toEqual(["a"])
  })

  it("says what to do where the browser refuses both", async () => {
    vi.stubGlobal("navigator", {})
    commands(false)
    await expect(copyText("a")).rejects.toMatchObject({ problem: t.problem.clipboard })
  })
})
