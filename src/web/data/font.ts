import { store } from './storage'

/** Loads the font. Browsers that have loaded it before use it from the start; see first-paint.ts. */
export function loadFont() {
  document.documentElement.dataset.font = ''
  store('font', true)
}
