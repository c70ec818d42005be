/** Sentences of a text: one ends with a full stop before a space and what cannot go on within it. */

export const sentences = (text: string): string[] => text.split(/(?<=\.)\s+(?=[\p{Lu}\d“"])/u)
