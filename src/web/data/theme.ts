import { useSyncExternalStore } from 'react'
import { createStoredValue, store } from './cache/storage'

export type Theme = 'system' | 'light' | 'dark'
const theme = createStoredValue<Theme>('theme', 'system')

/** Applies the chosen theme; `system` follows the operating system. */
export function applyTheme() {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}
theme.subscribe(applyTheme)

export const useTheme = () => useSyncExternalStore(theme.subscribe, theme.get)
export const setTheme = theme.set

/** Loads the font. Browsers that have loaded it before use it from the start; see first-paint/first-paint.ts. */
export function loadFont() {
  document.documentElement.dataset.font = ''
  store('font', true)
}
