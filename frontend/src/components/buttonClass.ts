/** The look of a plain button, for triggers that a library renders itself. */
export function buttonClass(small = false): string {
  const size = small ? "h-[26px] px-2" : "h-8 px-3"
  return `inline-flex items-center gap-1.5 rounded-6 border border-control bg-surface-1 text-13 font-medium whitespace-nowrap hover:bg-surface-2 ${size}`
}
