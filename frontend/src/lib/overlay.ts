/** Largest number of overlaid runs that can be distinguished. */
export const MOST_OVERLAID = 6
