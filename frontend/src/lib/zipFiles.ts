/**
 * Files as one zip file, stored as they are: APPNOTE.TXT 6.3.3 without ZIP64. The browser reads each file once for its
 * checksum, and again from the disk when the zip file is sent; nothing is held in memory.
 */

import type { PathFile } from "./droppedFiles"
import type { Progress } from "./sendFile"

/** As many as the end record can count. */
export const MOST_FILES = 65_535

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const UTF8_NAMES = 0x0800
const NO_DATE = 0x21 // 1980-01-01, the first day that there is

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** Continue a CRC-32 (begin with 0) over more bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}

/** Pack files under their paths; ``progress`` receives how much has been read. */
export async function zipFiles(files: readonly PathFile[], progress: Progress): Promise<Blob> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0)
  const parts: BlobPart[] = []
  const central: BlobPart[] = []
  let [offset, centralSize, read] = [0, 0, 0]
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path)
    const crc = await checksum(file, (bytes) => progress(total ? (read += bytes) / total : 1))
    // from "flags" to "length of the name" both records have the same fields
    const shared = [
      [2, UTF8_NAMES],
      [2, 0],
      [2, 0],
      [2, NO_DATE],
      [4, crc],
      [4, file.size],
      [4, file.size],
      [2, name.length],
    ] as const
    const local = record([4, LOCAL], [2, VERSION], ...shared, [2, 0])
    const entry = record(
      [4, CENTRAL],
      [2, VERSION],
      [2, VERSION],
      ...shared,
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    )
    parts.push(local, name, file)
    central.push(entry, name)
    offset += local.length + name.length + file.size
    centralSize += entry.length + name.length
  }
  const count = files.length
  const end = record([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, centralSize], [4, offset], [2, 0])
  return new Blob([...parts, ...central, end], { type: "application/zip" })
}

async function checksum(file: Blob, tell: (bytes: number) => void): Promise<number> {
  let crc = 0
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return crc
    crc = crc32(value, crc)
    tell(value.length)
  }
}

/** Write numbers of 2 or 4 bytes, little end first. */
function record(...fields: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0))
  const view = new DataView(bytes.buffer)
  let place = 0
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(place, value, true)
    else view.setUint32(place, value, true)
    place += size
  }
  return bytes
}
