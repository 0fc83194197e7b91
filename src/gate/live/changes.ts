import { Problem } from '../../contract/errors'
import type { Engine } from '../../store/engines/engine'

type Listener = (hasDeleted: boolean) => void

/** Notifies the waiters of a workspace that it may have changed. What happened is in the log. */
export interface Changes {
  /** Called after this process changed a workspace; `hasDeleted` if it deleted content there. */
  notify(workspaceKey: number, hasDeleted?: boolean): void
  /**
   * Calls back whenever the workspace may have changed, by any process. `hasDeleted` is only known for deletions by this
   * process; for others, the log tells.
   */
  subscribe(workspaceKey: number, listener: Listener): () => void
  /** Calls back after this process changed any workspace. */
  subscribeToAll(listener: () => void): () => void
  close(): void
}

/** Changes of other processes are watched for as long as someone waits for some, and a while longer: the next one comes soon. */
const LINGER_MS = 30_000

export function openChanges(engine: Engine): Changes {
  const listeners = new Map<number, Set<Listener>>()
  const listenersToAll = new Set<() => void>()
  let stopWatching: (() => void) | undefined
  let lingering: Timer | undefined

  const onChange = (workspaceKeys = [...listeners.keys()], hasDeleted = false) => {
    for (const key of workspaceKeys) for (const listener of listeners.get(key) ?? []) listener(hasDeleted)
  }

  function watch() {
    clearTimeout(lingering)
    stopWatching ??= engine.watch(onChange)
  }

  function stop() {
    clearTimeout(lingering)
    stopWatching?.()
    stopWatching = undefined
  }

  return {
    notify(workspaceKey, hasDeleted) {
      onChange([workspaceKey], hasDeleted)
      for (const listener of listenersToAll) listener()
      engine.notify(workspaceKey)
    },
    subscribe(workspaceKey, listener) {
      watch()
      const own = listeners.getOrInsertComputed(workspaceKey, () => new Set())
      own.add(listener)
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(workspaceKey)
        if (listeners.size > 0) return
        clearTimeout(lingering)
        lingering = setTimeout(stop, LINGER_MS)
        lingering.unref()
      }
    },
    subscribeToAll(listener) {
      listenersToAll.add(listener)
      return () => void listenersToAll.delete(listener)
    },
    close: stop,
  }
}

/** How many streams and waiting polls may be open in this process: for one member or app, and in total. 0 is no limit. */
export interface StreamLimits {
  perCaller: number
  total: number
}

const NO_LIMITS: StreamLimits = { perCaller: 0, total: 0 }
const RETRY_SECONDS = 5

export interface Stream {
  heartbeat(): void
  /** Ends the stream if its token has expired. */
  check(): void
  end(): void
}

export interface Streams {
  /** Takes a slot for a stream or a waiting poll, or throws if there is none. Returns a function that frees the slot. */
  reserve(authorKey: number): () => void
  join(stream: Stream): () => void
  count(): number
  /** Aborted when the server stops. */
  closing: AbortSignal
  close(): void
}

const CHECK_MS = 500
const CHECKS_PER_HEARTBEAT = 30

export function openStreams(limits = NO_LIMITS, checkMs = CHECK_MS): Streams {
  const reserve = openSlots(limits)
  const open = new Set<Stream>()
  const closing = new AbortController()
  let timer: Timer | undefined
  let checks = 0

  const tick = () => {
    checks += 1
    const isHeartbeat = checks % CHECKS_PER_HEARTBEAT === 0
    for (const stream of open) {
      if (isHeartbeat) stream.heartbeat()
      else stream.check()
    }
  }
  return {
    reserve,
    join(stream) {
      open.add(stream)
      // Its request may have been held while the server stopped; nobody would end it.
      if (closing.signal.aborted) queueMicrotask(() => stream.end())
      timer ??= setInterval(tick, checkMs)
      return () => {
        open.delete(stream)
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    count: () => open.size,
    closing: closing.signal,
    close() {
      closing.abort()
      for (const stream of [...open]) stream.end()
    },
  }
}

function openSlots({ perCaller, total }: StreamLimits): Streams['reserve'] {
  const callers = new Map<number, number>()
  let taken = 0

  return (authorKey) => {
    const own = callers.get(authorKey) ?? 0
    if (perCaller > 0 && own >= perCaller) throw tooManyStreams(perCaller)
    if (total > 0 && taken >= total) throw serverIsFull(total)
    callers.set(authorKey, own + 1)
    taken += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      taken -= 1
      const left = callers.get(authorKey)! - 1
      if (left === 0) callers.delete(authorKey)
      else callers.set(authorKey, left)
    }
  }
}

const tooManyStreams = (max: number) =>
  new Problem(
    'too_many_streams',
    `You already have ${max} live streams or waiting polls open, the most allowed at a time. Close one first.`,
    undefined,
    { 'Retry-After': String(RETRY_SECONDS) },
  )

const serverIsFull = (max: number) =>
  new Problem(
    'unavailable',
    `The server has reached its limit of ${max} live streams and waiting polls. Try again later.`,
    undefined,
    { 'Retry-After': String(RETRY_SECONDS) },
  )
