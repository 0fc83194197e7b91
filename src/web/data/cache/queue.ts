import { notifyManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { ApiError, NotFoundError } from '../../../client/errors'
import { backoff, mayPass } from '../../../client/send'
import { getErrorMessage } from '../../parts/states'
import { getMyId } from '../me'
import { optimistic, show } from './optimistic'
import { type Change, markStale } from './records'
import { getTokenOwner, isSignedOut } from './session'
import { createRandomId, createStoredValue } from './storage'

/**
 * What people write reaches the server through this queue. It is kept in the browser until the server has confirmed it, so
 * nothing is lost while there is no connection, or if the page is closed. What is about the same post or thread is sent in
 * order, and each is done once: by its Idempotency-Key, or because doing it again changes nothing.
 */
export interface Waiting<I = unknown> {
  id: string
  kind: string
  input: I
  /** Who did it. Nobody else sends it. */
  memberId: string
  /** What it is about. */
  subjectId: string
  createdAt: string
  /** When it was first tried; null if it never was. */
  triedAt: number | null
  /** Since when it is being sent; null while it waits. */
  sendingSince: number | null
  idempotencyKey: string
  /** Why it was not sent. It is only sent by hand from then on. */
  problem: string | null
  /** What it is about is gone, and the place where it was written with it. */
  isOrphaned?: boolean
}

/** A kind of write. */
interface Kind<I, O> {
  /** What it is about. What is about the same is sent in order. */
  subjectOf(input: I): string
  /** What it changes, to be shown at once. What it creates is shown by the pages themselves. */
  changes?(input: I): Change[]
  /** Completes what was written without a connection, once, before it is first sent. */
  prepare?(input: I): Promise<I>
  send(input: I, idempotencyKey: string): Promise<O>
  /** Puts the result into the cache. */
  settle(output: O, input: I): void
  /** Whether a later one about the same takes the place of an earlier one. */
  replacesEarlier?: boolean
  /** The member has not asked for it: it is not listed, and dropped if the server refuses it. */
  isAutomatic?: boolean
}

/** The server forgets Idempotency-Keys after 24 hours: what was tried before may have been done, and would be done again. */
const MAX_AGE_MS = 23 * 3_600_000
/** The clock may have been ahead then. */
const isTooOld = (triedAt: number | null) => triedAt !== null && Math.abs(Date.now() - triedAt) > MAX_AGE_MS
const TOO_OLD = 'It may have been sent already. Check before you send it again.'

// biome-ignore lint/suspicious/noExplicitAny: each kind knows its own input and output.
const kinds = new Map<string, Kind<any, any>>()
const isEntry = (value: unknown) =>
  typeof value === 'object' && value !== null && 'input' in value && typeof value.input === 'object'
const stored = createStoredValue<Waiting[]>('queue', [], (entries) => entries.filter(isEntry))

const isMine = (entry: Waiting) => entry.memberId === getMyId()
/** Another build of the app may have stored kinds that this one does not know. */
const list = () => stored.read().filter((entry) => isMine(entry) && kinds.has(entry.kind))

const listeners = new Set<() => void>()
let snapshot: readonly Waiting[] = []
/** Hides what an entry changes. */
const hiders = new Map<string, () => void>()

/** Shows what the entries change, and only these. */
function refresh() {
  const entries = list()
  const shown = new Set(entries.filter(({ problem }) => problem === null).map(({ id }) => id))
  for (const [id, hide] of hiders)
    if (!shown.has(id)) {
      hiders.delete(id)
      hide()
    }
  for (const { id, kind, input } of entries) {
    const changes = shown.has(id) && !hiders.has(id) && kinds.get(kind)!.changes?.(input)
    if (changes) hiders.set(id, show(changes))
  }
  snapshot = entries.filter(({ kind }) => !kinds.get(kind)!.isAutomatic)
  // Together with what has changed in the cache.
  for (const listener of listeners) notifyManager.schedule(listener)
}
stored.subscribe(refresh)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Everything that the member has done and that waits or was not sent. */
export const useQueue = (): readonly Waiting[] => useSyncExternalStore(subscribe, () => snapshot)

/** The same outside of components. */
export const listWaiting = (): readonly Waiting[] => snapshot

/** False if it could not be stored. */
const edit = (id: string, changes: Partial<Waiting>): boolean =>
  stored.update((entries) => entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)))

/** Removes an entry, and resolves the promise of its caller. */
function remove(id: string, output?: unknown) {
  stored.update((entries) => entries.filter((entry) => entry.id !== id))
  callers.get(id)?.resolve(output)
  callers.delete(id)
}

interface Caller {
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** Who waits for an entry to be sent for the first time, in this tab. */
const callers = new Map<string, Caller>()

/**
 * Defines a kind of write. The function that it returns resolves to what the server returned, or to undefined if the write waits
 * for a connection, and throws if the server refuses it at once.
 */
export function defineWrite<I, O>(name: string, kind: Kind<I, O>) {
  kinds.set(name, kind)
  if (getMyId()) refresh()
  return (input: I, idempotencyKey = createRandomId()): Promise<O | undefined> => {
    const entry: Waiting<I> = {
      id: createRandomId(),
      kind: name,
      input,
      memberId: getMyId()!,
      subjectId: kind.subjectOf(input),
      createdAt: new Date().toISOString(),
      triedAt: null,
      sendingSince: navigator.onLine ? Date.now() : null,
      idempotencyKey,
      problem: null,
    }
    const isReplaced = ({ id, kind: other, subjectId, problem }: Waiting) =>
      kind.replacesEarlier && other === name && subjectId === entry.subjectId && problem === null && !sending.has(id)
    for (const replaced of list().filter(isReplaced)) remove(replaced.id)
    if (!stored.update((entries) => [...entries, entry])) return sendUnstored(kind, entry)
    return new Promise<O | undefined>((resolve, reject) => {
      callers.set(entry.id, { resolve: resolve as Caller['resolve'], reject })
      void sendAbout(entry.subjectId)
    })
  }
}

/** Where the browser stores nothing, because it is full or may not, what cannot be sent now is not taken. */
async function sendUnstored<I, O>(
  { send, settle, changes }: Kind<I, O>,
  { subjectId, input, idempotencyKey }: Waiting<I>,
): Promise<O> {
  await sendAbout(subjectId)
  const isEarlier = (entry: Waiting) => entry.subjectId === subjectId && entry.problem === null
  if (list().some(isEarlier)) throw new Error('What was written before it has not been sent.')
  return optimistic(
    changes?.(input) ?? [],
    () => send(input, idempotencyKey),
    (output) => settle(output, input),
  )
}

/** Whether a write is stored, and so is kept if the page is closed. */
export const isQueued = (idempotencyKey: string) =>
  list().some((entry) => entry.idempotencyKey === idempotencyKey && entry.problem === null)

/** The ids of what this tab is sending now. */
const sending = new Set<string>()

/** After that long, whoever sent it may be gone. */
const MAX_SENDING_MS = 10_000

/** Whether an entry is on its way to the server, from this tab or another. */
export const isOnItsWay = ({ id, sendingSince }: Waiting) =>
  sending.has(id) || (sendingSince !== null && Date.now() - sendingSince < MAX_SENDING_MS)

/** Sends what waits for a subject, oldest first, until there is no connection. One tab at a time does. */
async function sendAbout(subjectId: string) {
  const send = async () => {
    for (;;) {
      const next = list().find((entry) => entry.subjectId === subjectId && entry.problem === null)
      if (!next || !(await attempt(next))) return
    }
  }
  if (navigator.locks) return navigator.locks.request(`parley ${subjectId}`, send)
  // Over plain HTTP, tabs know nothing of each other: then it is the Idempotency-Key that keeps things from being done twice.
  const turn = (turns.get(subjectId) ?? Promise.resolve()).then(send)
  turns.set(subjectId, turn)
  await turn
  if (turns.get(subjectId) === turn) turns.delete(subjectId)
}

const turns = new Map<string, Promise<void>>()

/** Tries to send an entry. Returns whether to go on with the next. */
async function attempt(entry: Waiting): Promise<boolean> {
  const { id } = entry
  if (isTooOld(entry.triedAt)) return refuse(entry, TOO_OLD)
  if (!navigator.onLine) return postpone(entry)
  const now = Date.now()
  edit(id, { sendingSince: now })
  sending.add(id)
  try {
    // In another tab, somebody else may have signed in since.
    if ((await getTokenOwner()) !== entry.memberId) {
      sending.delete(id)
      return postpone(entry)
    }
    await sendNow(entry, now)
    failures = 0
    return true
  } catch (error) {
    sending.delete(id)
    // An error of the server would come again and again.
    const isBroken = error instanceof ApiError && error.status === 500
    if ((mayPass(error) && !isBroken) || isSignedOut(error) || isForeign(error)) return postpone(entry)
    const caller = callers.get(id)
    if (!caller) return refuse(entry, getErrorMessage(error), error instanceof NotFoundError)
    caller.reject(error)
    remove(id)
    return true
  }
}

async function sendNow({ id, kind: name, input: written, idempotencyKey, triedAt }: Waiting, now: number) {
  const kind = kinds.get(name)!
  // A repeated attempt sends the same.
  const input = triedAt === null && kind.prepare ? await kind.prepare(written) : written
  // Cancelled meanwhile, in another tab.
  if (!list().some((entry) => entry.id === id)) return void sending.delete(id)
  edit(id, { triedAt: triedAt ?? now, input })
  const output = await kind.send(input, idempotencyKey)
  notifyManager.batch(() => {
    try {
      kind.settle(output, input)
    } catch (error) {
      // The server has it: sending it again would not help.
      reportError(error)
      markStale([])
    }
    sending.delete(id)
    remove(id, output)
  })
}

/** The response of a proxy whose server is gone, or that wants people to sign in. */
const isForeign = (error: unknown) =>
  error instanceof ApiError && error.code === 'unexpected_response' && [0, 302, 403, 404].includes(error.status)

/** From now on, it is only sent by hand. */
function refuse({ id, kind }: Waiting, problem: string, isOrphaned = false): boolean {
  if (!kinds.get(kind)!.isAutomatic) return edit(id, { problem, isOrphaned, sendingSince: null })
  remove(id)
  return true
}

let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Everything about a subject waits for a connection. Who wrote it can go on. */
function postpone({ subjectId }: Waiting): false {
  const isAbout = (entry: Waiting) => entry.subjectId === subjectId && isMine(entry)
  if (list().some((entry) => isAbout(entry) && entry.sendingSince !== null))
    stored.update((entries) => entries.map((entry) => (isAbout(entry) ? { ...entry, sendingSince: null } : entry)))
  for (const { id } of list().filter(isAbout)) {
    callers.get(id)?.resolve(undefined)
    callers.delete(id)
  }
  timer ??= setTimeout(sendWaiting, 2_000 + backoff(failures++))
  return false
}

/** Tries to send everything that waits. */
export function sendWaiting() {
  clearTimeout(timer)
  timer = undefined
  const subjects = new Set(list().flatMap(({ subjectId, problem }) => (problem === null ? [subjectId] : [])))
  for (const subjectId of subjects) void sendAbout(subjectId)
}

addEventListener('online', sendWaiting)

/** Begins to send what the signed-in member has left. What somebody else has left in this browser is deleted. */
export function openQueue() {
  stored.update((entries) => entries.filter(isMine))
  sendWaiting()
}

/** Removes an entry, unless it is on its way: then it may have been sent. Returns whether it was removed. */
export function cancel(entry: Waiting): boolean {
  const isCancelled = !isOnItsWay(entry)
  if (isCancelled) remove(entry.id)
  return isCancelled
}

/** Undoes that: it is sent again before what was written later. */
export function restore(entry: Waiting) {
  stored.update((entries) => [...entries, entry].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)))
  void sendAbout(entry.subjectId)
}

/** Sends something by hand that was not sent. */
export function retry({ id, subjectId, triedAt }: Waiting) {
  // The server knows the key no longer.
  const asNew = isTooOld(triedAt) && { triedAt: null, idempotencyKey: createRandomId() }
  edit(id, { problem: null, ...asNew })
  void sendAbout(subjectId)
}

/**
 * Runs something once nothing about a subject is on its way: an own new record arrives as an event and in the response. If the
 * response was lost, it is asked for again.
 */
export function afterSending(subjectId: string, run: () => void) {
  const isAbout = (entry: Waiting) => entry.subjectId === subjectId && entry.problem === null
  const isUnconfirmed = () => snapshot.some((entry) => isAbout(entry) && (entry.triedAt !== null || isOnItsWay(entry)))
  if (!isUnconfirmed()) return run()
  let isAskedAgain = false
  const check = () => {
    if (!isUnconfirmed()) return end()
    if (isAskedAgain || snapshot.some((entry) => isAbout(entry) && isOnItsWay(entry))) return
    isAskedAgain = true
    void sendAbout(subjectId)
  }
  const end = () => {
    // A listener that was scheduled already is called once more.
    if (!listeners.delete(check)) return
    clearTimeout(limit)
    run()
  }
  const limit = setTimeout(end, MAX_SENDING_MS)
  listeners.add(check)
  check()
}
