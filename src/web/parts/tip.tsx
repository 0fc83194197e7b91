import * as Ariakit from '@ariakit/react'
import type { ReactElement } from 'react'

/** A tooltip for what is hovered or focused by keyboard. */
export const Tip = ({ text, children }: { text: string; children: ReactElement }) => (
  <Ariakit.TooltipProvider placement="top">
    <Ariakit.TooltipAnchor render={children} />
    <Ariakit.Tooltip className="tooltip" gutter={6} portal={false} fixed unmountOnHide>
      {text}
    </Ariakit.Tooltip>
  </Ariakit.TooltipProvider>
)
