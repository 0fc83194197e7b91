import type { ReactNode } from 'react'
import { ActionRow } from './action-row'
import { Attachments } from './attachments'
import { OtherVersion } from './other-version'
import type { WritingOptions } from './use-composer'
import { useWriting } from './writing'

export interface ComposerProps extends WritingOptions {
  /** Further fields, above the text. */
  children?: ReactNode
}

/** A box to write in, with a toolbar, mentions, emoji, files and a stored draft. */
export function Composer({ children, ...options }: ComposerProps) {
  const { state, surface, toolbar, markdownSwitch, isRich } = useWriting(options, { isCompact: true })
  const { text, write, uploads, isDisabled } = state
  return (
    <form className="composer" {...state.formProps}>
      {children}
      <div className="composer-box" data-disabled={isDisabled || undefined}>
        {surface}
        {!isDisabled && <Attachments text={isRich ? '' : text} onText={write} uploads={uploads} />}
        <ActionRow options={options} state={state}>
          {toolbar}
          {markdownSwitch}
        </ActionRow>
      </div>
      <OtherVersion draftKey={options.draftKey} />
    </form>
  )
}
