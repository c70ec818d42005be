/** Rows that somebody chose, kept in the address. */

import { useListParameter } from "@/lib/address"

export function usePins(parameter: string) {
  const pins = useListParameter(parameter)
  const toggle = (key: string): void => {
    pins.value = pins.value.includes(key) ? pins.value.filter((other) => other !== key) : [...pins.value, key]
  }
  return { pins, toggle }
}
