import { describe, expect, it } from "vitest"
import { filesOf, nameOf } from "@/lib/droppedFiles"

/** An entry as browsers give it: a folder gives its children two at a time. */
function entry(path: string, children?: FileSystemEntry[]): FileSystemEntry {
  const name = path.split("/").at(-1)!
  const left = [...(children ?? [])]
  return {
    name,
    fullPath: path,
    isFile: !children,
    isDirectory: Boolean(children),
    file: (done: (file: File) => void) => done(new File([path], name)),
    createReader: () => ({
      readEntries: (done: (entries: FileSystemEntry[]) => void) => done(left.splice(0, 2)),
    }),
  } as unknown as FileSystemEntry
}

describe("dropped files", () => {
  const dropped = entry("/lab", [
    entry("/lab/c.csv"),
    entry("/lab/runs", [entry("/lab/runs/1", [entry("/lab/runs/1/a.txt")])]),
    entry("/lab/.DS_Store"),
    entry("/lab/b.csv"),
  ])

  it("are all files below, in the order of their names, without the litter of file managers", async () => {
    const files = await filesOf([dropped], 100)
    expect(files.map(({ path }) => path)).toEqual(["lab/b.csv", "lab/c.csv", "lab/runs/1/a.txt"])
    expect(nameOf(files)).toBe("lab")
  })

  it("end one above the most, so that there are too many", async () => {
    const many = entry(
      "/many",
      Array.from({ length: 9 }, (_, index) => entry(`/many/${index}`)),
    )
    expect((await filesOf([many], 3)).length).toBe(4)
  })

  it("are named by the one folder that holds them all", () => {
    const file = new File([], "x")
    expect(
      nameOf([
        { path: "a/x", file },
        { path: "b/x", file },
      ]),
    ).toBe("files")
    expect(nameOf([{ path: "x", file }])).toBe("files")
  })
})
