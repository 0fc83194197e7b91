import type { Random } from '../random-writes'

interface ReaderOptions {
  urls: readonly string[]
  token: string
  after: string
  /** The number of events to read. */
  events: number
  /** How often the connection is cut. */
  cuts: number
  random: Random
}

/**
 * Reads the live stream over connections that are cut at random times, also within a frame, and resumes at a random
 * server from the last complete event.
 */
export async function readWithCuts({ urls, token, after, events, cuts, random }: ReaderOptions) {
  const ids: string[] = []
  const maxBetween = Math.floor((1.6 * events) / cuts)
  let last = after
  let cutsMade = 0

  while (ids.length < events) {
    const isCut = cutsMade < cuts
    await readUntilCut(random.pick(urls), isCut ? random.below(maxBetween) : Number.POSITIVE_INFINITY)
    if (isCut) cutsMade += 1
  }
  return { ids, cuts: cutsMade }

  async function readUntilCut(url: string, max: number) {
    const cut = new AbortController()
    try {
      const response = await ask(url, cut.signal)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      let seen = 0
      for await (const id of idsIn(response)) {
        if (seen++ >= max) return
        ids.push(id)
        if (ids.length === events) return
      }
    } finally {
      cut.abort()
    }
  }

  function ask(url: string, signal: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', 'Last-Event-ID': last }
    return fetch(`${url}/v2/events?types=post.created`, { headers, signal })
  }

  /** The ids of complete frames. */
  async function* idsIn(response: Response) {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
      text = frames.pop()!
      for (const frame of frames) {
        const [, id, isEvent] = frame.match(/^id: (evt_\w+)(\nevent: )?/m) ?? []
        if (isEvent) yield id!
        last = id ?? last
      }
    }
  }
}
