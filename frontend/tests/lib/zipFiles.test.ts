import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { crc32, zipFiles } from "@/lib/zipFiles"

describe("files as a zip file", () => {
  it("computes the check value of CRC-32", () => {
    // the check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926)
  })

  it("is read by Python, with the paths, the contents and their checksums", async () => {
    const files = [
      { path: "lab/a.csv", file: new File(["t,p\n1,2\n"], "a.csv") },
      { path: "lab/Messung ä/b.txt", file: new File([new Uint8Array(300_000).fill(7)], "b.txt") },
      { path: "lab/empty", file: new File([], "empty") },
    ]
    let reported = 0
    const zip = await zipFiles(files, (fraction) => (reported = fraction))
    expect(reported).toBe(1)
    const target = join(mkdtempSync(join(tmpdir(), "zip-")), "all.zip")
    writeFileSync(target, new Uint8Array(await zip.arrayBuffer()))
    const script = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([archive.testzip(), [[m.filename, m.file_size] for m in archive.infolist()], archive.read("lab/a.csv").decode()]))`
    const read: unknown = JSON.parse(execFileSync("python3", ["-c", script, target], { encoding: "utf8" }))
    expect(read).toEqual([
      null,
      [
        ["lab/a.csv", 8],
        ["lab/Messung ä/b.txt", 300_000],
        ["lab/empty", 0],
      ],
      "t,p\n1,2\n",
    ])
    expect(readFileSync(target).length).toBe(zip.size)
  })
})
