/** Data sent with a certificate: the file and its owner's statements, without empty fields. */

import type { Upload } from "@/api/calibration"

export interface UploadFields {
  dueOn: string
  by: string
  note: string
  revise: boolean
}

export function uploadOf(file: File, fields: UploadFields): Upload {
  const by = fields.by.trim()
  const note = fields.note.trim()
  return {
    file,
    ...(fields.dueOn && { due_on: fields.dueOn }),
    ...(by && { approved_by: by }),
    ...(by && note && { approval_note: note }),
    ...(fields.revise && { revise: true }),
  }
}
