import { getRecordSection } from '../../paths'

/** Reads a value from local storage. Storage may be unavailable, then nothing is kept; and what is there may be broken. */
export function readStored<T>(key: string, fallback: T): T {
  try {
    const value = JSON.parse(localStorage.getItem(`parley:${key}`) ?? 'null') as T | null
    return value === null || shapeOf(value) !== (shapeOf(fallback) ?? shapeOf(value)) ? fallback : value
  } catch {
    return fallback
  }
}

/** What tells values of one key from those of another; undefined if anything may be there. */
const shapeOf = (value: unknown) => (value === undefined ? undefined : Array.isArray(value) ? 'array' : typeof value)

/** Returns whether the value was stored. */
export function store(key: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(`parley:${key}`)
    else localStorage.setItem(`parley:${key}`, JSON.stringify(value))
    return true
  } catch {
    return false // Full or not available.
  }
}

/** The page names its script by the content of the whole app. Another build may expect data of another shape. */
export const getScript = () => document.querySelector<HTMLScriptElement>('script[type=module]')!.src

/** These belong to the browser. Everything else belongs to the signed-in member. */
const KEPT_KEYS = ['parley:theme', 'parley:font', 'parley:keep']

/** Forget what was read from the storage. */
const resets: (() => void)[] = []

/** Deletes everything that belongs to the member who signs out. */
export function clearStored() {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('parley:') && !KEPT_KEYS.includes(key)) localStorage.removeItem(key)
  } catch {
    // Not available.
  }
  try {
    sessionStorage.clear()
  } catch {
    // Not available.
  }
  for (const reset of resets) reset()
}

/** A stored value that components can subscribe to, also across tabs. What is broken of it is left out by `clean`. */
export function createStoredValue<T>(key: string, fallback: T, clean = (found: T) => found) {
  const readNow = () => clean(readStored(key, fallback))
  let value = readNow()
  const listeners = new Set<() => void>()
  const notifyListeners = () => {
    for (const listener of listeners) listener()
  }
  const read = () => {
    value = readNow()
    notifyListeners()
  }
  resets.push(read)
  window.addEventListener('storage', (event) => {
    if (event.key === `parley:${key}`) read()
  })
  return {
    get: () => value,
    /** What is stored now, which another tab may have changed. */
    read: readNow,
    set(next: T) {
      value = next
      store(key, next)
      notifyListeners()
    },
    /** Changes what is stored now, which another tab may have changed. Returns whether it could be stored. */
    update(edit: (value: T) => T): boolean {
      const next = edit(readNow())
      if (!store(key, next)) return false
      value = next
      notifyListeners()
      return true
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** A random id. `crypto.randomUUID` is not available over plain HTTP. */
export const createRandomId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')

export interface Recent {
  path: string
  title: string
}

/** Recently opened pages, latest first. */
const isRecent = (value: unknown) => typeof value === 'object' && value !== null && 'path' in value && 'title' in value
const recents = createStoredValue<Recent[]>('recents', [], (all) => all.filter(isRecent))
const MAX_RECENTS = 20

export const getRecentPages = () => recents.get()

/** Remembers a page that shows one record. */
export function rememberPage(path: string, title: string) {
  if (!getRecordSection(path)) return
  const others = recents.get().filter((recent) => recent.path !== path)
  recents.set([{ path, title }, ...others].slice(0, MAX_RECENTS))
}

/** Forgets a page whose record does not exist any more. */
export const forgetPage = (path: string) => recents.set(recents.get().filter((recent) => recent.path !== path))

/** Whose everything is that is stored. Remembered when the session ends, so that they can go on where they were. */
export interface Account {
  id: string
  workspace: { slug: string; name: string; icon_url?: string | null }
  /** If it was entered in this browser. */
  email?: string
}

const ACCOUNT = 'account'

export const readAccount = () => readStored<Account | undefined>(ACCOUNT, undefined)

/** Remembers who is signed in. What somebody else has left is deleted first. Returns whether that was so. */
export function claimStored({ id, workspace: { slug, name, icon_url }, email }: Account): boolean {
  const before = readAccount()
  const isOther = before !== undefined && before.id !== id
  if (isOther) clearStored()
  const account = { id, workspace: { slug, name, icon_url }, email: email ?? (isOther ? undefined : before?.email) }
  if (JSON.stringify(account) !== JSON.stringify(before)) store(ACCOUNT, account)
  return isOther
}

/** Runs when another tab signs in as somebody else. */
export function onOtherAccount(id: string, run: () => void) {
  const listener = ({ key }: StorageEvent) => {
    const now = key === `parley:${ACCOUNT}` ? readAccount() : undefined
    if (now && now.id !== id) run()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}
