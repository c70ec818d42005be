/** One device in a form: its address while it is typed, its passwords, and what is sent to try or to save it. */

import { computed, ref, watch, type Ref } from "vue"
import { problemOf, type Schemas } from "@/api/client"
import { keepPassword, readAddress, useAddress, useTryMeter, type Model, type TryOrder } from "@/api/models"
import { mistakesOf } from "@/lib/edits"
import { bmcEntry, deviceId, keptFields, meterEntry, saidFields, withoutModel, type Device, type Draft } from "./form"

export const TRY_S = 4

export function useDevice(model: Ref<Model>, draft: Ref<Draft>, taken: Ref<readonly string[]>) {
  const passwords = { password_file: ref(""), privacy_password_file: ref("") }
  const address = useAddress(
    () => model.value.head.id,
    () => ({ scheme: draft.value.scheme, fields: saidFields(draft.value.fields) }),
  )
  const attempt = useTryMeter()
  const url = computed(() => (address.isError.value ? null : (address.data.value?.url ?? null)))
  const transport = computed(() => model.value.transports.find((transport) => transport.scheme === draft.value.scheme))
  const addressMistakes = computed(() => mistakesOf(address.error.value))
  const id = computed(() => deviceId(draft.value, model.value, taken.value))

  const scheme = computed({
    get: () => draft.value.scheme,
    set: (next) =>
      (draft.value = { ...draft.value, scheme: next, fields: keptFields(draft.value.fields, model.value, next) }),
  })

  /** Fill in the fields from an address in one text, as `wattmark meter read` takes it; null, or what is wrong. */
  async function take(text: string): Promise<string | null> {
    try {
      const { scheme, fields } = await readAddress(model.value.head.id, withoutModel(text))
      draft.value = { ...draft.value, scheme, fields: fields as Draft["fields"] }
      return null
    } catch (reason) {
      return mistakesOf(reason)[0]?.message ?? problemOf(reason).cause
    }
  }

  /** Hand over what was typed as a password, once, for the address as it is now, and name its file in the entry. */
  async function keepPasswords(): Promise<void> {
    for (const [place, typed] of Object.entries(passwords)) {
      if (!typed.value || !url.value) continue
      const [owner, password] = [id.value, typed.value]
      const file = await keepPassword({ owner, password, model: model.value.head.id, url: url.value })
      draft.value = { ...draft.value, entry: { ...draft.value.entry, [place]: file } }
      typed.value = ""
    }
  }

  /** The entry as it would be on the bench. */
  async function whole(): Promise<Device> {
    await keepPasswords()
    const place = url.value ?? ""
    return model.value.head.section === "bmcs"
      ? bmcEntry(draft.value, id.value, place)
      : meterEntry(draft.value, model.value, id.value, place)
  }

  /** Read the device; null where it could not be. */
  async function tryIt(): Promise<Schemas["TryOut"] | null> {
    await keepPasswords()
    const { server: _server, ...entry } = meterEntry(
      draft.value,
      model.value,
      id.value,
      url.value ?? "",
    ) as Draft["entry"]
    const { id: _id, feeds: _feeds, alarms: _alarms, ...meter } = entry
    return attempt.mutateAsync({ meter: meter as TryOrder["meter"], seconds: TRY_S }).catch(() => null)
  }
  watch(draft, () => attempt.isError.value && attempt.reset())

  return { address, addressMistakes, attempt, id, passwords, scheme, take, transport, tryIt, url, whole }
}
