import { useState } from 'react'
import { Button } from './button'

interface Props {
  label: string
  /** What leaving means, where it has to be confirmed. */
  warning: string | undefined
  disabledReason: string | undefined
  leave(): void
}

/** Leaves a channel or a thread. It is within a dialog, so that it is confirmed in its place. */
export function LeaveButton({ label, warning, disabledReason, leave }: Props) {
  const [isConfirming, setConfirming] = useState(false)
  if (isConfirming)
    return (
      <span className="row">
        <span className="meta">{warning}</span>
        <Button onClick={() => setConfirming(false)}>Cancel</Button>
        <Button variant="danger" onClick={leave} autoFocus>
          Leave
        </Button>
      </span>
    )
  return (
    <Button
      variant="plain"
      label={label}
      disabledReason={disabledReason}
      onClick={warning === undefined ? leave : () => setConfirming(true)}
    >
      Leave
    </Button>
  )
}
