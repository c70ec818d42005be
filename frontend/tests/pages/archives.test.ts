import { describe, expect, it } from "vitest"
import { archiveUrl } from "@/api/archives"
import { ApiProblem } from "@/api/client"
import { labOf } from "@/lib/origin"
import { sendFile } from "@/lib/sendFile"
import { inFields } from "@/strings/audits"
import { became, hindrance, vouched } from "@/pages/archives/presence"

const run = (state: "new" | "already here" | "in the trash" | "contradicts") => ({ state }) as never

describe("an archive", () => {
  it("is asked for by runs or as a whole, with notes on request", () => {
    expect(archiveUrl(["a b", "c&d"], false)).toBe("/api/archive?run_id=a+b&run_id=c%26d")
    expect(archiveUrl("all", true)).toBe("/api/archive?all=true&notes=true")
  })

  it("can be imported while nothing contradicts it and something of it is new", () => {
    const none = { audits: 0, figures: 0 }
    expect(hindrance({ runs: [run("new"), run("already here")], ...none })).toBeNull()
    expect(hindrance({ runs: [run("already here")], ...none })).toMatch(/already here/)
    expect(hindrance({ runs: [run("new"), run("contradicts")], ...none })).toMatch(/Nothing can be imported/)
    expect(hindrance({ runs: [run("new"), run("in the trash")], ...none })).toMatch(/Nothing can be imported/)
    expect(hindrance({ runs: [], audits: 1, figures: 0 })).toBeNull()
    expect(hindrance({ runs: [run("already here")], audits: 0, figures: 3 })).toBeNull()
  })

  it("says what became of a run, and that another build alone changes no figure", () => {
    const imported = (...differences: string[]) => became({ run_id: "r", state: "imported", differences })
    expect(imported()).toEqual({ tone: "ok", word: "recomputed: same result" })
    expect(imported("software", "notes").word).toMatch(/same figures/)
    expect(imported("software", "power_w")).toEqual({ tone: "warn", word: "recomputed: differs in power_w" })
    expect(became({ run_id: "r", state: "already here", differences: [] }).tone).toBe("none")
  })
})

describe("what an import is refused for", () => {
  it("names the fields of the page in place of the options of the command", () => {
    expect(inFields("Say it with --zone. Name one such as UTC.")).toBe(
      "Say it with “Time zone of the stamps”. Name one such as UTC.",
    )
    expect(inFields("Leave --from, --to out; --phases a--round -round 3--4")).toBe(
      "Leave “From”, “To” out; --phases a--round -round 3--4",
    )
  })
})

describe("the lab of a run", () => {
  it("is read from where it was imported", () => {
    expect(labOf("imported: archive of Lab A (hall 2)")).toBe("Lab A (hall 2)")
    expect(labOf("imported: MLPerf Power run_1")).toBeNull()
    expect(labOf("measured by wattmark")).toBeNull()
  })
})

/** A request whose answer the test decides. */
class Answering {
  upload: { onprogress: ((event: ProgressEvent) => void) | null } = { onprogress: null }
  statusText = ""
  onload: (() => void) | null = null
  onerror: (() => void) | null = null
  sent: unknown

  constructor(
    readonly status: number,
    readonly responseText: string,
  ) {}

  open(): void {
    this.sent = undefined
  }

  send(body: unknown): void {
    this.sent = body
    this.upload.onprogress?.({ loaded: 1, total: 4 } as ProgressEvent)
    if (this.status) this.onload?.()
    else this.onerror?.()
  }
}
const answering = (status: number, text: string) => new Answering(status, text)

describe("sending a file", () => {
  const file = new Blob(["zip"])

  it("hands the file over as it is, and tells how much has gone", async () => {
    const [request, seen] = [answering(201, '{"lab": "A"}'), [] as number[]]
    expect(await sendFile("/x", file, (part) => seen.push(part), request)).toEqual({ lab: "A" })
    expect(request.sent).toBe(file)
    expect(seen).toEqual([0.25])
  })

  it("gives refusals in the words of the service", async () => {
    const refused = sendFile("/x", file, () => undefined, answering(422, '{"cause": "cut off", "remedy": "ask again"}'))
    await expect(refused).rejects.toMatchObject({ status: 422, problem: { cause: "cut off", remedy: "ask again" } })
    const odd = sendFile("/x", file, () => undefined, answering(502, "<html>"))
    await expect(odd).rejects.toBeInstanceOf(ApiProblem)
    await expect(sendFile("/x", file, () => undefined, answering(0, ""))).rejects.toMatchObject({ status: 0 })
  })
})

describe("who vouches for an archive", () => {
  const signer = { key: null, comment: "", earlier: [] as string[] }

  it("is said for each state, and never good where nobody or a new key signed", () => {
    expect(vouched({ ...signer, state: "none" })).toEqual({
      tone: "none",
      word: "None: nobody vouches for this archive",
      earlier: null,
    })
    expect(vouched({ ...signer, state: "known key", key: "RWa" }).tone).toBe("ok")
    expect(vouched({ ...signer, state: "new key", key: "RWa" }).word).toContain("compare it with the one that the lab")
  })

  it("warns where the lab's earlier archives were signed by another key", () => {
    const changed = vouched({ ...signer, state: "none", earlier: ["RWb"] })
    expect(changed.tone).toBe("warn")
    expect(changed.earlier).toBe("Earlier imports from this lab were signed by RWb.")
  })
})
