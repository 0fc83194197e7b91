import { useEffect, useId, useRef } from 'react'
import { splitAddresses, toAddress } from '../../../contract/browser/addresses'
import { Icon } from '../../parts/icon'

interface Props {
  /** What was entered so far: each a chip. */
  entries: string[]
  change(entries: string[]): void
  /** What is being typed. */
  text: string
  type(text: string): void
}

/** What is entered, with what is being typed; each address once, whatever its case. */
export const addEntries = (entries: readonly string[], text: string): string[] => [
  ...new Map([...entries, ...splitAddresses(text)].map((entry) => [toAddress(entry) ?? entry, entry])).values(),
]

/** E-mail addresses as chips: typed with commas or Enter between them, or pasted as a list. Those that are none are marked. */
export function AddressField({ entries, change, text, type }: Props) {
  const id = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  // Also when the dialog comes back from another view.
  useEffect(() => input.current!.focus(), [])
  const wrong = entries.filter((entry) => toAddress(entry) === undefined)
  const take = (given = text) => {
    change(addEntries(entries, given))
    type('')
  }
  const remove = (entry: string) => {
    change(entries.filter((each) => each !== entry))
    input.current!.focus()
  }
  const correct = (entry: string) => {
    remove(entry)
    type(entry)
  }
  return (
    <div className="field">
      <label htmlFor={id}>E-mail addresses</label>
      <div className="chip-field">
        {entries.map((entry) => (
          <Address key={entry} entry={entry} remove={() => remove(entry)} correct={() => correct(entry)} />
        ))}
        {/* A text area: a field of one line would lose the line breaks of what is pasted. */}
        <textarea
          ref={input}
          id={id}
          data-autofocus
          rows={1}
          className="chip-input"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="email"
          value={text}
          aria-invalid={wrong.length > 0 || undefined}
          aria-describedby={`${id}-note`}
          onChange={({ target: { value } }) => (/[,;\n]|@\S+\s/.test(value) ? take(value) : type(value))}
          onBlur={() => text.trim() && take()}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text')
            // One word may be a part of an address.
            if (text + pasted === '' || (splitAddresses(pasted).length < 2 && !toAddress(text + pasted))) return
            event.preventDefault()
            take(`${text}${pasted}`)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              // Enter with nothing typed sends the form.
              event.preventDefault()
              if (text.trim()) take()
              else event.currentTarget.form?.requestSubmit()
            }
            if (event.key === 'Backspace' && text === '' && entries.length > 0) change(entries.slice(0, -1))
          }}
        />
      </div>
      <p id={`${id}-note`} className="hint" role="status">
        {wrong.length > 0 && <b className="danger">{explain(wrong)} </b>}
        Separate with commas, or paste a list.
      </p>
    </div>
  )
}

const explain = ([first, ...others]: string[]) =>
  others.length === 0 ? `“${first}” is not an address.` : `“${first}” and ${others.length} more are not addresses.`

function Address({ entry, remove, correct }: { entry: string; remove(): void; correct(): void }) {
  const isWrong = toAddress(entry) === undefined
  return (
    <span className={`entry ${isWrong ? 'wrong' : ''}`}>
      {isWrong ? (
        <button type="button" className="entry-text" aria-label={`Correct ${entry}`} onClick={correct}>
          <Icon name="warning" size={14} />
          {entry}
        </button>
      ) : (
        <span className="entry-text">{entry}</span>
      )}
      <button type="button" aria-label={`Remove ${entry}`} onClick={remove}>
        <Icon name="close" size={13} />
      </button>
    </span>
  )
}
