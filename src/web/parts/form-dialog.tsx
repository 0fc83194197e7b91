import type { FormEvent, ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './states'

interface Props {
  title: string
  /** Text of the submit button. */
  label: string
  close(): void
  send(form: FormData): void
  isPending: boolean
  /** An error that no field shows. */
  error?: unknown
  children: ReactNode
}

/** A dialog with a form. */
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
