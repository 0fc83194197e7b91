import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../parts/button'
import { Empty, Loading, Skeleton } from '../../parts/states'
import { formatExactTime } from '../../parts/time'

/** Shown to others who open settings of admins by their address. */
export const AdminsOnly = () => <Empty title="For admins only">Admins of the workspace manage this.</Empty>

/** The skeleton of a list of settings. */
export const RowSkeleton = ({ what }: { what: string }) => (
  <Loading what={what}>
    <ul className="rows">
      {[160, 110, 190].map((width) => (
        <li key={width} className="rows-item">
          <div className="row-skeleton">
            <Skeleton width={width} height={16} />
            <Skeleton width="70%" />
          </div>
        </li>
      ))}
    </ul>
  </Loading>
)

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** When something expires or expired. */
export const Expiry = ({ at }: { at: string }) => (
  <>
    {Date.parse(at) > Date.now() ? 'expires ' : 'expired '}
    <time dateTime={at} title={formatExactTime(at)}>
      {day.format(new Date(at))}
    </time>
  </>
)

interface Props {
  title: string
  secret: string
  dismiss(): void
  children?: ReactNode
}

/** A secret that is shown once, until it is dismissed. */
export function SecretNote({ title, secret, dismiss, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current!.focus(), [])
  return (
    <section className="secret" aria-label={title}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className="meta">Copy it now. It will not be shown again.</p>
      <CopyableCode label="Copy secret" text={secret} />
      {children}
      <div>
        <Button onClick={dismiss}>Done</Button>
      </div>
    </section>
  )
}

/** Code with a copy button. */
export function CopyableCode({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false)
  const code = useRef<HTMLElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      getSelection()!.selectAllChildren(code.current!)
    }
  }
  return (
    <div className="copyable">
      <code ref={code}>{text}</code>
      <Button icon={isCopied ? 'check' : 'copy'} label={label} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  )
}
