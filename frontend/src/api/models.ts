/** Models of meters and BMCs: their forms, their addresses, and trying one before it is on the bench. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"
import type { operations } from "./schema"

export type ModelHead = Schemas["ModelHeadOut"]
export type ModelLimit = Schemas["ModelLimitOut"]
export type Model = operations["models_model"]["responses"][200]["content"]["application/json"]
export type FormField = Schemas["Field"]
export type Address = Schemas["AddressFields"]
export type TryOrder = operations["meters_try_meter"]["requestBody"]["content"]["application/json"]
/** Omitted fields take the service's defaults. */
export type ScanOrder = Partial<Schemas["ScanOrder"]>
export type Found = Schemas["FoundOut"]

export function useModels() {
  return useQuery({ queryKey: ["models"], queryFn: () => body(api.GET("/api/models")), staleTime: 60_000 })
}

/** Limits of error of all models at a load [W]; the first response takes seconds, because every declaration is read. */
export function useModelLimits(power: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: computed(() => ["models", "limits", toValue(power)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/models/limits", { params: { query: { power_w: toValue(power) } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useModel(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["models", toValue(id)]),
    queryFn: () => body(api.GET("/api/models/{model}", { params: { path: { model: toValue(id) } } })),
    staleTime: 60_000,
  })
}

/** The address built from a form's values; its mistakes are the query's error. */
export function useAddress(id: MaybeRefOrGetter<string>, address: MaybeRefOrGetter<Address | null>) {
  return useQuery({
    queryKey: computed(() => ["models", toValue(id), "address", toValue(address)]),
    queryFn: ({ signal }) => {
      const params = { path: { model: toValue(id) } }
      return body(api.POST("/api/models/{model}/address", { params, body: toValue(address)!, signal }))
    },
    enabled: computed(() => toValue(address) !== null),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** The parts of an address, as a form's values. */
export const readAddress = (model: string, url: string) =>
  body(api.POST("/api/models/{model}/fields", { params: { path: { model } }, body: { url } }))

export function usePorts() {
  return useQuery({ queryKey: ["ports"], queryFn: () => body(api.GET("/api/ports")), staleTime: 10_000 })
}

export function useTryMeter() {
  return useMutation({ mutationFn: (order: TryOrder) => body(api.POST("/api/meters/try", { body: order })) })
}

export function useScan() {
  return useMutation({
    mutationFn: (order: ScanOrder) => body(api.POST("/api/meters/scan", { body: order as Schemas["ScanOrder"] })),
  })
}

/** Ask this machine, or another one over SSH, for the fields of a configuration. */
export function useReadMachine() {
  return useMutation({
    mutationFn: (order: Schemas["MachineOrder"]) => body(api.POST("/api/bench/read-machine", { body: order })),
  })
}

/** Hand a password to the service, for one address alone; returns the name of the file for the entry. */
export const keepPassword = (order: Schemas["NewSecret"]) =>
  body(api.POST("/api/bench/secrets", { body: order })).then((secret) => secret.password_file)
