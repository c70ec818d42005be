/** One vertical scale for the traces of a server that show the same quantity, so that their heights compare. */

type Extent = readonly [low: number, high: number]

export class SharedScale {
  private readonly extents = new Map<string, Extent>()

  /** Register the range of a channel; null where it shows nothing. */
  take(channel: string, extent: Extent | null): void {
    if (extent) this.extents.set(channel, extent)
    else this.extents.delete(channel)
  }

  /** From the least to the greatest value that is shown; null where nothing is. */
  get extent(): Extent | null {
    const all = [...this.extents.values()]
    if (!all.length) return null
    return [Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))]
  }
}
