import { useRef, useState } from 'react'
import { readDraft, saveDraft } from '../data/drafts'
import { toFinalMarkdown } from '../data/markdown'
import { toEditorText, toMarkdown } from '../data/mentions'
import { createRandomId } from '../data/random-id'

interface Options {
  draftKey: string
  initial?: string
  onSubmit(markdown: string, idempotencyKey: string): Promise<unknown>
  clearOnSubmit?: boolean
}

/** The text, its draft and its sending. The draft has the whole text until sending has succeeded. */
export function useDraft({ draftKey, initial = '', onSubmit, clearOnSubmit }: Options) {
  const load = () => toEditorText(readDraft(draftKey) || initial)
  const [text, setText] = useState(load)
  const [loadedKey, setLoadedKey] = useState(draftKey)
  const [sent, setSent] = useState<string>()
  const [error, setError] = useState<unknown>()
  const latest = useRef(text)
  const attempt = useRef({ markdown: '', key: '' })
  if (loadedKey !== draftKey) {
    setLoadedKey(draftKey)
    setText(load)
    latest.current = load()
    attempt.current.key = ''
  }

  function update(next: string, sending = sent) {
    latest.current = next
    setText(next)
    const whole = toMarkdown(joinTexts(sending, next))
    saveDraft(draftKey, whole === initial ? '' : whole)
  }
  async function send() {
    const sending = text
    setError(undefined)
    setSent(sending)
    if (clearOnSubmit) update('', sending)
    try {
      const markdown = await toFinalMarkdown(sending)
      if (attempt.current.markdown !== markdown || !attempt.current.key)
        attempt.current = { markdown, key: createRandomId() }
      await onSubmit(markdown, attempt.current.key)
      attempt.current.key = ''
      update(clearOnSubmit ? latest.current : '', undefined)
      saveDraft(draftKey, clearOnSubmit ? toMarkdown(latest.current) : '')
    } catch (reason) {
      update(clearOnSubmit ? joinTexts(sending, latest.current) : latest.current, undefined)
      setError(reason)
    }
    setSent(undefined)
  }
  return {
    text,
    error,
    isSending: sent !== undefined,
    isDraft: text !== toEditorText(initial),
    write: (next: string) => update(next),
    discard: () => update(toEditorText(initial)),
    send,
  }
}

const joinTexts = (first: string | undefined, second: string) =>
  first === undefined || first === second ? second : second.trim() ? `${first}\n\n${second}` : first
