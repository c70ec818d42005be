/** Signing in, tokens and the audit log. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export const SESSION = ["session"] as const
const TOKENS = ["tokens"] as const
const AUDIT = ["audit"] as const
export type TokenOut = Schemas["TokenOut"]
export type AuditEntry = Schemas["AuditEntryOut"]

export const fetchSession = () => body(api.GET("/api/session"))

export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: fetchSession, staleTime: 60_000 })
}

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => body(api.POST("/api/session", { body: { token } })),
    onSuccess: (session) => client.setQueryData(SESSION, session),
  })
}

/** Clear all cached responses, and query the session again. */
export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => body(api.DELETE("/api/session")),
    onSuccess: async () => {
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== SESSION[0] })
      await client.invalidateQueries({ queryKey: SESSION })
    },
  })
}

export function useTokens() {
  return useQuery({ queryKey: TOKENS, queryFn: () => body(api.GET("/api/tokens")) })
}

export function useCreateToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (order: Schemas["NewToken"]) => body(api.POST("/api/tokens", { body: order })),
    onSuccess: () => client.invalidateQueries({ queryKey: TOKENS }),
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => body(api.DELETE("/api/tokens/{name}", { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: TOKENS }),
  })
}

/** The audit log page by page, newest first. */
export function useAudit() {
  return useInfiniteQuery({
    queryKey: AUDIT,
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? { limit: 100 } : { limit: 100, before: pageParam }
      return body(api.GET("/api/audit", { params: { query }, signal }))
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.more ? (last.entries.at(-1)?.number ?? null) : null),
    placeholderData: keepPreviousData,
  })
}
