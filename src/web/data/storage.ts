/** What this browser keeps: small things that are no part of the workspace. Where it may keep nothing, it forgets. */
export function readStored<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`parley:${key}`)
    return text === null ? fallback : (JSON.parse(text) as T)
  } catch {
    return fallback
  }
}

export function store(key: string, value: unknown) {
  try {
    if (value === undefined) localStorage.removeItem(`parley:${key}`)
    else localStorage.setItem(`parley:${key}`, JSON.stringify(value))
  } catch {
    // Full, or forbidden.
  }
}

/** How it looks is the browser's; everything else is of whoever was signed in. */
const KEPT_KEY = 'parley:theme'

/** Forgets what is kept here of whoever signs out. */
export function clearStored() {
  try {
    sessionStorage.clear()
    for (const key of Object.keys(localStorage))
      if (key.startsWith('parley:') && key !== KEPT_KEY) localStorage.removeItem(key)
  } catch {
    // Nothing may be kept here.
  }
}

/** A value that components follow. Other tabs of this browser follow it too. */
export function createStoredValue<T>(key: string, fallback: T) {
  let value = readStored(key, fallback)
  const listeners = new Set<() => void>()
  const notifyListeners = () => {
    for (const listener of listeners) listener()
  }
  window.addEventListener('storage', (event) => {
    if (event.key !== `parley:${key}`) return
    value = readStored(key, fallback)
    notifyListeners()
  })
  return {
    get: () => value,
    set(next: T) {
      value = next
      store(key, next)
      notifyListeners()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
