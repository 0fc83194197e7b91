import { useEffect, useRef, useState } from 'react'
import { isQueued } from '../data/cache/queue'
import { createRandomId } from '../data/cache/storage'
import { flushDraft, pushDraft, refreshOldDrafts } from '../data/draft-sync'
import { getSubject, readDraft, saveDraft, subscribeToDrafts } from '../data/drafts'
import { toWaitingMarkdown } from '../data/markdown'
import { toEditorText, toMarkdown } from '../data/mentions'
import { notifyProblem } from '../parts/notices'

interface Options {
  draftKey: string
  initial?: string
  noun?: string
  onSubmit(markdown: string, idempotencyKey: string): Promise<unknown>
  clearOnSubmit?: boolean
}

/** The text, its draft and its sending. The draft has the whole text until sending has succeeded. */
export function useDraft({ draftKey, initial = '', noun = 'text', onSubmit, clearOnSubmit }: Options) {
  const load = () => toEditorText(readDraft(draftKey) || initial)
  const [text, setText] = useState(load)
  const [loadedKey, setLoadedKey] = useState(draftKey)
  const [sent, setSent] = useState<string>()
  const [error, setError] = useState<unknown>()
  const latest = useRef(text)
  const attempt = useRef({ markdown: '', key: '' })
  /** The draft as this composer last loaded or wrote it. */
  const stored = useRef(readDraft(draftKey))
  const isSending = useRef(false)
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  if (loadedKey !== draftKey) {
    setLoadedKey(draftKey)
    setText(load)
    latest.current = load()
    stored.current = readDraft(draftKey)
    attempt.current.key = ''
  }

  useEffect(() => {
    if (getSubject(draftKey)) refreshOldDrafts()
    const unsubscribe = subscribeToDrafts(() => {
      // Another tab or device has changed it.
      if (isSending.current || readDraft(draftKey) === stored.current) return
      stored.current = readDraft(draftKey)
      latest.current = toEditorText(stored.current || initial)
      setText(latest.current)
    })
    return () => {
      unsubscribe()
      flushDraft(draftKey)
    }
  }, [draftKey, initial])

  function save(whole: string) {
    stored.current = whole.trim() && whole !== initial ? whole : ''
    saveDraft(draftKey, stored.current)
  }
  function update(next: string, sending = sent) {
    latest.current = next
    setText(next)
    save(toMarkdown(joinTexts(sending, next)))
  }
  async function send() {
    // Also what was typed while mentions were looked up.
    const sending = latest.current
    setError(undefined)
    setSent(sending)
    isSending.current = true
    if (clearOnSubmit) update('', sending)
    try {
      const markdown = await toWaitingMarkdown(sending)
      if (attempt.current.markdown !== markdown || !attempt.current.key)
        attempt.current = { markdown, key: createRandomId() }
      const submitted = onSubmit(markdown, attempt.current.key)
      // It is kept there from here on. If the page is closed, it must not be in its editor, too.
      if (isQueued(attempt.current.key)) save(clearOnSubmit ? toMarkdown(latest.current) : '')
      await submitted
      attempt.current.key = ''
      update(clearOnSubmit ? latest.current : '', undefined)
      save(clearOnSubmit ? toMarkdown(latest.current) : '')
      const subjectId = getSubject(draftKey)
      if (subjectId) void pushDraft(subjectId)
    } catch (reason) {
      update(clearOnSubmit ? joinTexts(sending, latest.current) : latest.current, undefined)
      setError(reason)
      if (!isMounted.current) notifyProblem(`Couldn't send your ${noun}. It is in your drafts.`, reason)
    }
    isSending.current = false
    setSent(undefined)
  }
  return {
    text,
    error,
    isSending: sent !== undefined,
    isDraft: text !== toEditorText(initial),
    write: (next: string) => update(next),
    forgetError: () => setError(undefined),
    discard: () => update(toEditorText(initial)),
    send,
  }
}

const joinTexts = (first: string | undefined, second: string) =>
  first === undefined || first === second ? second : second.trim() ? `${first}\n\n${second}` : first
