/** Whether a key is meant for a field. */

const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=listbox] *"

export const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches(FIELDS)
