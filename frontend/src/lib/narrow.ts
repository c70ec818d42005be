/** Whether the page is as narrow as a phone, where tables become cards. */

import { useMediaQuery } from "@vueuse/core"

export const useNarrow = () => useMediaQuery("(width < 640px)")
