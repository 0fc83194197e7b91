import * as Ariakit from '@ariakit/react'
import { type RefObject, Suspense, useRef } from 'react'
import { rememberEmoji } from '../data/emoji'
import { formatKey, toAriaKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { lazyLoad } from '../parts/lazy-load'
import { Loading, Skeleton } from '../parts/states'
import { Tip } from '../parts/tip'
import { replaceRange } from './editing'
import { type Tool, tools } from './tools'

const EmojiPicker = lazyLoad(() => import('./emoji-picker'))

interface Props {
  area: RefObject<HTMLTextAreaElement | null>
  onFiles(files: File[]): void
}

/** The tools of an editor. One stop of the Tab key; the arrow keys move within. */
export function Toolbar({ area, onFiles }: Props) {
  const picker = Ariakit.usePopoverStore({ placement: 'top-start' })
  function insertEmoji(emoji: string) {
    const { selectionStart, selectionEnd } = area.current!
    rememberEmoji(emoji)
    picker.hide()
    replaceRange(area.current!, selectionStart, selectionEnd, emoji)
  }
  return (
    <Ariakit.PopoverProvider store={picker}>
      <Ariakit.Toolbar className="toolbar" aria-label="Formatting">
        {tools.map((tool) => (
          <ToolButton key={tool.label} tool={tool} run={() => tool.run(area.current!)} />
        ))}
        <Tip text={`Emoji (${formatKey(':')})`}>
          <Ariakit.ToolbarItem
            className="button plain icon"
            aria-label="Emoji"
            render={<Ariakit.PopoverDisclosure store={picker} />}
          >
            <Icon name="emoji" />
          </Ariakit.ToolbarItem>
        </Tip>
        <FileButton onFiles={onFiles} />
      </Ariakit.Toolbar>
      <Ariakit.Popover
        className="menu emoji-picker"
        aria-label="Emoji"
        gutter={6}
        fixed
        fitViewport
        unmountOnHide
        finalFocus={area}
      >
        <Suspense fallback={<PickerSkeleton />}>
          <EmojiPicker pick={insertEmoji} />
        </Suspense>
      </Ariakit.Popover>
    </Ariakit.PopoverProvider>
  )
}

const ToolButton = ({ tool: { label, icon, key, needsSelection }, run }: { tool: Tool; run(): void }) => (
  <Tip text={`${label} (${formatKey(key)}${needsSelection ? ' with text selected' : ''})`}>
    <Ariakit.ToolbarItem
      className="button plain icon"
      aria-label={label}
      aria-keyshortcuts={toAriaKey(key)}
      // Keeps the focus in the text, and the keyboard of a phone open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={run}
    >
      <Icon name={icon} />
    </Ariakit.ToolbarItem>
  </Tip>
)

/** Chooses files from the device. */
function FileButton({ onFiles }: { onFiles(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Tip text="Attach files">
        <Ariakit.ToolbarItem
          className="button plain icon attach"
          aria-label="Attach files"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => input.current!.click()}
        >
          <Icon name="paperclip" />
        </Ariakit.ToolbarItem>
      </Tip>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Otherwise, the same file could not be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}

const PickerSkeleton = () => (
  <Loading what="emoji">
    <Skeleton height={32} />
    <Skeleton width="60%" />
  </Loading>
)
