/** Queries about certificates, check standards and versions of results. */

import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"
import { keys } from "./queries"
import type { operations } from "./schema"

const CALIBRATION = "calibration"

/** A certificate or a recomputed result changes figures everywhere. */
async function changed(client: QueryClient): Promise<void> {
  for (const queryKey of [[CALIBRATION], keys.runs, ["compare"], ["memory"]])
    await client.invalidateQueries({ queryKey })
}

export function useMetersCalibration() {
  return useQuery({
    queryKey: [CALIBRATION, "meters"],
    queryFn: () => body(api.GET("/api/meters/calibration")),
    staleTime: 30_000,
  })
}

export function useCertificates() {
  return useQuery({
    queryKey: [CALIBRATION, "certificates"],
    queryFn: () => body(api.GET("/api/certificates")),
    staleTime: 30_000,
  })
}

export function useCertificate(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => [CALIBRATION, "certificate", toValue(id)]),
    queryFn: ({ signal }) => {
      const params = { path: { certificate_id: toValue(id) } }
      return body(api.GET("/api/certificates/{certificate_id}", { params, signal }))
    },
  })
}

export const certificateFileUrl = (id: string): string => `/api/certificates/${encodeURIComponent(id)}/file`

export type Upload = { file: File } & Omit<
  NonNullable<operations["certificates_add_certificate"]["parameters"]["query"]>,
  "file_name"
>

/** Send the file as it is; the service distinguishes JSON, CSV and DCC XML by content. */
export function useAddCertificate() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ file, ...fields }: Upload) =>
      body(
        api.POST("/api/certificates", {
          params: { query: { file_name: file.name, ...fields } },
          body: file as unknown as string,
          bodySerializer: (sent: unknown) => sent as BodyInit,
          headers: { "Content-Type": "application/octet-stream" },
        }),
      ),
    onSuccess: () => changed(client),
  })
}

export type InHouseOrder = Schemas["InHouseOrder"]

/** Preview of an in-house calibration; the query changes nothing. */
export function usePreviewInHouse() {
  return useMutation({
    mutationFn: (order: InHouseOrder) => body(api.POST("/api/certificates/in-house/preview", { body: order })),
  })
}

export function useIssueInHouse() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (order: InHouseOrder) => body(api.POST("/api/certificates/in-house", { body: order })),
    onSuccess: () => changed(client),
  })
}

/** Older results that a certificate puts in doubt; the query changes nothing. */
export function useReview(id: MaybeRefOrGetter<string>, wanted: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: computed(() => [CALIBRATION, "review", toValue(id)]),
    queryFn: ({ signal }) => {
      const params = { path: { certificate_id: toValue(id) } }
      return body(api.POST("/api/certificates/{certificate_id}/review", { params, signal }))
    },
    enabled: computed(() => toValue(wanted)),
  })
}

export type Signed = Schemas["Signed"]

export function useRecomputeReview(id: MaybeRefOrGetter<string>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (signed: Signed) => {
      const params = { path: { certificate_id: toValue(id) } }
      return body(api.POST("/api/certificates/{certificate_id}/recompute", { params, body: signed }))
    },
    onSuccess: () => changed(client),
  })
}

export interface OverrideOrder {
  certificate: string
  order: Schemas["OverrideIn"]
}

/** Accept refusals of a certificate, signed and explained. */
export function useOverride() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ certificate, order }: OverrideOrder) => {
      const params = { path: { certificate_id: certificate } }
      return body(api.POST("/api/certificates/{certificate_id}/override", { params, body: order }))
    },
    onSuccess: () => changed(client),
  })
}

export function useRunVersions(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => [CALIBRATION, "versions", toValue(id)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/runs/{run_id}/versions", { params: { path: { run_id: toValue(id) } }, signal })),
  })
}

export function useRecomputeRun(id: MaybeRefOrGetter<string>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (signed: Signed) => {
      const params = { path: { run_id: toValue(id) } }
      return body(api.POST("/api/runs/{run_id}/recompute", { params, body: signed }))
    },
    onSuccess: () => changed(client),
  })
}

export function useCheckStandards() {
  return useQuery({
    queryKey: [CALIBRATION, "check-standards"],
    queryFn: () => body(api.GET("/api/check-standards")),
    staleTime: 30_000,
  })
}

export function useCheckStandard(name: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => [CALIBRATION, "check-standard", toValue(name)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/check-standards/{name}", { params: { path: { name: toValue(name) } }, signal })),
  })
}

export function useAddCheckStandard() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (order: Schemas["NewCheckStandard"]) => body(api.POST("/api/check-standards", { body: order })),
    onSuccess: () => client.invalidateQueries({ queryKey: [CALIBRATION] }),
  })
}

export function useRecordReading(name: MaybeRefOrGetter<string>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (order: Schemas["NewReading"]) =>
      body(
        api.POST("/api/check-standards/{name}/readings", { params: { path: { name: toValue(name) } }, body: order }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: [CALIBRATION] }),
  })
}
