import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon'

interface CardProps {
  title: string
  text: ReactNode
  done: number
  of: number
  close: ReactNode
  /** The steps. */
  children: ReactNode
}

/** A list of steps above the feed: of a new member, and of the admin of a new workspace. */
export const SetupCard = ({ title, text, done, of, close, children }: CardProps) => (
  <section className="setup" aria-labelledby="setup-title">
    <div className="setup-head">
      <div>
        <h2 id="setup-title">{title}</h2>
        <p>{text}</p>
      </div>
      <span className="setup-count">
        {done} of {of}
        <span className="visually-hidden"> done</span>
      </span>
      {close}
    </div>
    <ol>{children}</ol>
  </section>
)

interface StepProps {
  number: number
  title: ReactNode
  text?: ReactNode
  isDone?: boolean
  isCurrent?: boolean
  action?: ReactNode
  children?: ReactNode
}

export const Step = ({ number, title, text, isDone, isCurrent, action, children }: StepProps) => (
  <li className={isDone ? 'done' : isCurrent ? 'current' : ''}>
    <span className="step-mark" aria-hidden="true">
      {isDone ? <Icon name="check" size={14} /> : number}
    </span>
    <div className="step-body">
      <p className="step-title">
        {title}
        {isDone && <span className="visually-hidden"> (done)</span>}
      </p>
      {text && <p>{text}</p>}
      {children}
    </div>
    {action && <div className="step-actions">{action}</div>}
  </li>
)
