const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** A key as it is labelled on keyboards. */
export const formatKey = (key: string) =>
  key.replace(/^mod\+(shift\+)?(.+)/, (_, shift: string | undefined, rest: string) => {
    const name = rest.length === 1 ? rest.toUpperCase() : rest
    return isMac ? `⌘${shift ? '⇧' : ''}${name === 'Enter' ? '↵' : name}` : `Ctrl+${shift ? 'Shift+' : ''}${name}`
  })

/** A key as `aria-keyshortcuts` names it. */
export const toAriaKey = (key: string) =>
  key.startsWith('mod+') ? key.replace('mod', isMac ? 'Meta' : 'Control').replace('shift', 'Shift') : key
