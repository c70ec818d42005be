/** Set the service's sentences in type: a true minus before a number, and no line break between a number and its unit. */

const MINUS = /(?<=^|[\s(])-(?=\d)/g
const UNIT = /(?<=\d) (?=(?:%|W|kW|J|s|V|A|signs|DIMMs?|modules?|runs?)(?![\p{L}\p{N}]))/gu

export const typeset = (text: string): string => text.replace(MINUS, "−").replace(UNIT, "\u00a0")
