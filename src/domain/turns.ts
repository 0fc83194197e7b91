/** Texts from this length on take milliseconds to parse, render or search. */
const LONG_TEXT = 10_000

/**
 * Lets other requests have their turn after work on a text, if it is long: all requests share one thread, and a text of the
 * maximum length takes tens of milliseconds for each step. Short texts are not delayed.
 */
export const endTurn = (text: { length: number }): Promise<unknown> | undefined =>
  text.length < LONG_TEXT ? undefined : new Promise(setImmediate)
