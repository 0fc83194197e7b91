import { useEffect, useRef, useState } from 'react'

const PAUSE_MS = 180

/** A text that is reported in pauses of typing, and reset when its value changes elsewhere. */
export function useDebouncedText(value: string, send: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const [sent, setSent] = useState(value)
  if (value !== sent) {
    setSent(value)
    setText(value)
  }
  const latest = useRef(send)
  latest.current = send
  useEffect(() => {
    if (text.trim() === sent) return
    const timer = setTimeout(() => {
      setSent(text.trim())
      latest.current(text.trim())
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, sent])
  return [text, setText]
}
