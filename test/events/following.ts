import type { Event } from '../../src/contract/events'
import { waitUntil } from '../expectations'

export interface Following {
  response: Response
  events: Event[]
  /** Everything that came, as it came. */
  text(): string
  /** Until so many events came. */
  count(events: number): Promise<Event[]>
  /** Until one such came. */
  until(isWanted: (event: Event) => boolean): Promise<void>
  /** Until the server ended it. */
  ended: Promise<void>
  close(): void
}

/** Follows the log live, as anything that reads server-sent events would, by hand. */
export async function followLog(
  { token, baseUrl }: { token: string; baseUrl: string },
  { query = '', lastEventId }: { query?: string; lastEventId?: string } = {},
): Promise<Following> {
  const gone = new AbortController()
  const response = await fetch(`${baseUrl}/v2/events${query}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'text/event-stream',
      ...(lastEventId && { 'Last-Event-ID': lastEventId }),
    },
    signal: gone.signal,
  })
  const events: Event[] = []
  let text = ''
  const read = async () => {
    if (response.status !== 200) return
    let rest = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream() as never) as never as string[]) {
      text += piece
      const frames = (rest + piece).split('\n\n')
      rest = frames.pop()!
      for (const frame of frames) if (frame.startsWith('id: ')) events.push(eventIn(frame))
    }
  }
  const ended = read().catch((error) => {
    if (!gone.signal.aborted) throw error
  })
  return {
    response,
    events,
    text: () => text,
    async count(many) {
      await waitUntil(async () => events.length >= many)
      return events
    },
    until: (isWanted) => waitUntil(async () => events.some(isWanted)),
    ended,
    close: () => gone.abort(),
  }
}

/** The frame says the same in its fields and in its data. */
function eventIn(frame: string): Event {
  const [, id, type, data] = frame.match(/^id: (\S+)\nevent: (\S+)\ndata: ([^\n]+)$/) ?? []
  const event = JSON.parse(data!) as Event
  if (event.id !== id || event.type !== type) throw new Error(`A frame contradicts itself: ${frame}`)
  return event
}
