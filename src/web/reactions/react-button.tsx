import * as Ariakit from '@ariakit/react'
import { type ReactElement, Suspense, useState } from 'react'
import { rememberEmoji, useCustomEmoji } from '../data/emoji'
import { toggleReaction } from '../data/reactions'
import { Icon } from '../parts/icon'
import { lazyLoad } from '../parts/lazy-load'
import { useShowAtFirst } from '../parts/menu'
import { Loading, Skeleton } from '../parts/states'

const EmojiPicker = lazyLoad(() => import('../composer/emoji-picker'))

interface Props {
  subjectId: string
  disabledReason: string | undefined
  className?: string
}

/** Opens the emoji picker for a reaction. It is mounted when it is opened, because a long list has hundreds of these. */
export function ReactButton({ subjectId, disabledReason, className = 'reaction add' }: Props) {
  const [isOpened, setOpened] = useState(false)
  const button = (
    <button
      type="button"
      className={className}
      data-do="react"
      aria-label="Add reaction"
      title={disabledReason ?? 'Add reaction'}
      aria-disabled={disabledReason ? true : undefined}
      aria-haspopup="dialog"
      onClick={() => !disabledReason && setOpened(true)}
    >
      <Icon name="emoji" size={16} />
    </button>
  )
  return isOpened ? <PickerPopover subjectId={subjectId} button={button} /> : button
}

function PickerPopover({ subjectId, button }: { subjectId: string; button: ReactElement }) {
  const picker = Ariakit.usePopoverStore({ placement: 'top-start' })
  useShowAtFirst(picker, true)
  function react(emoji: string, url: string | null) {
    rememberEmoji(emoji)
    picker.hide()
    void toggleReaction(subjectId, emoji, url)
  }
  return (
    <Ariakit.PopoverProvider store={picker}>
      <Ariakit.PopoverDisclosure render={button} />
      <Ariakit.Popover
        className="menu emoji-picker"
        aria-label="Add reaction"
        gutter={6}
        portal
        fixed
        fitViewport
        unmountOnHide
      >
        <Suspense
          fallback={
            <Loading what="emoji">
              <Skeleton height={32} />
              <Skeleton width="60%" />
            </Loading>
          }
        >
          <Picker pick={react} />
        </Suspense>
      </Ariakit.Popover>
    </Ariakit.PopoverProvider>
  )
}

function Picker({ pick }: { pick(emoji: string, url: string | null): void }) {
  const custom = useCustomEmoji() ?? []
  return (
    <EmojiPicker
      custom={custom}
      pick={(emoji) => pick(emoji, custom.find(({ name }) => name === emoji)?.url ?? null)}
    />
  )
}
