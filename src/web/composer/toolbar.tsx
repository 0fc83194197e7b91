import * as Ariakit from '@ariakit/react'
import { type RefObject, Suspense, useRef } from 'react'
import { rememberEmoji } from '../data/emoji'
import { formatKey, toAriaKey } from '../parts/format-key'
import { Icon, type IconName } from '../parts/icon'
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
export const Toolbar = ({ area, onFiles }: Props) => (
  <Ariakit.Toolbar className="toolbar" aria-label="Formatting">
    {tools.map((tool) => (
      <ToolButton key={tool.label} tool={tool} run={() => tool.run(area.current!)} />
    ))}
    <EmojiTool
      finalFocus={area}
      insert={(emoji) => {
        const { selectionStart, selectionEnd } = area.current!
        replaceRange(area.current!, selectionStart, selectionEnd, emoji)
      }}
    />
    <FileTool label="Attach files" icon="paperclip" onFiles={onFiles} />
  </Ariakit.Toolbar>
)

/** Picks an emoji. */
export function EmojiTool({
  finalFocus,
  insert,
}: {
  finalFocus: RefObject<HTMLElement | null>
  insert(emoji: string): void
}) {
  const picker = Ariakit.usePopoverStore({ placement: 'top-start' })
  return (
    <Ariakit.PopoverProvider store={picker}>
      <Tip text={`Emoji (${formatKey(':')})`}>
        <Ariakit.ToolbarItem
          className="button plain icon"
          aria-label="Emoji"
          render={<Ariakit.PopoverDisclosure store={picker} />}
        >
          <Icon name="emoji" />
        </Ariakit.ToolbarItem>
      </Tip>
      <Ariakit.Popover
        className="menu emoji-picker"
        aria-label="Emoji"
        gutter={6}
        fixed
        fitViewport
        unmountOnHide
        finalFocus={finalFocus}
      >
        <Suspense fallback={<PickerSkeleton />}>
          <EmojiPicker
            pick={(emoji) => {
              rememberEmoji(emoji)
              picker.hide()
              insert(emoji)
            }}
          />
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

interface FileToolProps {
  label: string
  icon: IconName
  accept?: string
  onFiles(files: File[]): void
}

/** Chooses files from the device. */
export function FileTool({ label, icon, accept, onFiles }: FileToolProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Tip text={label}>
        <Ariakit.ToolbarItem
          className={`button plain icon ${icon === 'paperclip' ? 'attach' : ''}`}
          aria-label={label}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => input.current!.click()}
        >
          <Icon name={icon} />
        </Ariakit.ToolbarItem>
      </Tip>
      <FileInput
        input={input}
        label={icon === 'paperclip' ? 'Files to attach' : 'Images to insert'}
        accept={accept}
        onFiles={onFiles}
      />
    </>
  )
}

interface FileInputProps {
  input: RefObject<HTMLInputElement | null>
  label: string
  accept?: string
  onFiles(files: File[]): void
}

/** Opens the file dialog of the browser when it is clicked by the code. */
export const FileInput = ({ input, label, accept, onFiles }: FileInputProps) => (
  <input
    ref={input}
    type="file"
    multiple
    hidden
    accept={accept}
    aria-label={label}
    onChange={({ target }) => {
      onFiles([...(target.files ?? [])])
      // Otherwise, the same file could not be chosen again.
      target.value = ''
    }}
  />
)

const PickerSkeleton = () => (
  <Loading what="emoji">
    <Skeleton height={32} />
    <Skeleton width="60%" />
  </Loading>
)
