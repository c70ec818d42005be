/** Finding a model among those of the catalogue. */

import type { ModelHead } from "@/api/models"

export const ANY = "any"

/** Models of a kind that have all of the words in their maker, model, title or identifier. */
export function foundModels(models: readonly ModelHead[], text: string, kind: string): ModelHead[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter((model) => {
    const all = `${model.maker} ${model.model} ${model.title} ${model.id} ${model.kind}`.toLowerCase()
    return (kind === ANY || model.kind === kind) && wanted.every((word) => all.includes(word))
  })
}

export const kindsOf = (models: readonly ModelHead[]): string[] =>
  [...new Set(models.map((model) => model.kind))].sort()
