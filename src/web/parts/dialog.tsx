import * as Ariakit from '@ariakit/react'
import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Icon } from './icon'

/** A modal dialog. */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  return (
    <Ariakit.Dialog open onClose={onClose} className="dialog" backdrop={<div className="backdrop" />}>
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
