/** Files that were dropped or chosen, with their paths below what was dropped; folders are walked. */

export interface PathFile {
  /** Path with "/" between folders, the dropped folder first. */
  path: string
  file: File
}

/** Files that file managers leave in folders, never meant to be sent. */
const LITTER = new Set([".DS_Store", "Thumbs.db", "desktop.ini"])

/** Whether a folder is among the dropped items. Must be called during the event itself. */
export function entriesOf(data: DataTransfer): FileSystemEntry[] {
  return [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
}

/** Walk what was dropped, at most ``most`` files and one more. */
export async function filesOf(entries: readonly FileSystemEntry[], most: number): Promise<PathFile[]> {
  const files: PathFile[] = []
  const open = [...entries].reverse()
  while (open.length && files.length <= most) {
    const entry = open.pop()!
    if (isFile(entry)) {
      if (!LITTER.has(entry.name)) files.push({ path: entry.fullPath.replace(/^\/+/, ""), file: await fileOf(entry) })
    } else if (isFolder(entry)) open.push(...(await childrenOf(entry)).reverse())
  }
  return files
}

/** Files of a folder that was chosen in a dialog. */
export function filesOfInput(files: FileList): PathFile[] {
  return [...files]
    .filter((file) => !LITTER.has(file.name))
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** Name the dropped items: the folder that holds everything, or "files" where there is none. */
export function nameOf(files: readonly PathFile[]): string {
  const folders = new Set(files.map(({ path }) => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "")))
  return folders.size === 1 ? [...folders][0] || "files" : "files"
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives some entries at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!some.length) return children.sort((a, b) => a.name.localeCompare(b.name))
    children.push(...some)
  }
}
