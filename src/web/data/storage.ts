/** Reads a value from local storage. Storage may be unavailable, then nothing is kept. */
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
    // Full or not available.
  }
}

/** These belong to the browser. Everything else belongs to the signed-in member. */
const KEPT_KEYS = ['parley:theme', 'parley:font']

/** Deletes everything that belongs to the member who signs out. */
export function clearStored() {
  try {
    sessionStorage.clear()
    for (const key of Object.keys(localStorage))
      if (key.startsWith('parley:') && !KEPT_KEYS.includes(key)) localStorage.removeItem(key)
  } catch {
    // Not available.
  }
}

/** A stored value that components can subscribe to, also across tabs. */
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
