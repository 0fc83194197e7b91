import { useEffect, useRef } from 'react'
import { CodeText } from '../../parts/code-text'
import { Icon } from '../../parts/icon'
import { useDebouncedText } from '../../parts/use-debounced-text'
import { useKeys } from '../../shell/keys'

interface Props {
  q: string
  /** Called in pauses of typing. */
  type(q: string): void
  /** Called on Enter. */
  submit(q: string): void
  /** How much was found. */
  note: string
  /** What is wrong with the query. */
  problem: string | undefined
}

/** The field with the query. */
export function SearchBox({ q, type, submit, note, problem }: Props) {
  const [text, setText] = useDebouncedText(q, type)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // A page that is opened without a query is for typing one.
    if (!location.search) field.current!.focus()
  }, [])
  useKeys('On the search page', { '/': { label: 'Edit search', run: () => field.current!.select() } })
  return (
    <search className="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(text)
          if (text.trim() !== q) type(text.trim())
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          aria-label="Search"
          aria-invalid={problem !== undefined}
          aria-describedby="search-problem"
          placeholder="Search posts, comments and messages"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="meta count" role="status">
          {note}
        </span>
      </form>
      <p id="search-problem" className="search-problem" role="status">
        {problem && <CodeText text={problem} />}
      </p>
    </search>
  )
}
