/** What this browser keeps: small things that are no part of the workspace. Where it may keep nothing, it forgets. */
export function readStored<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`parley:${key}`)
    return text === null ? otherwise : (JSON.parse(text) as T)
  } catch {
    return otherwise
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
const STAYS = 'parley:theme'

/** Forgets what is kept here of whoever signs out. */
export function forgetStored() {
  try {
    sessionStorage.clear()
    for (const key of Object.keys(localStorage))
      if (key.startsWith('parley:') && key !== STAYS) localStorage.removeItem(key)
  } catch {
    // Nothing may be kept here.
  }
}

/** A value that components follow. Other tabs of this browser follow it too. */
export function stored<T>(key: string, otherwise: T) {
  let value = readStored(key, otherwise)
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  window.addEventListener('storage', (event) => {
    if (event.key !== `parley:${key}`) return
    value = readStored(key, otherwise)
    tell()
  })
  return {
    get: () => value,
    set(next: T) {
      value = next
      store(key, next)
      tell()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
