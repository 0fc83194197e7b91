import * as Ariakit from '@ariakit/react'
import { type ReactNode, useState } from 'react'
import type { Post } from '../../../contract/posts'
import { setPinned } from '../../data/posts'
import {
  formatClockTime,
  formatReminder,
  listReminderChoices,
  removeSaved,
  savePost,
  setReminder,
  toFieldValue,
} from '../../data/saved'
import { usePostState } from '../../data/unread'
import { Field } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Icon, type IconName } from '../../parts/icon'
import { Menu, type MenuEntry } from '../../parts/menu'

interface Props {
  post: Post
  label: string
  /** Why the member may not pin it. */
  disabledReason: string | undefined
  /** Whether it is open at first. */
  isOpen?: boolean
  /** Other entries of the menu, before and after these. */
  first?: (MenuEntry | false)[]
  last?: (MenuEntry | false)[]
}

/** The menu of a post, with entries to save it, set a reminder and pin it. */
export function PostMenu({ post, label, disabledReason, isOpen, first = [], last = [] }: Props) {
  const state = usePostState(post.id).data
  const [dialog, pick] = useReminderDialog(post)
  const isPinned = Boolean(state?.pinned_at)
  const entries: (MenuEntry | false)[] = [
    ...first,
    state?.saved_at
      ? { label: 'Remove from saved', icon: 'saved', run: () => void removeSaved(post) }
      : { label: 'Save', icon: 'saved', run: () => void savePost(post) },
    {
      label: isPinned ? 'Unpin' : 'Pin to channel',
      icon: 'pin',
      disabledReason,
      run: () => void setPinned(post, !isPinned),
    },
    ...last,
  ]
  const times = listReminderChoices(new Date()).map(({ label: when, at }) => ({
    label: when,
    icon: 'clock' as const,
    note: formatClockTime(at),
    run: () => void setReminder(post, at),
  }))
  const custom = { label: 'Pick a date and time…', icon: 'clock' as const, run: pick }
  const remove = state?.remind_at && {
    label: 'Remove reminder',
    icon: 'close' as const,
    note: formatReminder(state.remind_at),
    run: () => void setReminder(post, null),
  }
  return (
    <>
      {dialog}
      <Menu label={label} entries={entries} isOpen={isOpen}>
        <RemindChoices choices={[...times, custom, ...(remove ? [remove] : [])]} />
      </Menu>
    </>
  )
}

const HOUR_MS = 60 * 60 * 1000

/** Asks when to be reminded of a post. */
function useReminderDialog(post: Post): [ReactNode, () => void] {
  const [now, open] = useState<Date>()
  const [error, setError] = useState<string>()
  const close = () => {
    open(undefined)
    setError(undefined)
  }
  const send = (form: FormData) => {
    const at = new Date(String(form.get('at')))
    if (!(at.getTime() > Date.now())) return setError('Choose a time in the future.')
    close()
    void setReminder(post, at)
  }
  const dialog = now && (
    <FormDialog title="Remind me" label="Set reminder" close={close} send={send} isPending={false}>
      <Field
        label="Date and time"
        name="at"
        type="datetime-local"
        required
        min={toFieldValue(now)}
        defaultValue={toFieldValue(new Date(now.getTime() + 24 * HOUR_MS))}
        error={error}
      />
    </FormDialog>
  )
  return [dialog, () => open(new Date())]
}

export interface RemindChoice {
  label: string
  icon: IconName
  /** The time, beside the label. */
  note?: string
  run(): void
}

/** The part of a menu that chooses when to be reminded. */
const RemindChoices = ({ choices }: { choices: readonly RemindChoice[] }) => (
  <Ariakit.MenuGroup>
    <Ariakit.MenuGroupLabel className="meta menu-label">Remind me</Ariakit.MenuGroupLabel>
    {choices.map(({ label, icon, note, run }) => (
      <Ariakit.MenuItem key={label} className="menu-item" onClick={run}>
        <Icon name={icon} />
        {label}
        {note && <span className="menu-time">{note}</span>}
      </Ariakit.MenuItem>
    ))}
  </Ariakit.MenuGroup>
)
