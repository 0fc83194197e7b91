import * as Ariakit from '@ariakit/react'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from './button'
import { Icon } from './icon'
import { useScrollLock } from './use-scroll-lock'

const FIELD = ':is(input, textarea, select):not(:disabled, [type=hidden])'

/** What gets the focus: the field that asks for it, else the first field, else the first control below the title. */
const findFirst = (dialog: HTMLElement) =>
  dialog.querySelector<HTMLElement>('[data-autofocus=true], [autofocus]') ??
  dialog.querySelector<HTMLElement>(FIELD) ??
  dialog.querySelector<HTMLElement>(':scope > :not(.dialog-head) :is(button, a[href])')

interface Props {
  title: string
  onClose(): void
  /** For one with several fields beside each other. */
  isWide?: boolean
  children: ReactNode
}

/** A modal dialog. */
export function Dialog({ title, onClose, isWide = false, children }: Props) {
  useScrollLock()
  const dialog = useRef<HTMLDivElement>(null)
  // The same object in every render: another one would move the focus again.
  const [initialFocus] = useState(() => ({
    get current() {
      return dialog.current && findFirst(dialog.current)
    },
  }))
  return (
    <Ariakit.Dialog
      ref={dialog}
      open
      onClose={onClose}
      initialFocus={initialFocus}
      className={`dialog ${isWide ? 'wide' : ''}`}
      backdrop={<div className="backdrop" />}
      preventBodyScroll={false}
    >
      <div className="dialog-head">
        <Ariakit.DialogHeading render={<h2>{title}</h2>} />
        <Ariakit.DialogDismiss className="button plain icon" aria-label="Close">
          <Icon name="close" />
        </Ariakit.DialogDismiss>
      </div>
      {children}
    </Ariakit.Dialog>
  )
}

interface Question {
  title: string
  text: string
  label: string
  run(): void
}

/** Asks for confirmation before something that cannot be undone. */
export function useConfirm(): [ReactNode, (question: Question) => void] {
  const [question, ask] = useState<Question>()
  const close = () => ask(undefined)
  const dialog = question && (
    <Dialog title={question.title} onClose={close}>
      <p>{question.text}</p>
      <div className="row end">
        <Button onClick={close}>Cancel</Button>
        <Button
          variant="danger primary"
          onClick={() => {
            close()
            question.run()
          }}
        >
          {question.label}
        </Button>
      </div>
    </Dialog>
  )
  return [dialog, ask]
}
