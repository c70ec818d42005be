/** Put text into the clipboard, also where a page is served over plain HTTP and has no `navigator.clipboard`. */

import { ApiProblem, problemOf } from "@/api/client"
import { notify, report } from "@/components/toasts"
import { t } from "@/strings"

/** Put text into the clipboard; throws an `ApiProblem` where the browser refuses every way. */
export async function copyText(text: string): Promise<void> {
  // Browsers offer it only over HTTPS and to pages of the machine itself, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined
  try {
    if (clipboard) return await clipboard.writeText(text)
  } catch {
    // Refused, for example because the page has no focus; the older way may still be allowed.
  }
  if (!copySelected(text)) throw new ApiProblem({ ...t.problem.clipboard, detail: "" }, 0)
}

/** Put text into the clipboard, and say that it is there, or why not. */
export async function copyAndSay(text: string, done: string): Promise<void> {
  try {
    await copyText(text)
    notify(done)
  } catch (reason) {
    report(problemOf(reason))
  }
}

/** Copy through a temporary selected field; false: the browser refused. */
function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement("textarea")
  field.value = text
  field.readOnly = true // keeps the keyboard of a phone away
  field.setAttribute("aria-hidden", "true")
  field.style.cssText = "position: fixed; top: 0; opacity: 0"
  // A dialog takes the focus back from anything outside itself.
  const place = focused?.closest("[role=dialog], [role=alertdialog]") ?? document.body
  place.append(field)
  try {
    field.focus({ preventScroll: true })
    field.select()
    return document.execCommand("copy")
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}
