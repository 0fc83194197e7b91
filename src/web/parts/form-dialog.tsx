import type { FormEvent, ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './states'

interface Props {
  title: string
  /** What the button says that sends it. */
  label: string
  close(): void
  send(form: FormData): void
  isPending: boolean
  /** What is wrong, where no field says it already. */
  error?: unknown
  children: ReactNode
}

/** A form that is asked for in between: fields, what is wrong, and a way on or out. */
export function FormDialog({ title, label, close, send, isPending, error, children }: Props) {
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    send(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={close}>
      <form className="form" onSubmit={submit}>
        {children}
        {error ? <ProblemNote error={error} /> : undefined}
        <div className="row end">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={isPending}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
