/** Finding a model among those of the catalogue. */

import type { ModelHead, ModelLimit } from "@/api/models"

export const ANY = "any"

/** Models of a kind that have all of the words in their maker, model, title or identifier. */
export function foundModels(models: readonly ModelHead[], text: string, kind: string): ModelHead[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter((model) => {
    const all =
      `${model.maker} ${model.model} ${model.title} ${model.id} ${model.kind} ${model.interfaces.join(" ")}`.toLowerCase()
    return (kind === ANY || model.kind === kind) && wanted.every((word) => all.includes(word))
  })
}

export const kindsOf = (models: readonly ModelHead[]): string[] =>
  [...new Set(models.map((model) => model.kind))].sort()

export type Limits = ReadonlyMap<string, ModelLimit>

/** Models by their limit of error, the smallest first; those without one come last, in their order. */
export function byLimit(models: readonly ModelHead[], limits: Limits): ModelHead[] {
  const limitW = ({ id }: ModelHead): number => limits.get(id)?.limit?.limit_w ?? Number.POSITIVE_INFINITY
  return models.toSorted((a, b) => (limitW(a) === limitW(b) ? 0 : limitW(a) - limitW(b)))
}

/** Ways to reach a model, each in a few words: what follows a colon says where the line ends. */
export const interfacesOf = (model: ModelHead): string[] => model.interfaces.map((way) => way.split(":")[0]!)
