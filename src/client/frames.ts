/** A server-sent event, or a comment that says how far the log was searched. */
export interface Frame {
  id?: string
  data?: string
}

/**
 * Returns a function that takes a stream of server-sent events as it arrives, in pieces of any length, and returns the frames
 * that are complete.
 */
export function openFrameParser(): (text: string) => Frame[] {
  let rest = ''
  let frame: Frame = {}

  const readLine = (line: string): Frame[] => {
    // The greeting and heartbeats say how far the log was searched: `: after <id>`.
    if (line.startsWith(':')) return [{ id: line.match(/^: after (\S+)$/)?.[1] }]
    const [, field, value] = line.match(/^(id|data): ?(.*)/) ?? []
    if (field === 'id') frame.id = value
    if (field === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
    if (line) return []
    const ended = frame
    frame = {}
    return ended.data === undefined ? [] : [ended]
  }

  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    return lines.flatMap((line) => readLine(line.replace(/\r$/, '')))
  }
}
