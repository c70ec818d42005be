/** Requests one after the other, where the service answers few at a time. */

/** Give a function that asks only when what it asked before is answered, well or not. */
export function inTurn(): <Answer>(ask: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  return (ask) => {
    const answer = last.then(ask, ask)
    last = answer
    return answer
  }
}
