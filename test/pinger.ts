import type { Person } from './world'

/** How long others may wait because of one request. */
export const MAX_STALL_MS = 100
const TRIES = 5

/** Measures the longest time in which `GET /v2/me` got no response while something else ran, without the usual time. */
export async function stallDuring(who: Person, work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const ping = async () => {
    const started = performance.now()
    await (await fetch(`${who.baseUrl}/v2/me`, { headers: { Authorization: `Bearer ${who.token}` } })).text()
    return performance.now() - started
  }
  const usual = Math.min(await ping(), await ping(), await ping())
  const pings = (async () => {
    while (!isDone) {
      longest = Math.max(longest, await ping())
      await Bun.sleep(2)
    }
  })()
  try {
    // The first pings are on their way before the work begins.
    await Bun.sleep(10)
    await work()
  } finally {
    isDone = true
    await pings
  }
  return longest - usual
}

/** The shortest stall of several tries: on a busy machine some take long, but what is a stall of ours shows in each. */
export async function shortestStall(
  who: Person,
  work: (attempt: number) => Promise<unknown>,
  tries = TRIES,
): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries && shortest > MAX_STALL_MS; attempt++)
    shortest = Math.min(shortest, await stallDuring(who, () => work(attempt)))
  return Math.round(shortest)
}
