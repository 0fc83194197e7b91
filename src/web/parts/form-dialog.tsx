import type { FormEvent, ReactNode } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'
import { ProblemNote } from './states'

interface FormProps {
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
export const FormDialog = ({ title, ...form }: FormProps & { title: string }) => (
  <Dialog title={title} onClose={form.close}>
    <DialogForm {...form} />
  </Dialog>
)

/** A form with its buttons, for a dialog that has more than the form. */
export function DialogForm({ label, close, send, isPending, error, children }: FormProps) {
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    send(new FormData(event.currentTarget))
  }
  return (
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
  )
}
