/** More runs than these are not told apart when laid over one another. */
export const MOST_OVERLAID = 6
