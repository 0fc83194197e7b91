import { useEffect } from 'react'

/**
 * Tells the styles which part of the window the keyboard of a phone leaves: `--visible-top` and `--visible-height`, and how much
 * it covers of the bottom, `--keyboard`. Browsers lay pages out as if it was not there.
 */
function update() {
  const { offsetTop, height, scale } = visualViewport!
  const { style } = document.documentElement
  // A page that was zoomed in shows a part of itself, too. That is no keyboard.
  if (scale > 1.01 || height >= innerHeight) {
    for (const name of NAMES) style.removeProperty(name)
    return
  }
  const values = [offsetTop, height, Math.max(0, innerHeight - offsetTop - height)]
  for (const [at, name] of NAMES.entries()) style.setProperty(name, `${values[at]}px`)
}

/** When the keyboard opens: what is written, with its tools, may be at the end of the page, where it is covered. */
function updateForKeyboard() {
  update()
  if (document.documentElement.style.getPropertyValue('--keyboard'))
    document.activeElement?.closest('form')?.querySelector('.composer-foot')?.scrollIntoView({ block: 'nearest' })
}

const NAMES = ['--visible-top', '--visible-height', '--keyboard']

let users = 0

/** Follows the visible area while something is shown that depends on it. */
export function useVisibleArea() {
  useEffect(() => {
    if (!window.visualViewport) return
    users += 1
    if (users === 1) {
      visualViewport!.addEventListener('resize', updateForKeyboard)
      visualViewport!.addEventListener('scroll', update)
      update()
    }
    return () => {
      users -= 1
      if (users > 0) return
      visualViewport!.removeEventListener('resize', updateForKeyboard)
      visualViewport!.removeEventListener('scroll', update)
    }
  }, [])
}
