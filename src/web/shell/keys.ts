import { useEffect, useRef } from 'react'

export interface Key {
  label: string
  run(): void
}

/** Shortcuts by key: `j`, `?`, `g p`, `mod+k`. */
type Keys = Record<string, Key>

const groups = new Map<symbol, { title: string; keys: { current: Keys } }>()

/** The shortcuts that are active now, each in the group that handles it. */
export const getActiveKeys = () =>
  [...groups.values()]
    .map(({ title, keys }) => ({
      title,
      keys: Object.entries(keys.current).filter(([pressed, key]) => findKey(pressed) === key),
    }))
    .filter(({ keys }) => keys.length > 0)

/** Registers shortcuts while the component is mounted. The latest registration wins. */
export function useKeys(title: string, keys: Keys) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const name = Symbol(title)
    groups.set(name, { title, keys: latest })
    return () => void groups.delete(name)
  }, [title])
}

const findKey = (pressed: string) =>
  [...groups.values()].reverse().find(({ keys }) => keys.current[pressed])?.keys.current[pressed]

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const SEQUENCE_MS = 1_000
let pendingKey: { key: string; at: number } | undefined

function handleKeydown(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing || event.altKey) return
  const isMod = event.ctrlKey || event.metaKey
  if (!isMod && (isTyping(event.target) || document.querySelector('[role=dialog]:not([hidden])'))) return
  const single = isMod ? `mod+${event.key.toLowerCase()}` : event.key
  const sequence = pendingKey && Date.now() - pendingKey.at < SEQUENCE_MS ? `${pendingKey.key} ${single}` : undefined
  pendingKey = undefined
  const key = (sequence && findKey(sequence)) || findKey(single)
  if (key) {
    event.preventDefault()
    key.run()
    return
  }
  if (!isMod && single.length === 1) pendingKey = { key: single, at: Date.now() }
}

/** Listens to the keyboard. Used once, for the whole app. */
export function useKeyboard() {
  useEffect(() => {
    addEventListener('keydown', handleKeydown)
    return () => removeEventListener('keydown', handleKeydown)
  }, [])
}
