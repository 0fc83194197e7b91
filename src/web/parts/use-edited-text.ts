import { useState } from 'react'

/** A text that is being edited, and reset when its value changes elsewhere. */
export function useEditedText(value: string): [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    setText(value)
  }
  return [text, setText]
}
