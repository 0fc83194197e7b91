import * as Ariakit from '@ariakit/react'
import { type ReactNode, useId, useRef } from 'react'
import { usePreview } from '../data/markdown'
import { Content } from '../parts/content'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { ActionRow } from './action-row'
import { Attachments } from './attachments'
import { MarkdownSurface } from './markdown-surface'
import { OtherVersion } from './other-version'
import { Toolbar } from './toolbar'
import { useComposer, type WritingOptions } from './use-composer'

export interface ComposerProps extends WritingOptions {
  /** Further fields, above the text. */
  children?: ReactNode
}

/** A box to write in, with a toolbar, mentions, emoji, files and a stored draft. */
export function Composer({ children, ...options }: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const writeId = useId()
  const tab = Ariakit.useTabStore({ defaultSelectedId: writeId })
  const isPreview = Ariakit.useStoreState(tab, 'selectedId') !== writeId
  const state = useComposer(options, () => tab.setSelectedId(writeId))
  const { text, write, uploads, isDisabled } = state
  return (
    <form className="composer" {...state.formProps}>
      {children}
      <div className="composer-box" data-disabled={isDisabled || undefined}>
        <Ariakit.TabProvider store={tab}>
          <Ariakit.TabPanel tabId={writeId} focusable={false} className="composer-panel">
            <MarkdownSurface area={area} {...state.surfaceProps} />
          </Ariakit.TabPanel>
          <Ariakit.TabPanel className="composer-panel" unmountOnHide>
            {isPreview && <Preview text={text} />}
          </Ariakit.TabPanel>
          {!isDisabled && <Attachments text={text} onText={write} uploads={uploads} />}
          <div className="composer-foot">
            {!isPreview && !isDisabled && <Toolbar area={area} onFiles={state.add} />}
            <ActionRow options={options} state={state}>
              <Ariakit.TabList className="tabs" aria-label={options.label}>
                <Ariakit.Tab id={writeId} className="tab">
                  Write
                </Ariakit.Tab>
                <Ariakit.Tab className="tab">Preview</Ariakit.Tab>
              </Ariakit.TabList>
            </ActionRow>
          </div>
        </Ariakit.TabProvider>
      </div>
      <OtherVersion draftKey={options.draftKey} />
    </form>
  )
}

/** A text as it will look. */
function Preview({ text }: { text: string }) {
  const { data, error, refetch } = usePreview(text)
  if (text.trim() === '') return <p className="meta composer-preview">Nothing to preview</p>
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />
  return (
    <div className="composer-preview">
      {data === undefined ? (
        <Loading what="the preview">
          <Skeleton width="80%" />
        </Loading>
      ) : (
        <Content html={data} />
      )}
    </div>
  )
}
