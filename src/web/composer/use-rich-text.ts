import { type RefObject, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { renderWith } from '../data/markdown'
import { updatePreferences, useWritesMarkdown } from '../data/me'
import type { Start } from '../editor'
import { notifyProblem } from '../parts/notices'
import type { ComposerState } from './use-composer'

export type EditorCode = typeof import('../editor')

let code: EditorCode | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()
const RETRY_MS = 3_000

/** Loads the code of the editor once; without a connection, as soon as there is one. */
export function loadEditor(): Promise<void> {
  loading ??= import('../editor').then(
    (loaded) => {
      code = loaded
      renderWith(loaded.toHtml)
      for (const listener of listeners) listener()
    },
    () => {
      loading = undefined
      setTimeout(() => listeners.size > 0 && void loadEditor(), RETRY_MS)
    },
  )
  return loading
}

/** Runs when the browser has nothing else to do. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: 2_000 })
  return () => cancelIdleCallback(handle)
}

function useEditorCode(isWanted: boolean): EditorCode | undefined {
  useEffect(() => (isWanted && !code ? whenIdle(() => void loadEditor()) : undefined), [isWanted])
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => (isWanted ? code : undefined),
  )
}

/** A text that is shown formatted. */
export interface Rich {
  code: EditorCode
  start: Start
  draftKey: string
}

/**
 * Whether a text is written formatted or as Markdown. Until the editor is loaded, it is written as Markdown; what was typed until then
 * stays, and so does the caret. A text that cannot be shown formatted stays Markdown.
 */
export function useRichText(state: ComposerState, draftKey: string, area: RefObject<HTMLTextAreaElement | null>) {
  const writesMarkdown = useWritesMarkdown()
  const isWanted = writesMarkdown === false && !state.isDisabled
  const editorCode = useEditorCode(isWanted)
  const [shown, setShown] = useState<Rich>()
  const [plainKey, setPlainKey] = useState<string>()
  const rich = isWanted && shown?.draftKey === draftKey ? shown : undefined
  const isPlain = isWanted && plainKey === draftKey

  useLayoutEffect(() => {
    if (!editorCode || rich || isPlain) return
    return whenNotComposing(area.current, () => {
      const start = open(editorCode, state.text, area.current)
      if (start) setShown({ code: editorCode, start, draftKey })
      else setPlainKey(draftKey)
    })
  }, [editorCode, rich, isPlain, draftKey, area, state.text])

  const canFormat = useCanFormat(isPlain ? editorCode : undefined, state.text)

  return {
    rich,
    isMarkdown: !rich && (writesMarkdown === true || isPlain),
    /** Why it cannot be shown formatted. */
    plainReason: isPlain && !canFormat ? 'This text has parts that only Markdown can show.' : undefined,
    setPlain() {
      setShown(undefined)
      setPlainKey(draftKey)
    },
    /** Switches between the two, for this text and all later ones. */
    async setMarkdown(isOn: boolean) {
      if (isOn) setShown(undefined)
      setPlainKey(undefined)
      try {
        await updatePreferences({ writes_markdown: isOn })
      } catch (error) {
        notifyProblem("Couldn't save how you write.", error)
      }
    },
  }
}

const CHECK_MS = 500

/** Whether a text could be shown formatted by now. Only the switch does it: nothing changes while one writes. */
function useCanFormat(editor: EditorCode | undefined, text: string): boolean {
  const [formatted, setFormatted] = useState<string>()
  useEffect(() => {
    if (!editor) return
    const timer = setTimeout(() => setFormatted(editor.openText(text) ? text : undefined), CHECK_MS)
    return () => clearTimeout(timer)
  }, [editor, text])
  return formatted !== undefined && formatted === text
}

function open(editor: EditorCode, text: string, area: HTMLTextAreaElement | null): Start | undefined {
  const doc = editor.openText(text)
  if (!doc) return undefined
  const hasFocus = area !== null && document.activeElement === area
  return { doc, caret: hasFocus ? (editor.findPosition(doc, text, area.selectionEnd) ?? 'end') : undefined }
}

/** Runs at once, or when an input method has finished: it would lose what it is choosing. */
function whenNotComposing(area: HTMLTextAreaElement | null, run: () => void): (() => void) | undefined {
  if (!area || !composing.has(area)) {
    run()
    return undefined
  }
  const end = () => setTimeout(run)
  area.addEventListener('compositionend', end, { once: true })
  return () => area.removeEventListener('compositionend', end)
}

const composing = new WeakSet<Element>()
addEventListener('compositionstart', ({ target }) => void composing.add(target as Element), true)
addEventListener('compositionend', ({ target }) => void composing.delete(target as Element), true)
